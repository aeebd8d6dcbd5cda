import HubTesting
import Providers
import Radar
import ShardTesting
import Testing
import Timekeeping

@testable import RadarApp

@Suite("Radar routes: shares of users", .timeLimit(.minutes(10)))
struct RadarShareTests {
    private let policy = SourcePolicy(
        concurrencyMax: 2,
        dailyRequestsMax: 40,
        userSharePercent: 10
    )

    @Test func whoHasUsedUpTheShareIsToldAndOthersGoOn() async throws {
        try await RadarRoutesFixture.run(asking: ["one"], policy: policy) { routes in
            routes.hub.providers.set(.stance("one"), RadarProviders.stance())
            var last = try await routes.send("GET", "/api/radars", by: "ann")
            for number in 0..<5 {
                let id = try await routes.service.createRadar("topic \(number)", by: "ann").id
                last = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "ann")
                if last.status != 200 { break }
            }
            #expect(last.status == 429)
            #expect(last.code == "RATE_LIMITED")
            // From 10:00 to midnight.
            #expect(last.headers.first("Retry-After") == "\(14 * 3600)")
            #expect(try await routes.hub.spending()["one"]?.requests == 4)
            let id = try await routes.service.createRadar("another", by: "bob").id
            let other = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "bob")
            #expect(other.status == 200)
        }
    }

    @Test func scheduledPollsOfAUserWithoutShareWaitForTheNextDay() async throws {
        try await RadarRoutesFixture.run(asking: ["one"], policy: policy) { routes in
            routes.hub.providers.set(.stance("one"), RadarProviders.stance())
            var ids: [String] = []
            for number in 0..<8 {
                ids.append(try await routes.service.createRadar("topic \(number)", by: "ann").id)
            }
            var ends: [RadarService.PollEnd] = []
            for id in ids { ends.append(try await routes.service.poll(id, isScheduled: true)) }
            let midnight = Timestamp(iso8601: "2026-03-03T00:00:00Z")!
            #expect(ends.first == .done)
            #expect(ends.last == .overShare(until: midnight))
            #expect(try await routes.hub.spending()["one"]?.requests == 4)
        }
    }

    @Test func creatingRadarsHasARatePerUser() async throws {
        try await RadarRoutesFixture.run({ $0.creationsPerMinute = 2 }) { routes in
            let body = #"{"topic":"tea"}"#
            var statuses: [Int] = []
            for _ in 0..<5 {
                let answer = try await routes.send("POST", "/api/radars", by: "ann", body: body)
                statuses.append(answer.status)
                if answer.status == 429 {
                    #expect(answer.code == "RATE_LIMITED")
                    #expect(answer.headers.first("Retry-After") != nil)
                }
            }
            // The minute may end between two of them.
            #expect(statuses.prefix(2) == [201, 201])
            #expect(statuses.contains(429))
            let other = try await routes.send("POST", "/api/radars", by: "bob", body: body)
            #expect(other.status == 201)
        }
    }
}
