import Aurora
import ConfigurationTesting
import DomainKit
import Expectations

@testable import AuroraApp

@Suite("Configuration: aurora", .timeLimit(.minutes(10)))
struct AuroraSectionTests {
    private static let domains = [AuroraDomain.configuration]

    /// Every key, each with a value that is not its default.
    private static let everyKey = """
        aurora:
          places:
            - {id: alta, name: Alta, latitude: 69.9689, longitude: 23.2716, altitude: -1.5, time_zone: EET}
          swpc_url: http://127.0.0.1:9000
          metno_url: http://127.0.0.1:9001
          user_agent: myapp/1.0 ops@example.org
          intervals:
            solar_wind: 11s
            solar_wind_day: 12s
            kp_minutes: 13s
            kp: 14s
            kp_forecast: 15s
            ovation: 16s
            weather: 17s
            scales: 18s
            bulletins: 19s
            outlook: 20s
          api_keys: [key-1, {key: key-2, tier: partner}]
          tiers: [{name: partner, requests_per_hour: 100}]
          levels: {low: 5, moderate: 20, good: 45.5, excellent: 80, margin: 2}
        """

    private func load(_ yaml: String) throws -> LoadedConfiguration {
        try ConfigurationTesting.load(yaml, domains: Self.domains)
    }

    private func problems(_ yaml: String) -> [String] {
        ConfigurationTesting.problems(yaml, domains: Self.domains)
    }

    // MARK: Values

    @Test func auroraIsOffUntilItsSectionIsThere() throws {
        try expectNil(load("").configuration[AuroraSection.self])
        let yaml = "aurora: {user_agent: ops@example.org}\n"
        try expectEqual(load(yaml).configuration[AuroraSection.self]?.places, [.tromso])
    }

    @Test func everyKeyIsRead() throws {
        let aurora = try require(load(Self.everyKey).configuration[AuroraSection.self])
        expectEqual(aurora.places.map(\.id), ["alta"])
        expectEqual(aurora.places[0].name, "Alta")
        expectEqual(aurora.places[0].latitude, 69.9689)
        expectEqual(aurora.places[0].longitude, 23.2716)
        expectEqual(aurora.places[0].altitude, -1.5)
        expectEqual(aurora.swpcURL, "http://127.0.0.1:9000")
        expectEqual(aurora.metnoURL, "http://127.0.0.1:9001")
        expectEqual(aurora.userAgent, "myapp/1.0 ops@example.org")
        expectEqual(aurora.places[0].timeZone, .easternEuropean)
        expectEqual(aurora.apiKeys.map(\.key), [Secret("key-1"), Secret("key-2")])
        expectEqual(aurora.apiKeys.map(\.tier), [nil, "partner"])
        expectEqual(aurora.tiers.map(\.name), ["partner"])
        expectEqual(aurora.tiers.map(\.requestsPerHour), [100])
        let intervals = aurora.intervals
        let all = [
            intervals.solarWind, intervals.solarWindDay, intervals.kpMinutes, intervals.kp,
            intervals.kpForecast, intervals.ovation, intervals.weather, intervals.scales,
            intervals.bulletins, intervals.outlook,
        ]
        let levels = LevelBounds(low: 5, moderate: 20, good: 45.5, excellent: 80, leaveMargin: 2)
        expectEqual(aurora.levels.bounds, levels)
        expectEqual(all, (11...20).map { Duration.seconds($0) })
    }

    @Test func everyKeyOfTheSectionIsInThatExample() throws {
        let loaded = try load(Self.everyKey)
        for key in AuroraSection.schema(under: "aurora.") {
            let path = key.path.replacing("[]", with: "[0]")
            expect(loaded.origin(of: path) != .defaultValue, "\(path)")
        }
    }

    // MARK: Rules

    @Test func listOfRulesReplacesTheShippedRule() throws {
        try expectEqual(load("").configuration.alerts, [.auroraExcellent])
        try expect(load("alerts: []\n").configuration.alerts.isEmpty)
    }

    @Test func shippedRuleIsTheOneOfTheApp() {
        let rule = AlertRule.auroraExcellent
        expectEqual(rule.name, "aurora-excellent")
        expectEqual(rule.when.description, #"score >= 70 and level == "excellent""#)
        expectEqual(rule.until?.description, "score < 65")
        expectEqual(rule.hold, .seconds(300))
        expectEqual(rule.keep, .seconds(900))
        expectEqual(rule.cooldown, .seconds(1800))
        expect(rule.isEnabled)
        expect(rule.applies(to: Topic(trusted: "aurora:tromso")))
    }

    @Test func shippedRuleIsListed() throws {
        let loaded = try load("")
        let lines = loaded.describe().split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        expect(lines.contains("- name: aurora-excellent # default"))
        try expectEqual(load(loaded.describe()).configuration, loaded.configuration)
    }

    // MARK: Listing and secrets

    @Test func listingReadsBackAsTheSameSection() throws {
        let loaded = try load(Self.everyKey)
        var expected = try require(loaded.configuration[AuroraSection.self])
        // What the listing masks.
        expected.apiKeys = ["one", "two"].map { _ in AuroraSection.Key(Secret(Secret.mask)) }
        expected.apiKeys[1].tier = "partner"
        try expectEqual(load(loaded.describe()).configuration[AuroraSection.self], expected)
    }

    @Test func secretIsNotShown() throws {
        let loaded = try load(Self.everyKey)
        var shown = loaded.describe()
        dump(loaded.configuration[AuroraSection.self], to: &shown)
        dump(loaded.configuration, to: &shown)
        for secret in ["key-1", "key-2"] { expect(!shown.contains(secret)) }
    }

    @Test(arguments: [
        "aurora: {metno_url: 'http://x', api_keys: [[hunter2]]}",
        "aurora: {metno_url: 'http://x', api_keys: [{hunter2: partner}]}",
        "aurora: {metno_url: 'http://x', api_keys: [{key: [hunter2], tier: partner}]}",
    ])
    func refusedSecretIsNotRepeated(yaml: String) {
        let found = problems(yaml)
        expect(!found.isEmpty)
        expect(!found.contains { $0.contains("hunter2") })
    }

    // MARK: Problems

    @Test(arguments: [
        (
            "aurora: {swpc_url: 'ftp://x'}",
            #"1:20: aurora.swpc_url: found "ftp://x", expected URL, http or https, no user info,"#
                + " such as https://services.swpc.noaa.gov"
        ),
        (
            "aurora: {swpc_url: 'http://127.1'}",
            #"1:20: aurora.swpc_url: found "http://127.1", expected URL, http or https, no user"#
                + " info, such as https://services.swpc.noaa.gov"
        ),
        (
            "aurora: {user_agent: 'a@bc.d', places: [{id: a, name: A, latitude: 1}]}",
            "1:41: aurora.places[0].longitude: found nothing, the key is required"
        ),
        ("auorra: {}", #"1:1: unknown key "auorra", did you mean "aurora"?"#),
        (
            "user_agent: a@b.c",
            #"1:1: unknown key "user_agent", did you mean "aurora.user_agent"?"#
        ),
        (
            "aurora: {user_agnet: a@b.c}",
            #"1:10: aurora: unknown key "user_agnet", did you mean "user_agent"?"#
        ),
    ])
    func problemSaysWhatWasFoundAndExpected(yaml: String, message: String) {
        expectEqual(problems(yaml), ["varde.yaml:" + message])
    }

    @Test(arguments: [
        (
            "aurora: {user_agent: a@b.c, levels: {good: 25}}",
            "1:44: aurora.levels.good: found 25, expected more than the margin (3) above"
                + " moderate (25)"
        ),
        (
            "aurora: {user_agent: a@b.c, levels: {low: 40}}",
            "1:37: aurora.levels.moderate: found 25, expected more than the margin (3) above"
                + " low (40)"
        ),
        (
            "aurora: {user_agent: a@b.c, levels: {low: 3}}",
            "1:43: aurora.levels.low: found 3, expected more than the margin (3) above 0"
        ),
        (
            "aurora: {user_agent: a@b.c, levels: {excellent: 101}}",
            "1:49: aurora.levels.excellent: found 101, expected number, 0 to 100, such as 0"
        ),
        ("aurora: {}", "1:9: aurora.user_agent: found nothing, the key is required"),
        ("aurora: {user_agent: tourist}", #"1:22: aurora.user_agent: found "tourist""#),
    ])
    func contradictionIsLocatedAtTheKeyToBlame(yaml: String, start: String) {
        let found = problems(yaml)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("varde.yaml:" + start), true, "\(found)")
    }

    @Test func everyBeginningOfTheSectionIsReadOrRefused() {
        // Nothing but the documented outcomes: no trap, and each problem has a place.
        for length in 0...Self.everyKey.utf8.count {
            let yaml = String(decoding: Self.everyKey.utf8.prefix(length), as: UTF8.self)
            for message in problems(yaml) {
                expect(message.hasPrefix("varde.yaml:"))
            }
        }
    }
}
