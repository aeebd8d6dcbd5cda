import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Configuration: the listing of check-config, and secrets", .timeLimit(.minutes(10)))
struct ConfigurationListingTests {
    @Test func listingReadsBackAsTheSameConfiguration() throws {
        let loaded = try load(everyKey)
        var expected = loaded.configuration
        // What the listing masks.
        expected.webhooks[0].secret = Secret(Secret.mask)
        expected.tokens.secrets = [Secret(Secret.mask), Secret(Secret.mask)]
        expected.api.keys = [.init(Secret(Secret.mask))]
        expected.tls?.keyPassword = Secret(Secret.mask)
        expected.tls?.certificates[0].keyPassword = Secret(Secret.mask)
        let text = loaded.describe().replacing("/…", with: "/masked")
        expected.webhooks[0].url = "https://hooks.example.org/masked"
        try expectEqual(load(text).configuration, expected)
    }

    @Test func listingOfDefaultsReadsBack() throws {
        let loaded = try load("")
        try expectEqual(load(loaded.describe()).configuration, Configuration())
    }

    @Test func listingNamesTheOriginOfEachValue() throws {
        var flags = ConfigurationFlags()
        flags.logLevel = "debug"
        let loaded = try load(
            "database: x.sqlite\nlimits: {connections: 5}\n",
            environment: ["VARDE_LOOPS": "2"],
            flags: flags
        )
        let lines = loaded.describe().split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        expect(lines.contains("database: x.sqlite # varde.yaml:1:11"))
        expect(lines.contains("connections: 5 # varde.yaml:2:23"))
        expect(lines.contains("loops: 2 # environment VARDE_LOOPS"))
        expect(lines.contains("log_level: debug # flag --log-level"))
        expect(lines.contains("log_format: text # default"))
    }

    @Test func listingHasNoSecret() throws {
        let text = try load(everyKey).describe()
        for secret in ["whsec_c2VjcmV0", "/t/abc"] {
            expect(!text.contains(secret))
        }
        expect(text.contains(#"secret: "********""#))
        expect(text.contains("https://hooks.example.org/…"))
    }

    @Test func textsThatYAMLWouldReadOtherwiseAreQuoted() throws {
        for text in ["true", "null", "a: b", "a #b", "x\"y\\z", "*a", "-1", "a:", "æøå", "{a}"] {
            let name = yamlText(text)
            let alerts = try load("alerts: [{name: a, topics: b, when: \(name)}]").configuration
                .alerts
            expectEqual(alerts.map(\.when), [text])
        }
    }

    @Test(arguments: [
        ("https://a", "https://a"), ("https://a/", "https://a/"), ("http://a:8/x", "http://a:8/…"),
        ("https://a?token=x", "https://a/…"), ("https://a#x", "https://a/…"),
    ])
    func webhookURLIsShownWithoutItsPath(url: String, shown: String) throws {
        let loaded = try load("webhooks: [{name: a, url: '\(url)', secret_env: A}]")
        let line = loaded.describe().split(separator: "\n").first { $0.contains("url: ") }
        let text = line?.split(separator: " ").dropFirst().first?.filter { $0 != "\"" }
        expectEqual(text, shown)
    }

    // MARK: - Secrets

    @Test func secretIsNotShownByDescriptionOrReflection() throws {
        let configuration = try load(everyKey).configuration
        var dumped = ""
        dump(configuration.webhooks.map(\.secret), to: &dumped)
        let shown =
            "\(configuration.webhooks.map(\.secret))" + "\(Secret("key-1"))"
            + String(reflecting: Secret("key-1")) + dumped
        expect(!shown.contains("whsec_c2VjcmV0"))
        expect(!shown.contains("key-1"))
        expectEqual(Secret("key-1").revealed, "key-1")
    }

    @Test(arguments: [
        "webhooks: [{name: a, url: 'https://user:hunter2@x/', secret_env: A}]",
        "webhooks: [{name: a, url: 'hunter2', secret_env: A}]",
        "webhooks: [{name: a, url: 'http://x', secret: {hunter2: 1}}]",
    ])
    func refusedSecretIsNotRepeated(yaml: String) {
        let error = #expect(throws: ConfigurationError.self) { try load(yaml) }
        expectEqual(error?.description.contains("hunter2"), false)
    }

    @Test func overlongSecretIsNotRepeated() {
        let secret = String(repeating: "hunter2", count: 100)
        let error = #expect(throws: ConfigurationError.self) {
            try load("webhooks: [{name: a, url: 'http://x', secret: \(secret)}]")
        }
        expectEqual(error?.description.contains("hunter2"), false)
    }

    @Test func secretIsLoadedFromWhereItStands() {
        let environment = ["PAGER": " from-environment\n"]
        func load(_ source: SecretSource) -> String? {
            source.load(environment: environment) { $0 == "/run/pager" ? "from-file\n" : nil }?
                .revealed
        }
        expectEqual(load(.text(Secret("from-text"))), "from-text")
        expectEqual(load(.file("/run/pager")), "from-file")
        expectEqual(load(.environment("PAGER")), "from-environment")
        expectNil(load(.file("/run/other")))
        expectNil(load(.environment("OTHER")))
        expectNil(
            SecretSource.environment("BLANK").load(environment: ["BLANK": " \n"]) { _ in nil }
        )
    }
}
