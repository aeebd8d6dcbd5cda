import Aurora
import ConfigurationTesting
import DomainKit
import Expectations
import HubTesting

@testable import AuroraApp

extension AuroraRoutesTests {
    // MARK: Keys and tiers

    private func standing(_ response: ServerResponse) -> [String] {
        ["Limit", "Remaining", "Reset"].map {
            response.head.headers.first("X-RateLimit-\($0)") ?? ""
        }
    }

    @Test func standingIsInEveryAnswerToAKnownKey() async throws {
        try await withHub { hub throws in
            // Noon, in milliseconds.
            let reset = "1766318400000"
            expectEqual(standing(try hub.get("now")), ["10000", "9999", reset])
            for (count, target) in [
                "tonight", "oval?explain=1", "now?place=nowhere", "forecast?days=9",
            ].enumerated() {
                expectEqual(standing(try hub.get(target)), ["10000", "\(9998 - count)", reset])
            }
            for given in [[:], ["X-API-Key": "wrong"]] as [HTTPHeaders] {
                expectEqual(standing(try hub.get("now", given)), ["", "", ""], "whose would it be")
            }
        }
    }

    @Test func oneRequestTooManyIsToldWhenItMayComeAgain() async throws {
        try await withHub { hub throws in
            let few: HTTPHeaders = ["X-API-Key": "few"]
            for remaining in ["2", "1", "0"] {
                expectEqual(standing(try hub.get("now", few)), ["3", remaining, "1766318400000"])
            }
            let refused = try hub.get("now", few)
            expectEqual(refused.head.status, 429)
            try expectEqual(keys(refused), ["error", "message", "limit", "reset"])
            try expectEqual(text(refused, "error"), "\"Too Many Requests\"")
            try expectEqual(text(refused, "limit"), "3")
            try expectEqual(text(refused, "reset"), "\"2025-12-21T12:00:00.000Z\"")
            expectEqual(refused.head.headers.all("Retry-After"), ["2400"])
            expectEqual(standing(refused), ["3", "0", "1766318400000"])
            // Others of the tier and of other tiers go on.
            try expectEqual(hub.get("now", ["X-API-Key": "other"]).head.status, 200)
            try expectEqual(hub.get("now").head.status, 200)
            hub.wall.withLock { $0 = $0 + .seconds(2399) }
            try expectEqual(hub.get("now", few).head.headers.first("Retry-After"), "1")
            hub.wall.withLock { $0 = $0 + .seconds(1) }
            expectEqual(standing(try hub.get("now", few)), ["3", "2", "1766322000000"])
        }
    }

    @Test func inDevelopmentAMissingKeyIsCountedByItself() async throws {
        try await withHub(tiers: [2, 3], allowsMissing: true) { hub throws in
            try expectEqual(hub.get("now", [:]).head.status, 200)
            try expectEqual(hub.get("now", [:]).head.status, 200)
            try expectEqual(hub.get("now", [:]).head.status, 429)
            try expectEqual(hub.get("now").head.status, 200)
        }
    }

    @Test func tiersAreThoseOfTheConfiguration() throws {
        let loaded = try load(
            """
            aurora:
              user_agent: tests/1 a@b.example
              api_keys: [plain, {key: rich, tier: partner}, {key: poor}]
              tiers: [{name: free, requests_per_hour: 5}, {name: partner, requests_per_hour: 7}]
            """,
            domains: [AuroraDomain.configuration]
        )
        let settings = try require(loaded.configuration[AuroraSection.self])
        let keys = AuroraKeys(settings, development: false)
        for (key, limit) in [("plain", 5), ("rich", 7), ("poor", 5)] {
            guard case .known(let standing) = keys.admit(.key(key)) else {
                Issue.record("\(key) is not known")
                continue
            }
            expectEqual(standing.limit, limit)
            expectEqual(standing.remaining, limit - 1)
        }
        expectEqual(keys.admit(.key("partner")), .unknown)
        expectEqual(keys.admit(.malformed(reason: "")), .unknown)
        expectEqual(keys.admit(.none), .missing)
    }

    @Test func tierThatIsNotThereIsRefused() {
        let error = #expect(throws: ConfigurationError.self) {
            try load(
                "aurora: {user_agent: a@b.example, api_keys: [one, {key: two, tier: gold}]}",
                domains: [AuroraDomain.configuration]
            )
        }
        expectEqual(
            error?.description.contains(
                "aurora.api_keys[1].tier: found \"gold\", expected one of tiers: standard"
            ),
            true
        )
    }
}
