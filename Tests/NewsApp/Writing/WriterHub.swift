import Duties
import HubTesting
import LoopTesting
import Service
import StoreTesting
import Upstream

@testable import News
@testable import NewsApp

/// A store, a provider on loopback with the Messages API, and writers over them, one process after
/// the other. The clock of each stands still.
struct WriterHub: Sendable {
    static let key = "writers-key-1"
    static let ticker = Ticker("ACME")!
    static let usage = TokenUsage(inputTokens: 300, outputTokens: 50)
    /// 2026-01-01
    static let day = Int(at(0).milliseconds / 86_400_000)

    private struct Script {
        var answers: [ScriptedServer.Answer] = [WriterHub.refusal]
        var requests: [String] = []
    }

    let store: HubStore
    let client: UpstreamClient
    let provider: ScriptedServer
    private let script: Locked<Script>

    static func run(_ body: (WriterHub) async throws -> Void) async throws {
        try await withStore(migrations: NewsTables.migrations) { store in
            let script = Locked(Script())
            let answer: @Sendable (ServerRequest) -> ScriptedServer.Answer = { request in
                script.withLock { script in
                    script.requests.append(String(decoding: request.body, as: UTF8.self))
                    let isLast = script.answers.count == 1
                    return isLast ? script.answers[0] : script.answers.removeFirst()
                }
            }
            try await ScriptedServer.run(answer: answer) { provider in
                let client = UpstreamClient()
                defer { client.shutDown() }
                try await body(
                    WriterHub(store: store, client: client, provider: provider, script: script)
                )
            }
        }
    }

    /// The last one repeats.
    func set(_ answers: ScriptedServer.Answer...) { script.withLock { $0.answers = answers } }

    /// The bodies of all requests so far.
    var requests: [String] { script.withLock { $0.requests } }

    /// A process that starts at `minutes`, where it stays.
    func writer(
        after minutes: Int = 0,
        metrics: DomainMetrics = DomainMetrics(),
        logger: Logger = silentLogger,
        _ change: (inout NewsSection.Writer) -> Void = { _ in }
    ) async throws -> NewsWriter {
        var settings = NewsSection.Writer()
        settings.timeout = .seconds(60)
        change(&settings)
        let model = AnthropicModel(
            "model",
            key: ProviderKey(WriterHub.key),
            url: provider.url
        )
        return try await NewsWriter(
            ConfiguredWriter(settings, model: model),
            client: ProviderClient(client: client, userAgent: "varde/tests"),
            store: store,
            clock: HubClock(.recording(start: at(minutes), speed: 0, anchor: HubClock.wall)),
            board: HealthBoard(),
            metrics: metrics,
            logger: logger
        )
    }

    func spending(after days: Int = 0) async throws -> DaySpending {
        try await WriterSpending(store: store).spending(
            of: NewsWriter.sourceName,
            day: WriterHub.day + days
        )
    }

    // MARK: What is stored

    static let sentences = """
        Profit of Acme Rockets rose 12 percent to 3 billion dollars, the company said. It builds \
        rockets in Norway and sells them abroad. Its workers have built 70 of them in this year, \
        and a new factory will open in spring.
        """

    func article(_ name: String = "a", summary: String = sentences) async throws -> Article {
        try await store.commitNews { tables in
            switch try tables.put(newArticle(name, summary: summary)) {
            case .new(let article), .revised(let article): (Change(), article)
            case .unchanged: throw NewsTablesError("the article is there already")
            }
        }
    }

    func story(_ id: Int = 7, revision: Int = 1) async throws -> ExplainedStory {
        try await store.commitNews { tables in
            let story = StoredStory.example(
                id: id,
                revision: revision,
                tickers: [WriterHub.ticker]
            )
            try tables.put(story)
            let article = newArticle("a", title: story.title, summary: WriterHub.sentences)
            return (Change(), ExplainedStory(story, .example, articles: [article]))
        }
    }
}

// MARK: - Answers

extension WriterHub {
    static func summary(
        _ text: String = "Acme Rockets earned 12 percent more."
    ) -> ScriptedServer.Answer {
        call("record_summary") { $0.field("summary", text) }
    }

    static func explanation(
        _ impact: String = "Profit rose 12 percent."
    ) -> ScriptedServer.Answer {
        call("record_explanation") { json in
            json.field("headline", "Acme Rockets earns more")
            json.field("impact", impact)
            json.field("action", "Read the reported figures")
            json.field("context", "The company reported its profit.")
            json.field("confidence", 0.75)
        }
    }

    static func interpretation(_ why: String = "Profit rises") -> ScriptedServer.Answer {
        call("record_interpretation") { json in
            json.field("verdict", "aware")
            json.textArray("why", [why])
            json.field("action", "Read the reported figures")
            json.null("horizon")
            json.field("opportunity", "none")
            json.field("note", "")
            json.field("confidence", 0.5)
        }
    }

    static let refusal = message("[]", stop: "refusal")
    static let truncated = message(
        #"[{"type":"tool_use","id":"t","name":"record_summary","input":{"summary":"Acme"}}]"#,
        stop: "max_tokens"
    )

    static func error(_ status: Int, _ type: String) -> ScriptedServer.Answer {
        let body = #"{"type":"error","error":{"type":"\#(type)","message":"no"}}"#
        return .status(status, body: Array(body.utf8))
    }

    private static func call(
        _ tool: String,
        _ input: (inout JSONWriter) -> Void
    ) -> ScriptedServer.Answer {
        var json = JSONWriter()
        json.object(input)
        let input = String(decoding: json.bytes, as: UTF8.self)
        return message(
            #"[{"type":"tool_use","id":"t","name":"\#(tool)","input":\#(input)}]"#,
            stop: "tool_use"
        )
    }

    private static func message(_ content: String, stop: String) -> ScriptedServer.Answer {
        .json(
            #"{"type":"message","model":"model-dated","stop_reason":"\#(stop)","#
                + #""content":\#(content),"usage":{"input_tokens":\#(usage.inputTokens),"#
                + #""output_tokens":\#(usage.outputTokens)}}"#
        )
    }
}

extension ScriptedServer.Answer {
    /// The same answer when the gate is open.
    func held(by gate: ScriptedServer.Gate) -> ScriptedServer.Answer {
        guard case .response(let response) = self else { return self }
        return .held(gate, response)
    }
}
