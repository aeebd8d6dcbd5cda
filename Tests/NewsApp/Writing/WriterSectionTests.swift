import ConfigurationTesting
import DomainKit
import Expectations
import News

@testable import NewsApp

@Suite("Configuration: the writer of the news", .timeLimit(.minutes(10)))
struct WriterSectionTests {
    private static let domains = [
        DomainConfiguration(NewsSection.self, reservedNamespaces: [], defaultAlerts: [])
    ]

    private func load(
        _ yaml: String,
        _ environment: [String: String] = [:]
    ) throws -> LoadedConfiguration {
        try ConfigurationTesting.load(yaml, domains: Self.domains, environment: environment)
    }

    private func writer(
        _ keys: String,
        _ environment: [String: String] = [:]
    ) throws -> NewsSection.Writer {
        let loaded = try load("news: {writer: {\(keys)}}", environment)
        return try require(loaded.configuration[NewsSection.self]?.writer)
    }

    /// What is wrong with a writer of these keys, without its place.
    private func problems(_ keys: String, _ environment: [String: String] = [:]) -> [String] {
        do {
            _ = try writer(keys, environment)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { String($0.message.trimmingPrefix("news.writer.")) }
        } catch {
            return ["\(error)"]
        }
    }

    private static let everyKey = """
        news:
          writer:
            kind: openai
            url: https://models.example.org/v1
            model: small
            key: writers-key
            daily_tokens: 6
            daily_requests: 7
            user_share_percent: 25
            timeout: 9s
        """

    @Test func everyKeyIsRead() throws {
        var expected = NewsSection.Writer()
        expected.kind = .openai
        expected.url = "https://models.example.org/v1"
        expected.model = "small"
        expected.key = Secret("writers-key")
        expected.dailyTokens = 6
        expected.dailyRequests = 7
        expected.userSharePercent = 25
        expected.timeout = .seconds(9)
        let loaded = try load(Self.everyKey)
        expectEqual(loaded.configuration[NewsSection.self]?.writer, expected)
        for key in NewsSection.schema(under: "news.") where key.path.contains(".writer.") {
            // A writer has one of three keys for its key.
            if key.path.hasPrefix("news.writer.key_") { continue }
            expect(loaded.origin(of: key.path) != .defaultValue, "\(key.path)")
        }
    }

    @Test func newsNeedNoWriter() throws {
        try expectNil(load("news: {}").configuration[NewsSection.self]?.writer)
    }

    @Test(arguments: [
        ("kind: anthropic, key: k", ["model: found nothing, the key is required"]),
        ("model: m, key: k", ["kind: found nothing, the key is required"]),
        (
            "kind: openai, model: m, key_file: f, key_env: A",
            ["key_env: found key_file and key_env, expected only one of them"]
        ),
        (
            "kind: anthropic, model: m, url: 'http://127.0.0.1:9'",
            [
                "key: found nothing, expected key, key_file, key_env or the environment variable "
                    + "VARDE_ANTHROPIC_API_KEY: kind anthropic needs one"
            ]
        ),
        (
            "kind: openai, model: m, url: 'https://x.example/v1'",
            [
                "key: found nothing, expected key, key_file, key_env: kind openai needs one"
            ]
        ),
    ])
    func writerThatIsNotWholeIsRefused(keys: String, messages: [String]) {
        expectEqual(problems(keys), messages)
    }

    @Test(arguments: [
        "kind: json, model: m", "kind: openai, model: m, key: k, timeout: 0s",
        "kind: openai, model: m, key: k, user_share_percent: 0",
        "kind: openai, model: m, key: k, daily_tokens: -1",
        "kind: openai, model: m, key: k, url: 'ftp://x.example'",
    ])
    func valueOutOfRangeIsRefused(keys: String) {
        expectEqual(problems(keys).count, 1)
    }

    // MARK: The key

    @Test func keyOfTheEnvironmentIsOnlyForTheProvider() throws {
        let environment = ["VARDE_OPENAI_API_KEY": "from-openai"]
        let found = try writer("kind: openai, model: m", environment)
        expectEqual(found.keySource, .text(Secret("from-openai")))
        let other = "kind: openai, model: m, url: 'https://x.example/v1'"
        expectEqual(problems(other, environment).count, 1)
    }

    @Test func modelOfThisMachineNeedsNoKey() throws {
        let found = try writer("kind: openai, model: m, url: 'http://127.0.0.1:11434/v1'")
        expectNil(found.keySource)
        let configured = ConfiguredWriter(
            found,
            environment: [:],
            readFile: { _ in nil },
            report: { Issue.record("\($0): \($1)") }
        )
        expectEqual(configured?.model.name, "m")
    }

    @Test func keyIsNotShown() throws {
        let loaded = try load(
            "listen: ['0.0.0.0:8000']\ntokens: {required: true}\n" + Self.everyKey
        )
        var shown = loaded.describe()
        dump(loaded.configuration, to: &shown)
        expect(!shown.contains("writers-key"))
        expect(loaded.exposures().map(\.path).contains("news.writer.key"))
        let settings = try require(loaded.configuration[NewsSection.self]?.writer)
        let configured = ConfiguredWriter(
            settings,
            environment: [:],
            readFile: { _ in nil },
            report: { Issue.record("\($0): \($1)") }
        )
        var text = "\(String(describing: configured))"
        dump(configured, to: &text)
        expect(!text.contains("writers-key"))
    }

    @Test func keyThatIsNotFoundIsReportedWithItsPlace() throws {
        let settings = try writer("kind: openai, model: m, key_file: /run/secrets/none")
        var reports: [String] = []
        let configured = ConfiguredWriter(
            settings,
            environment: [:],
            readFile: { _ in nil },
            report: { reports.append("\($0): \($1)") }
        )
        expectNil(configured)
        expectEqual(reports, ["key_file: nothing found where the key should be"])
    }
}
