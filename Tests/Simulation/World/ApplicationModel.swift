import Core
import Hub
import Loops

/// The application of a world, which is asked about publications to one namespace and subscriptions to another.
/// It answers late, in any order, with no or not at all.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
final class ApplicationModel: ClientHooks, @unchecked Sendable {
    static let name = "app"

    private struct OpenQuestion {
        let question: HookQuestion
        let complete: (HookOutcome) -> Void
    }

    /// Whose publication it is, and the place among the questions.
    private struct AskedPublication {
        let client: String
        let number: Int
    }

    private struct Grant: Hashable {
        let client: String
        let topic: Topic
    }

    let headers: Set<String> = []
    private var open: [OpenQuestion] = []
    private var asked: [[UInt8]: AskedPublication] = [:]
    private var allowed: Set<[UInt8]> = []
    private var grants: Set<Grant> = []
    /// By client: the place of the publication that was handed to the store last.
    private var lastNumbers: [String: Int] = [:]
    private let random: Randomness
    private let trace: Trace

    init(random: Randomness, trace: Trace) {
        self.random = random
        self.trace = trace
    }

    func grace(of hook: String) -> Duration { .seconds(600) }

    func limit(of hook: String) -> Duration { .seconds(1) }

    func ask(
        _ question: HookQuestion,
        of hook: String,
        completion: @escaping @Sendable (HookOutcome) -> Void
    ) {
        guard let client = question.client?.id else { return trace.fail("a question about nobody") }
        if case .publish(_, let data) = question.subject {
            trace.expect(asked[data] == nil, "asked twice about a publication of \(client)")
            asked[data] = AskedPublication(client: client, number: asked.count)
        }
        open.append(OpenQuestion(question: question, complete: completion))
    }

    // MARK: Steps

    /// Answers one of the questions.
    ///
    /// - Parameter isWilling: whether it answers each with yes.
    func step(isWilling: Bool) {
        guard !open.isEmpty else { return }
        let question = open.remove(at: random.below(open.count))
        let choice = isWilling ? 0 : random.below(100)
        switch choice {
        case 0..<75: allow(question)
        case 75..<90:
            trace.count(.questionsRefused)
            trace.note("the application refuses \(question.question.about)")
            question.complete(.success(.error(.init(code: Self.refusal, message: "no"))))
        default:
            trace.count(.questionsUnanswered)
            trace.note("the application does not answer about \(question.question.about)")
            question.complete(.failure(.timeout))
        }
    }

    /// The code of its refusals.
    static let refusal: UInt32 = 1000

    private func allow(_ open: OpenQuestion) {
        trace.count(.questionsAllowed)
        trace.note("the application allows \(open.question.about)")
        switch open.question.subject {
        case .publish(_, let data):
            allowed.insert(data)
            open.complete(.success(.publish(HookPublication())))
        case .subscribe(let topic, _, _):
            if let client = open.question.client?.id {
                grants.insert(Grant(client: client, topic: topic))
            }
            open.complete(.success(.subscribe(HookSubscription())))
        default: trace.fail("asked about \(open.question.event.rawValue)")
        }
    }

    var isIdle: Bool { open.isEmpty }

    /// The hub is gone: it hears no answer.
    func forget() { open = [] }

    // MARK: Invariants

    /// A publication is handed to the store.
    func check(_ publication: ClientPublication) {
        guard publication.topic.namespace == Topics.askedAboutPublications else { return }
        guard allowed.contains(publication.data), let asked = asked[publication.data] else {
            return trace.fail("\(publication.topic): published without an answer")
        }
        trace.expect(
            asked.number > lastNumbers[asked.client, default: -1],
            "\(publication.topic): \(asked.client) is published out of order"
        )
        lastNumbers[asked.client] = asked.number
    }

    /// A client is subscribed.
    func checkSubscription(of client: String, to topic: Topic) {
        guard topic.namespace == Topics.askedAboutSubscriptions else { return }
        trace.expect(
            grants.remove(Grant(client: client, topic: topic)) != nil,
            "\(topic): \(client) is subscribed without an answer"
        )
    }
}
