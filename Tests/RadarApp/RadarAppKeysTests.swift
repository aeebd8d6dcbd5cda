import ConfigurationTesting
import DomainKit
import Expectations

@testable import RadarApp

@Suite("Configuration: what the radar app meets", .timeLimit(.minutes(10)))
struct RadarAppKeysTests {
    private func radar(_ keys: String) throws -> RadarSection {
        let loaded = try ConfigurationTesting.load(
            "radar: {\(keys)}",
            domains: [RadarDomain.configuration],
            environment: [:]
        )
        return try require(loaded.configuration[RadarSection.self])
    }

    @Test func radarsArePrivateByDefault() throws {
        try expectEqual(radar("").defaultVisibility, .private)
        try expectEqual(radar("default_visibility: private").defaultVisibility, .private)
        try expectEqual(radar("default_visibility: public").defaultVisibility, .public)
        #expect(throws: ConfigurationError.self) { try radar("default_visibility: open") }
    }

    @Test func lifetimeOfSocketTokensIsBounded() throws {
        try expectEqual(radar("").socketTokenLifetime, .seconds(3600))
        for (value, isGood) in [("59s", false), ("60s", true), ("24h", true), ("86401s", false)] {
            let section = try? radar("socket_token_lifetime: \(value)")
            expectEqual((section != nil), isGood, "\(value)")
        }
    }

    @Test func periodIsOnlyForSampleSources() throws {
        let sample = try radar("sources: [{name: a, kind: sample, sample_period: 30m}]")
        expectEqual(sample.sources.first?.samplePeriod, .seconds(1800))
        for source in [
            "kind: openai, model: m, key: k, sample_period: 1h",
            "kind: json, url: 'http://x/{topic}', mapping: {stance: a, content: b}, sample_period: 1h",
            "kind: sample, sample_period: 25h", "kind: sample, sample_period: 0s",
        ] {
            #expect(throws: ConfigurationError.self, "\(source)") {
                try radar("sources: [{name: a, \(source)}]")
            }
        }
    }
}
