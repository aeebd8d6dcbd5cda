import Aurora
import ConfigurationTesting
import DomainKit
import HubTesting
import Testing

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
            #expect(standing(try hub.get("now")) == ["10000", "9999", reset])
            for (count, target) in [
                "tonight", "oval?explain=1", "now?place=nowhere", "forecast?days=9",
            ].enumerated() {
                #expect(standing(try hub.get(target)) == ["10000", "\(9998 - count)", reset])
            }
            for given in [[:], ["X-API-Key": "wrong"]] as [HTTPHeaders] {
                #expect(standing(try hub.get("now", given)) == ["", "", ""], "whose would it be")
            }
        }
    }

    @Test func oneRequestTooManyIsToldWhenItMayComeAgain() async throws {
        try await withHub { hub throws in
            let few: HTTPHeaders = ["X-API-Key": "few"]
            for remaining in ["2", "1", "0"] {
                #expect(standing(try hub.get("now", few)) == ["3", remaining, "1766318400000"])
            }
            let refused = try hub.get("now", few)
            #expect(refused.head.status == 429)
            #expect(try keys(refused) == ["error", "message", "limit", "reset"])
            #expect(try text(refused, "error") == "\"Too Many Requests\"")
            #expect(try text(refused, "limit") == "3")
            #expect(try text(refused, "reset") == "\"2025-12-21T12:00:00.000Z\"")
            #expect(refused.head.headers.all("Retry-After") == ["2400"])
            #expect(standing(refused) == ["3", "0", "1766318400000"])
            // Others of the tier and of other tiers go on.
            #expect(try hub.get("now", ["X-API-Key": "other"]).head.status == 200)
            #expect(try hub.get("now").head.status == 200)
            hub.wall.withLock { $0 = $0 + .seconds(2399) }
            #expect(try hub.get("now", few).head.headers.first("Retry-After") == "1")
            hub.wall.withLock { $0 = $0 + .seconds(1) }
            #expect(standing(try hub.get("now", few)) == ["3", "2", "1766322000000"])
        }
    }

    @Test func inDevelopmentAMissingKeyIsCountedByItself() async throws {
        try await withHub(tiers: [2, 3], allowsMissing: true) { hub throws in
            #expect(try hub.get("now", [:]).head.status == 200)
            #expect(try hub.get("now", [:]).head.status == 200)
            #expect(try hub.get("now", [:]).head.status == 429)
            #expect(try hub.get("now").head.status == 200)
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
        let settings = try #require(loaded.configuration[AuroraSection.self])
        let keys = AuroraKeys(settings, development: false)
        for (key, limit) in [("plain", 5), ("rich", 7), ("poor", 5)] {
            guard case .known(let standing) = keys.admit(.key(key)) else {
                Issue.record("\(key) is not known")
                continue
            }
            #expect(standing.limit == limit)
            #expect(standing.remaining == limit - 1)
        }
        #expect(keys.admit(.key("partner")) == .unknown)
        #expect(keys.admit(.malformed(reason: "")) == .unknown)
        #expect(keys.admit(.none) == .missing)
    }

    @Test func tierThatIsNotThereIsRefused() {
        let error = #expect(throws: ConfigurationError.self) {
            try load(
                "aurora: {user_agent: a@b.example, api_keys: [one, {key: two, tier: gold}]}",
                domains: [AuroraDomain.configuration]
            )
        }
        #expect(
            error?.description.contains(
                "aurora.api_keys[1].tier: found \"gold\", expected one of tiers: standard"
            ) == true
        )
    }
}
