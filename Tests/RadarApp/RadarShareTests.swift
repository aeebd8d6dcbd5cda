import Expectations
import HubTesting
import LoopTesting
import Radar

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
            expectEqual(last.status, 429)
            expectEqual(last.code, "RATE_LIMITED")
            // From 10:00 to midnight.
            expectEqual(last.headers.first("Retry-After"), "\(14 * 3600)")
            try await expectEqual(routes.hub.spending()["one"]?.requests, 4)
            let id = try await routes.service.createRadar("another", by: "bob").id
            let other = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "bob")
            expectEqual(other.status, 200)
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
            expectEqual(ends.first, .done)
            expectEqual(ends.last, .overShare(until: midnight))
            try await expectEqual(routes.hub.spending()["one"]?.requests, 4)
        }
    }

    private let daily = SourcePolicy(
        concurrencyMax: 2,
        dailyTokensMax: 200_000,
        dailyRequestsMax: 2000,
        userSharePercent: 10
    )

    /// The user interprets, creates, polls, refreshes and deletes, and the hub restarts in between.
    @Test func userWhoDoesEverythingLeavesNineTenthsToOthers() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            hub.providers.set(.interpretation("one"), RadarProviders.interpretation("It is."))
            for process in 0..<6 {
                let service = try await hub.service(asking: "one", policy: daily)
                for number in 0..<10 {
                    let topic = "topic \(process) \(number)"
                    _ = await service.interpret("about \(topic)", for: "mallory")
                    let id = try await service.createRadar(topic, by: "mallory").id
                    _ = try await service.poll(id, isScheduled: true)
                    _ = try? await service.refresh(id)
                    try await service.delete(id)
                }
            }
            let spent = try await require(hub.spending()["one"])
            expect(spent.tokens <= 20_000)
            expect(spent.requests <= 200)
            expect(spent.tokens > 10_000, "the user has reached the limit")
            let service = try await hub.service(asking: "one", policy: daily)
            await expectEqual(
                service.interpret("last", for: "mallory").interpretation.source,
                "lexical"
            )
            let bob = try await service.createRadar("bob's", by: "bob").id
            try await service.refresh(bob)
            try await expectEqual(hub.row(bob).refreshCount, 1)
            try await expectEqual(hub.row(bob).radar().interpretation.source, "one")
        }
    }

    /// Killed with its requests under way, again and again.
    @Test func reservationsOfAKilledProcessCountForTheUser() async throws {
        try await RadarHub.run { hub in
            let reservation = ModelSource(
                name: "one",
                model: AnthropicModel("m", key: ProviderKey("k"))
            ).tokensMax
            let requestsMax = 20_000 / reservation
            let release = hub.providers.hold("one")
            var requests = 0
            var polls: [RadarPolls.PollTask] = []
            for process in 0..<6 {
                let service = try await hub.service(asking: "one", policy: daily)
                for number in 0..<2 {
                    let radar = try await service.createRadar("\(process) \(number)", by: "mallory")
                    polls.append(try require(service.refreshTask(radar.id)))
                }
                let next = min(2, requestsMax - requests)
                if next > 0 { _ = await hub.providers.questions.next(next) }
                requests += next
            }
            expectEqual(requests, requestsMax, "fewer than the processes could send")
            let spent = try await require(hub.spending()["one"])
            expectEqual(spent.requests, requestsMax)
            expectEqual(spent.tokens, requestsMax * reservation)
            release()
            for poll in polls { _ = await poll.value }
        }
    }

    @Test func userSeesWhatIsLeft() async throws {
        try await RadarRoutesFixture.run(asking: ["one"], policy: policy) { routes in
            routes.hub.providers.set(.stance("one"), RadarProviders.stance())
            let reset = #""resetsAt":"2026-03-03T00:00:00Z""#
            func body(_ taken: Int, _ left: Int) -> String {
                #"{\#(reset),"sources":[{"source":"one","questionsLeft":\#(left),"#
                    + #""requests":{"share":4,"taken":\#(taken),"left":\#(left)},"tokens":null}]}"#
            }
            let fresh = try await routes.send("GET", "/api/radars/budget", by: "ann")
            expectEqual(fresh.status, 200)
            expectEqual(fresh.body, body(0, 4))
            let id = try await routes.service.createRadar(by: "ann").id
            _ = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "ann")
            // The stance and the interpretation.
            let later = try await routes.send("GET", "/api/radars/budget", by: "ann")
            expectEqual(later.body, body(2, 2))
            let other = try await routes.send("GET", "/api/radars/budget", by: "bob")
            expectEqual(other.body, body(0, 4))
            try await expectEqual(routes.send("GET", "/api/radars/budget").status, 401)
        }
    }

    @Test func sourcesThatAskNobodyHaveNoBudget() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([SampleSource()])
            expectEqual(
                String(decoding: service.budgetJSON(of: "ann"), as: UTF8.self),
                #"{"resetsAt":"2026-03-03T00:00:00Z","sources":[]}"#
            )
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
                    expectEqual(answer.code, "RATE_LIMITED")
                    expect(answer.headers.first("Retry-After") != nil)
                }
            }
            // The minute may end between two of them.
            expectEqual(statuses.prefix(2), [201, 201])
            expect(statuses.contains(429))
            let other = try await routes.send("POST", "/api/radars", by: "bob", body: body)
            expectEqual(other.status, 201)
        }
    }
}
