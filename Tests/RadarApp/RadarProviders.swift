import HubTesting
import LoopTesting
import Loops
import Service
import Wire

@testable import RadarApp

/// Providers of opinions on loopback: every source of a test has a path of its own, and speaks the
/// Messages API there.
///
/// What a source answers is a script whose last answer repeats. Nobody interprets topics unless told to.
struct RadarProviders: Sendable {
    struct Question: Hashable, Sendable {
        enum Kind: Sendable { case stance, interpretation }

        var source: String
        var kind: Kind

        static func stance(_ source: String) -> Question {
            Question(source: source, kind: .stance)
        }

        static func interpretation(_ source: String) -> Question {
            Question(source: source, kind: .interpretation)
        }
    }

    fileprivate struct State {
        var scripts: [Question: [ScriptedServer.Answer]] = [:]
        var held: [String: AsyncStream<Never>] = [:]
        var asked: [Question] = []
        var whenAsked: (@Sendable (Question) async -> Void)?
    }

    private let service: RequestServer
    private let state: Locked<State>
    /// Every question, as it arrives.
    let questions: AsyncStream<Question>

    static func run<Result>(
        _ body: (RadarProviders) async throws -> Result
    ) async throws -> Result {
        let state = Locked(State())
        let (questions, seen) = AsyncStream<Question>.makeStream()
        let service = try await RequestServer.start(listen: "127.0.0.1:0", logger: silentLogger) {
            let question = Question($0)
            state.withLock { $0.asked.append(question) }
            await state.withLock { $0.whenAsked }?(question)
            seen.yield(question)
            if let held = state.withLock({ $0.held[question.source] }) {
                for await _ in held {}
            }
            return state.withLock { $0.answer(to: question) }
        }
        let providers = RadarProviders(service: service, state: state, questions: questions)
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(providers)) } catch { outcome = .failure(error) }
        await service.stop()
        return try outcome.get()
    }

    func url(of source: String) -> String { "http://\(service.address)/\(source)" }

    /// All questions so far.
    var asked: [Question] { state.withLock { $0.asked } }

    func set(_ question: Question, _ script: ScriptedServer.Answer...) {
        state.withLock { $0.scripts[question] = script }
    }

    /// Called with every question before it is answered.
    func whenAsked(_ body: @escaping @Sendable (Question) async -> Void) {
        state.withLock { $0.whenAsked = body }
    }

    /// Keeps a source's answers back until what is returned is called.
    func hold(_ source: String) -> @Sendable () -> Void {
        let (held, release) = AsyncStream<Never>.makeStream()
        state.withLock { $0.held[source] = held }
        return {
            state.withLock { $0.held[source] = nil }
            release.finish()
        }
    }
}

extension RadarProviders.State {
    fileprivate mutating func answer(to question: RadarProviders.Question) -> ServerResponse {
        guard let script = scripts[question], let next = script.first else {
            return RadarProviders.refusal.response
        }
        if script.count > 1 { scripts[question]?.removeFirst() }
        return next.response
    }
}

extension RadarProviders.Question {
    fileprivate init(_ request: ServerRequest) {
        source = String(request.head.target.split(separator: "/").first ?? "")
        let text = String(decoding: request.body, as: UTF8.self)
        kind = text.contains("record_interpretation") ? .interpretation : .stance
    }
}

extension ScriptedServer.Answer {
    fileprivate var response: ServerResponse {
        switch self {
        case .response(let response): response
        case .never, .held: preconditionFailure("hold the source instead")
        }
    }
}

// MARK: - Answers of the Messages API

extension RadarProviders {
    /// Tokens of every answer.
    static let usage = (input: 300, output: 50)

    static func stance(
        _ stance: String = "for",
        confidence: Double = 0.8,
        content: String = "Because.",
        model: String = "model-2026-01-01"
    ) -> ScriptedServer.Answer {
        message(
            #"[{"type":"tool_use","id":"t","name":"record_stance","input":{"stance":"\#(stance)","#
                + #""confidence":\#(confidence),"content":"\#(content)","reasoning":"It weighs."}}]"#,
            model: model,
            stopReason: "tool_use"
        )
    }

    static func interpretation(_ text: String) -> ScriptedServer.Answer {
        message(
            #"[{"type":"tool_use","id":"t","name":"record_interpretation","input":{"#
                + #""text":"\#(text)","category":"work","subCategory":null,"#
                + #""tags":["hours"],"sentiment":"neutral"}}]"#,
            stopReason: "tool_use"
        )
    }

    /// A confidence that is no number.
    static let unusable = message(
        #"[{"type":"tool_use","id":"t","name":"record_stance","input":{"stance":"for","#
            + #""confidence":"high","content":"Because."}}]"#,
        stopReason: "tool_use"
    )

    static let refusal = message("[]", stopReason: "refusal")

    private static func message(
        _ content: String,
        model: String = "model-2026-01-01",
        stopReason: String
    ) -> ScriptedServer.Answer {
        .json(
            #"{"type":"message","model":"\#(model)","stop_reason":"\#(stopReason)","#
                + #""content":\#(content),"usage":{"input_tokens":\#(usage.input),"#
                + #""output_tokens":\#(usage.output)}}"#
        )
    }

    static func error(
        _ status: Int,
        _ type: String,
        _ headers: HTTPHeaders = [:]
    ) -> ScriptedServer.Answer {
        .status(
            status,
            headers,
            body: Array(#"{"type":"error","error":{"type":"\#(type)","message":"no"}}"#.utf8)
        )
    }
}
