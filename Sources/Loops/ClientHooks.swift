import ClientWire
import Core
import Reactor

/// The answer of the application to a question, or why there is none.
package typealias HookOutcome = Result<HookAnswer, HookFault>

/// Asks the application about clients.
package protocol ClientHooks: Sendable {
    /// The names of the fields of a handshake, in lower case, that questions repeat.
    var headers: Set<String> { get }

    /// The time for which connections live on while the application does not answer `refresh`.
    func grace(of hook: String) -> Duration

    /// The time within which each question is answered.
    func limit(of hook: String) -> Duration

    /// Asks a question; does not wait.
    ///
    /// - Parameters:
    ///   - hook: its name in the configuration.
    ///   - completion: called once, on any thread, perhaps before this call returns.
    func ask(
        _ question: HookQuestion,
        of hook: String,
        completion: @escaping @Sendable (HookOutcome) -> Void
    )
}

extension ClientHooks {
    /// Asks several questions about the reader of a stream.
    ///
    /// - Parameters:
    ///   - answers: those to earlier questions.
    ///   - completion: called once with all answers, so that a mailbox has room for those of all connections.
    func ask(
        _ questions: [(topic: Topic?, hook: String, HookQuestion.Subject)],
        of client: HookClient,
        headers: [HookQuestion.Header],
        _ answers: StreamAnswers,
        completion: @escaping @Sendable (StreamAnswers) -> Void
    ) {
        let open = Locked((answers: answers, count: questions.count))
        for (topic, hook, subject) in questions {
            ask(HookQuestion(subject, of: client, headers: headers), of: hook) { outcome in
                let answered = open.withLock { open in
                    open.answers.take(outcome, about: topic)
                    open.count -= 1
                    return open.count == 0 ? open.answers : nil
                }
                if let answered { completion(answered) }
            }
        }
    }
}

/// The hooks of all topics, by their names in the configuration; nil for none.
package struct ClientHookNames: Sendable, Equatable {
    package var connect: String?
    package var refresh: String?
    /// By the name of a method, or a prefix of it with `*`.
    package var methods: [String: String] = [:]

    package init() {}

    /// The hook of a method: that of the longest pattern.
    func hook(of method: String) -> String? {
        guard !methods.isEmpty, !method.hasPrefix("hub.") else { return nil }
        if let hook = methods[method] { return hook }
        var prefix = method[...]
        while let dot = prefix.lastIndex(of: ".") {
            prefix = prefix[..<dot]
            if let hook = methods[prefix + ".*"] { return hook }
        }
        return methods["*"]
    }
}

/// The decisions of the application about one client, and the data that its questions repeat.
package final class HookedClient {
    /// Of its handshake.
    package let headers: [HookQuestion.Header]
    package var meta: [UInt8]?
    package private(set) var capabilities: [ClientCapability] = []
    /// Whether `connect_hook` has let it in, so that the application decides whether it may stay.
    package var isLetIn = false
    /// Since when the application has not answered whether it may stay; nil if it has.
    package var unansweredSince: MonotonicInstant?
    /// The subscriptions that the application has allowed.
    package var subscriptions: [Topic: HookedSubscription] = [:]

    /// The number of questions about its connect commands.
    package var connectQuestions = 0
    private var lastNumber = 0

    package init(headers: [HookQuestion.Header]) { self.headers = headers }

    /// Takes the rights that the application gives.
    package func use(_ capabilities: [HookCapability]) {
        self.capabilities = capabilities.map(ClientCapability.init)
    }

    /// Takes the answer that lets the client in.
    package func take(_ answer: HookConnect) {
        isLetIn = true
        meta = answer.meta
        use(answer.capabilities)
    }

    /// Notes a subscription that the application has allowed.
    package func allow(_ topic: Topic, _ rights: Set<HookCapability.Right>) {
        lastNumber += 1
        subscriptions[topic] = HookedSubscription(rights: rights, number: lastNumber)
    }

    func allows(_ right: HookCapability.Right, _ topic: Topic) -> Bool {
        subscriptions[topic]?.rights.contains(right) == true
            || capabilities.contains { $0.rights.contains(right) && $0.covers(topic) }
    }
}

/// A subscription about which the application is asked again.
package struct HookedPlace: Sendable {
    package let topic: Topic
    package let number: Int
}

package struct HookedSubscription {
    /// In addition to those of the namespace.
    package var rights: Set<HookCapability.Right>
    /// Distinguishes it from a later subscription of the client to the same topic.
    package let number: Int
    package var unansweredSince: MonotonicInstant?
}

/// Rights in topics, ready to be looked up for each command.
package struct ClientCapability {
    let rights: Set<HookCapability.Right>
    private let names: Set<String>
    private let patterns: [TopicGlob]

    /// An invalid pattern covers nothing. Topics are ASCII, to which some other texts are equal in
    /// Swift: `hasSameBytes`.
    init(_ capability: HookCapability) {
        rights = capability.rights
        let exact = capability.topics.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
        names = capability.isPattern ? [] : Set(exact)
        patterns = capability.isPattern ? capability.topics.compactMap { try? TopicGlob($0) } : []
    }

    func covers(_ topic: Topic) -> Bool {
        names.contains(topic.name) || patterns.contains { $0.matches(topic) }
    }
}
