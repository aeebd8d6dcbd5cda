import Expectations
import Radar

@testable import Hub
@testable import RadarApp

@Suite("Configured sources: what is asked, and how often", .timeLimit(.minutes(10)))
struct ConfiguredSourceTests {
    private func configured(
        _ keys: String,
        environment: [String: String] = [:]
    ) throws -> ConfiguredSource {
        let yaml = "radar: {sources: [{name: a, \(keys)}]}"
        let loaded = try LoadedConfiguration(
            file: (name: "varde.yaml", text: yaml),
            environment: environment,
            domains: [RadarDomain.configuration]
        )
        let parts = try ConfiguredParts(
            loaded,
            environment: environment,
            domains: [RadarDomain.self]
        )
        let domain = try require(parts.domains.first as? RadarDomain)
        return try require(domain.sources.first)
    }

    private func header(_ name: String, _ request: ProviderRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    @Test func anthropicIsAskedWithItsKey() throws {
        let configured = try configured(
            "kind: anthropic, model: m-1, key: secret-key-1, trust: 0.5"
        )
        let source = try require(configured.source as? ModelSource)
        expectEqual(source.name, "a")
        expectEqual(source.model, "m-1")
        expectEqual(source.provider, "anthropic")
        expectEqual(source.trust, 0.5)
        let request = try require(source.stanceRequest(topic: "tea"))
        expectEqual(request.url, "https://api.anthropic.com/v1/messages")
        expectEqual(header("x-api-key", request), "secret-key-1")
        expect(!"\(configured)\(source)\(request)".contains("secret-key-1"))
    }

    @Test func openAIIsAskedAtItsURLAndWithoutAKeyOnThisMachine() throws {
        let configured = try configured(
            "kind: openai, model: m-2, vendor: mine, url: 'http://127.0.0.1:8000/v1/'"
        )
        let source = try require(configured.source as? ModelSource)
        expectEqual(source.provider, "mine")
        let request = try require(source.stanceRequest(topic: "tea"))
        expectEqual(request.url, "http://127.0.0.1:8000/v1/chat/completions")
        expectNil(header("authorization", request))
    }

    @Test func jsonSourceReadsWhatItsMappingNames() throws {
        let configured = try configured(
            """
            kind: json, url: 'https://p.example/{topic}', key: secret-key-2, model: panel, \
            mapping: {items: data.list, id: no, stance: vote, content: text, confidence: sure, \
            author: who, model: kind, reasoning: why, for: [ja], against: [nei], neutral: [tja]}
            """
        )
        let source = try require(configured.source as? JSONSource)
        expectEqual(source.provider, "a")
        expectEqual(source.model, "panel")
        let request = try require(source.stanceRequest(topic: "a/b"))
        expectEqual(request.method, "GET")
        expectEqual(request.url, "https://p.example/a%2Fb")
        expectEqual(header("authorization", request), "Bearer secret-key-2")
        let body = """
            {"data":{"list":[{"no":1,"vote":"Nei","text":"t","sure":0.25,"who":"w","kind":"k","why":"y"}]}}
            """
        let answer = source.stances(
            from: ProviderResponse(status: 200, headers: [], body: Array(body.utf8))
        )
        guard case .value(let value, _) = answer else {
            Issue.record("no opinions: \(answer)")
            return
        }
        expectEqual(
            value.samples,
            [
                StanceSample(
                    externalID: "1",
                    author: "w",
                    model: "k",
                    content: "t",
                    stance: .against,
                    confidence: 0.25,
                    reasoning: "y"
                )
            ]
        )
    }

    @Test func sampleSourceIsNotAsked() throws {
        let source = try configured("kind: sample, trust: 2").source
        expectEqual(source.name, "a")
        expectEqual(source.trust, 2)
        expectNil(source.stanceRequest(topic: "tea"))
        expectEqual(source.localStances(topic: "tea", period: 1)?.count, 1)
    }

    @Test func limitsAreThoseOfTheConfiguration() throws {
        let limited = try configured(
            "kind: openai, model: m, url: 'http://127.0.0.1/', daily_tokens: 5000, "
                + "daily_requests: 7, concurrency: 3"
        )
        expectEqual(
            limited.policy(userSharePercent: 20),
            SourcePolicy(
                concurrencyMax: 3,
                dailyTokensMax: 5000,
                dailyRequestsMax: 7,
                userSharePercent: 20
            )
        )
        let unlimited = try configured("kind: sample").policy(userSharePercent: 10)
        expectEqual(unlimited.dailyTokensMax, 200_000)
        expectEqual(unlimited.dailyRequestsMax, 2000)
        expectEqual(unlimited.attemptsMax, 3)
    }
}
