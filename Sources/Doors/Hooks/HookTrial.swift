import Foundation

/// One call of a hook that an operator makes, to see the answer.
package struct HookTrial: Sendable {
    /// The question of a client, or of an operator in place of one.
    package struct Question: Sendable {
        package var event: String
        package var user = ""
        package var topic = ""
        package var method = ""
        /// JSON text.
        package var data: String?
        package var headers: [(name: String, value: String)] = []

        package init(event: String) { self.event = event }
    }

    /// A question that cannot be asked.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    private let caller: HookCaller
    private let question: HookQuestion

    /// - Parameter name: that of the hook in the configuration.
    package init(
        _ question: Question,
        to name: String,
        of configuration: Configuration,
        userAgent: String
    ) throws(Problem) {
        let hooks = configuration[HooksSection.self]?.items ?? []
        guard let hook = hooks.first(where: { $0.name == name }) else {
            let names = hooks.map(\.name).joined(separator: ", ")
            throw Problem("no hook \(name)" + (names.isEmpty ? "" : "; expected \(names)"))
        }
        let client = HookClient(
            id: uuidVersion4(randomBytes(16)),
            transport: "websocket",
            protocolName: "json",
            user: question.user
        )
        self.question = HookQuestion(
            try question.subject,
            of: client,
            headers: question.headers.map { .init($0.name, $0.value) }
        )
        caller = HookCaller(
            hook,
            userAgent: userAgent,
            isSampled: false,
            logger: Logger(label: "varde") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Asks the question. Returns a report as a line of JSON, and whether the hub could use the answer.
    package func run() async -> (report: String, isAnswered: Bool) {
        let start = ContinuousClock.now
        let (outcome, body) = await caller.call(question)
        let duration = .now - start
        caller.shutDown()
        var json = JSONWriter()
        json.object { json in
            json.field("hook", caller.name)
            json.field("event", question.event.rawValue)
            json.field("url", caller.hook.url(of: question.event))
            json.raw("question", question.body)
            json.field("milliseconds", Int64(duration.wholeMilliseconds))
            switch outcome {
            case .success(let answer): json.field("result", answer.summary)
            case .failure(let fault): json.field("fault", fault.reason)
            }
            guard let body else { return }
            if (try? JSONReader.value(of: body[...])) != nil {
                // Between the values of JSON a space is as good as the end of a line.
                json.raw("answer", body.map { $0 == 10 || $0 == 13 ? 32 : $0 })
            } else {
                json.field("text", String(decoding: body.prefix(1000), as: UTF8.self))
            }
        }
        if case .success = outcome { return (String(decoding: json.bytes, as: UTF8.self), true) }
        return (String(decoding: json.bytes, as: UTF8.self), false)
    }
}

extension HookTrial.Question {
    fileprivate var subject: HookQuestion.Subject {
        get throws(HookTrial.Problem) {
            guard let event = HookEvent(rawValue: event) else {
                let events = HookEvent.allCases.map(\.rawValue).joined(separator: ", ")
                throw HookTrial.Problem("no event \(self.event); expected one of \(events)")
            }
            let data = try json
            switch event {
            case .connect: return .connect(HookQuestion.Connection(data: data))
            case .refresh: return .refresh
            case .subscribe: return .subscribe(try named(event), token: "", data: data)
            case .subRefresh: return .subRefresh(try named(event))
            case .publish: return .publish(try named(event), data: data ?? Array("{}".utf8))
            case .rpc:
                guard !method.isEmpty else { throw HookTrial.Problem("rpc needs --method") }
                return .rpc(method: method, data: data)
            case .cacheEmpty: return .cacheEmpty(try named(event))
            }
        }
    }

    private func named(_ event: HookEvent) throws(HookTrial.Problem) -> Topic {
        guard let topic = try? Topic(topic) else {
            let found = topic.isEmpty ? "" : "; \"\(topic)\" is none"
            throw HookTrial.Problem("\(event.rawValue) needs --channel TOPIC\(found)")
        }
        return topic
    }

    private var json: [UInt8]? {
        get throws(HookTrial.Problem) {
            guard let data else { return nil }
            let bytes = Array(data.utf8)
            guard (try? JSONReader.value(of: bytes[...])) != nil else {
                throw HookTrial.Problem("--data is no JSON: \(data)")
            }
            return bytes
        }
    }
}
