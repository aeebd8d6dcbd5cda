import ConfigurationTesting
import DomainKit
import Expectations
import Foundation

@testable import RadarApp

@Suite("Configuration: radar and its sources", .timeLimit(.minutes(10)))
struct RadarSectionTests {
    private static let domains = [RadarDomain.configuration]

    /// Every key, each with a value that is not its default.
    private static let everyKey = """
        radar:
          interval: 2h
          watched_interval: 1h
          cache_age: 30m
          refresh_interval: 10s
          refreshes_per_minute: 3
          answer_within: 2s
          radars_per_user: 4
          polls_at_once: 5
          creations_per_minute: 6
          pushes_per_minute: 7
          user_share_percent: 25
          default_visibility: public
          socket_token_lifetime: 10m
          sources:
            - name: polls
              kind: json
              url: https://polls.example.org/v1/topics/{topic}/voices
              model: panel
              vendor: institute
              key: polls-key
              daily_tokens: 6
              daily_requests: 7
              concurrency: 8
              trust: 0.5
              timeout: 9s
              mapping:
                items: data.voices
                id: number
                stance: vote
                confidence: certainty
                content: text
                author: by.name
                model: by.panel
                reasoning: why
                for: ["yes", agree]
                against: ["no"]
                neutral: ["0", abstains]
        """

    private func load(
        _ yaml: String,
        environment: [String: String] = [:]
    ) throws -> LoadedConfiguration {
        try ConfigurationTesting.load(yaml, domains: Self.domains, environment: environment)
    }

    private func radar(
        _ yaml: String,
        environment: [String: String] = [:]
    ) throws -> RadarSection {
        try require(load(yaml, environment: environment).configuration[RadarSection.self])
    }

    private func source(
        _ keys: String,
        environment: [String: String] = [:]
    ) throws -> RadarSection.Source {
        let yaml = "radar: {sources: [{name: a, \(keys)}]}"
        return try require(radar(yaml, environment: environment).sources.first)
    }

    /// What is wrong with a source of these keys, without its place.
    private func problems(_ keys: String, environment: [String: String] = [:]) -> [String] {
        do {
            _ = try source(keys, environment: environment)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { String($0.message.trimmingPrefix("radar.sources[0].")) }
        } catch {
            return ["\(error)"]
        }
    }

    // MARK: The domain

    @Test func radarIsOffUntilItsSectionIsThere() throws {
        try expectNil(load("development: true").configuration[RadarSection.self])
        try expectEqual(radar("radar: {}"), RadarSection())
        try expect(radar("radar: {}").sources.isEmpty)
    }

    @Test func everyKeyIsRead() throws {
        let radar = try radar(Self.everyKey)
        expectEqual(radar.interval, .seconds(7200))
        expectEqual(radar.watchedInterval, .seconds(3600))
        expectEqual(radar.cacheAge, .seconds(1800))
        expectEqual(radar.refreshInterval, .seconds(10))
        expectEqual(radar.answerWithin, .seconds(2))
        expectEqual(radar.refreshesPerMinute, 3)
        expectEqual(radar.radarsPerUser, 4)
        expectEqual(radar.pollsAtOnce, 5)
        expectEqual(radar.creationsPerMinute, 6)
        expectEqual(radar.pushesPerMinute, 7)
        expectEqual(radar.userSharePercent, 25)
        expectEqual(radar.defaultVisibility, .public)
        expectEqual(radar.socketTokenLifetime, .seconds(600))
        let source = try require(radar.sources.first)
        expectEqual(source.name, "polls")
        expectEqual(source.kind, .json)
        expectEqual(source.url, "https://polls.example.org/v1/topics/{topic}/voices")
        expectEqual(source.model, "panel")
        expectEqual(source.vendor, "institute")
        expectEqual(source.key, Secret("polls-key"))
        expectEqual(source.dailyTokens, 6)
        expectEqual(source.dailyRequests, 7)
        expectEqual(source.concurrency, 8)
        expectEqual(source.trust, 0.5)
        expectEqual(source.timeout, .seconds(9))
        let mapping = try require(source.mapping)
        expectEqual(mapping.items, "data.voices")
        expectEqual(mapping.id, "number")
        expectEqual(mapping.stance, "vote")
        expectEqual(mapping.confidence, "certainty")
        expectEqual(mapping.content, "text")
        expectEqual(mapping.author, "by.name")
        expectEqual(mapping.model, "by.panel")
        expectEqual(mapping.reasoning, "why")
        expectEqual(mapping.forWords, ["yes", "agree"])
        expectEqual(mapping.againstWords, ["no"])
        expectEqual(mapping.neutralWords, ["0", "abstains"])
    }

    @Test(arguments: [("interval: 1h", 3600), ("interval: 12h", 6 * 3600), ("", 6 * 3600)])
    func watchedRadarIsNotPolledLessOftenThanOthers(keys: String, seconds: Int) throws {
        try expectEqual(radar("radar: {\(keys)}").effectiveWatchedInterval, .seconds(seconds))
    }

    @Test(arguments: ["", "radar: {}\n"])
    func namespaceOfTheAppIsReserved(section: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try load(section + "namespaces: [{name: chat}, {name: radar-app}]")
        }
        let message =
            "namespaces[1].name: found radar-app, expected another: the hub has it for itself"
        expectEqual(error?.problems.map(\.message), [message])
    }

    // MARK: Sources

    @Test(arguments: [
        ("kind: anthropic, model: m, key: k", "https://api.anthropic.com", "anthropic"),
        ("kind: openai, model: m, key: k", "https://api.openai.com/v1", "openai"),
        (
            "kind: openai, model: m, key: k, url: 'https://x.example/v2', vendor: mistral",
            "https://x.example/v2", "mistral"
        ),
        (
            "kind: json, url: 'http://x/{topic}', mapping: {stance: a, content: b}",
            "http://x/{topic}", "a"
        ),
        ("kind: sample", nil, "a"),
    ])
    func sourceKnowsWhereToAskAndWhose(keys: String, url: String?, vendor: String) throws {
        let source = try source(keys)
        expectEqual(source.effectiveURL, url)
        expectEqual(source.effectiveVendor, vendor)
    }

    @Test func sampleSourcesAreNamed() throws {
        let radar = try radar(
            "radar: {sources: [{name: a, kind: sample}, {name: b, kind: openai, model: m, key: k}]}"
        )
        expectEqual(radar.sampleSources, ["a"])
    }

    @Test func sourcesAreToldApartByTheirNames() {
        let error = #expect(throws: ConfigurationError.self) {
            try load("radar: {sources: [{name: a, kind: sample}, {name: a, kind: sample}]}")
        }
        let message = "radar.sources[1].name: found \"a\" a second time, expected one of each"
        expectEqual(error?.problems.map(\.message), [message])
    }

    @Test(arguments: [
        ("url: 'http://x'", ["kind: found nothing, the key is required"]),
        (
            "kind: oracle",
            [
                "kind: found oracle, expected choice, anthropic, openai, json, sample,"
                    + " such as anthropic"
            ]
        ),
        (
            "kind: anthropic, key: k",
            ["model: found nothing, expected a model: kind anthropic needs one"]
        ),
        (
            "kind: openai, key: k, model: m, mapping: {stance: a, content: b}",
            ["mapping: found a mapping, expected none: kind openai needs none"]
        ),
        (
            "kind: json",
            [
                "url: found nothing, expected a URL with {topic} in it: kind json needs one",
                "mapping: found nothing, expected a mapping: kind json needs one",
            ]
        ),
        (
            "kind: json, url: 'http://x/?q=topic', mapping: {stance: a, content: b}",
            ["url: found a URL without {topic}, expected it where the topic belongs"]
        ),
        (
            "kind: json, url: 'http://x/{topic}', mapping: {stance: a}",
            ["mapping.content: found nothing, the key is required"]
        ),
        (
            "kind: json, url: 'http://x/{topic}',"
                + " mapping: {stance: a, content: b, for: ['1'], neutral: [x, '1']}",
            ["mapping.neutral: found \"1\" in for, too, expected one stance of it"]
        ),
        (
            "kind: json, url: 'http://x/{topic}', mapping: {stance: a, content: b, for: [Against]}",
            ["mapping.against: found \"against\" in for, too, expected one stance of it"]
        ),
        (
            "kind: sample, url: 'http://x', key_env: A",
            [
                "url: found one, expected none: kind sample sends no requests",
                "key_env: found one, expected none: kind sample sends no requests",
            ]
        ),
        (
            "kind: openai, model: m, key_file: f, key_env: A",
            ["key_env: found key_file and key_env, expected only one of them"]
        ),
    ])
    func sourceThatContradictsItselfIsRefused(keys: String, messages: [String]) {
        expectEqual(problems(keys), messages)
    }

    // MARK: Keys

    @Test(arguments: [
        (
            "kind: anthropic, model: m",
            "key, key_file, key_env or the environment variable VARDE_ANTHROPIC_API_KEY"
        ),
        (
            "kind: anthropic, model: m, url: 'http://127.0.0.1:9'",
            "key, key_file, key_env or the environment variable VARDE_ANTHROPIC_API_KEY"
        ),
        (
            "kind: openai, model: m",
            "key, key_file, key_env or the environment variable VARDE_OPENAI_API_KEY"
        ),
        ("kind: openai, model: m, url: 'https://x.example/v1'", "key, key_file, key_env"),
    ])
    func missingKeyIsToldWithAllWaysToGiveOne(keys: String, ways: String) {
        let kind = keys.split(separator: " ")[1].dropLast()
        expectEqual(
            problems(keys),
            ["key: found nothing, expected \(ways): kind \(kind) needs one"]
        )
    }

    @Test(arguments: [
        "kind: openai, model: m, url: 'http://127.0.0.1:11434/v1'",
        "kind: openai, model: m, url: 'http://[::1]:11434/v1'",
        "kind: openai, model: m, url: 'http://LOCALHOST/v1'",
        "kind: json, url: 'https://x.example/{topic}', mapping: {stance: a, content: b}",
        "kind: sample",
    ])
    func keyIsNotNeededEverywhere(keys: String) throws {
        try expectNil(source(keys).keySource)
    }

    @Test(arguments: [
        ("kind: anthropic, model: m", "from-anthropic"),
        ("kind: anthropic, model: m, url: 'https://api.anthropic.com/'", "from-anthropic"),
        ("kind: anthropic, model: m, url: 'http://localhost:9'", "from-anthropic"),
        ("kind: openai, model: m", "from-openai"),
        ("kind: openai, model: m, key: own", "own"),
    ])
    func keyOfTheEnvironmentIsForSourcesWithoutOne(keys: String, key: String) throws {
        let environment = [
            "VARDE_ANTHROPIC_API_KEY": "from-anthropic", "VARDE_OPENAI_API_KEY": "from-openai",
        ]
        try expectEqual(source(keys, environment: environment).keySource, .text(Secret(key)))
    }

    @Test func keyOfTheEnvironmentIsNotForOtherHosts() {
        let environment = ["VARDE_OPENAI_API_KEY": "from-openai"]
        let keys = "kind: openai, model: m, url: 'https://x.example/v1'"
        expectEqual(problems(keys, environment: environment).count, 1)
        expect(problems(keys + ", key_env: A", environment: environment).isEmpty)
    }

    @Test func keyOfTheEnvironmentIsListedMaskedAndWithItsOrigin() throws {
        let loaded = try load(
            "radar: {sources: [{name: a, kind: anthropic, model: m}]}",
            environment: ["VARDE_ANTHROPIC_API_KEY": "very-secret"]
        )
        let lines = loaded.describe().split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        expect(lines.contains("key: \"********\" # environment VARDE_ANTHROPIC_API_KEY"))
        expect(lines.contains("model: m # varde.yaml:1:53"))
        expect(!loaded.describe().contains("very-secret"))
    }

    @Test func keyThatIsNoneIsNotRepeated() {
        let environment = ["VARDE_OPENAI_API_KEY": "hunter2\u{7F}"]
        let error = #expect(throws: ConfigurationError.self) {
            try load(
                "radar: {sources: [{name: a, kind: openai, model: m}]}",
                environment: environment
            )
        }
        let start =
            "environment VARDE_OPENAI_API_KEY: radar.sources[0].key: found a text that is none"
        expectEqual(error?.description.hasPrefix(start), true)
        expectEqual(error?.description.contains("hunter2"), false)
    }

    @Test func queryOfASourceIsNotListed() throws {
        let loaded = try load(
            "radar: {sources: [{name: a, kind: json, url: 'http://x/y?key=hunter2&q={topic}',"
                + " mapping: {stance: a, content: b}}]}"
        )
        expect(loaded.describe().contains("http://x/y?…"))
        expect(!loaded.describe().contains("hunter2"))
    }

    // MARK: Listing

    @Test func everyKeyOfTheSectionIsInThatExample() throws {
        let loaded = try load(Self.everyKey)
        for key in RadarSection.schema(under: "radar.") {
            // A source has one of three keys for its key, and this one is of another kind.
            if key.path.hasPrefix("radar.sources[].key_") { continue }
            if key.path == "radar.sources[].sample_period" { continue }
            let path = key.path.replacing("[]", with: "[0]")
            expect(loaded.origin(of: path) != .defaultValue, "\(path)")
        }
    }

    @Test func listingReadsBackAsTheSameSection() throws {
        let loaded = try load(Self.everyKey)
        var expected = try require(loaded.configuration[RadarSection.self])
        // What the listing masks.
        expected.sources[0].key = Secret(Secret.mask)
        try expectEqual(load(loaded.describe()).configuration[RadarSection.self], expected)
    }

    @Test func secretIsNotShown() throws {
        let loaded = try load(Self.everyKey)
        var shown = loaded.describe()
        dump(loaded.configuration, to: &shown)
        expect(!shown.contains("polls-key"))
    }

    @Test(arguments: [
        "radar: {sources: [{name: a, kind: openai, key: [hunter2]}]}",
        "radar: {sources: [{name: a, kind: json, url: 'http://hunter2@x/?q={topic}'}]}",
    ])
    func refusedSecretIsNotRepeated(yaml: String) {
        let error = #expect(throws: ConfigurationError.self) { try load(yaml) }
        expectEqual(error?.description.contains("hunter2"), false)
    }

    @Test func keyInTheFileIsFoundAndNotShown() throws {
        let open = "listen: ['0.0.0.0:8000']\ntokens: {required: true}\n"
        let sources = "{name: a, kind: openai, model: m, key: b}, {name: c, kind: sample}"
        let found = try load(open + "radar: {sources: [\(sources)]}").exposures()
        expectEqual(found.map(\.path), ["tls", "admin.listen", "radar.sources[0].key"])
        expectEqual(
            found.last?.message,
            "a secret in clear in the file; use key_file or key_env instead"
        )
        let hidden = try load(
            open + "radar: {sources: [{name: a, kind: openai, model: m}]}",
            environment: ["VARDE_OPENAI_API_KEY": "b"]
        )
        expectEqual(hidden.exposures().map(\.path), ["tls", "admin.listen"])
    }

    @Test func everyBeginningOfTheSectionIsReadOrRefused() {
        // Nothing but the documented outcomes: no trap, and each problem has a place.
        for length in 0...Self.everyKey.utf8.count {
            let yaml = String(decoding: Self.everyKey.utf8.prefix(length), as: UTF8.self)
            for message in ConfigurationTesting.problems(yaml, domains: Self.domains) {
                expect(message.hasPrefix("varde.yaml:"))
            }
        }
    }
}
