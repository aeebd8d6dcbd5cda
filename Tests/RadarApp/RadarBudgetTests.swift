import Expectations
import HubTesting
import LoopTesting
import Radar
import Store

@testable import RadarApp

@Suite("Radar service: budget, failures and retries", .timeLimit(.minutes(10)))
struct RadarBudgetTests {
    private let reservation = ModelSource(
        name: "one",
        model: AnthropicModel("m", key: ProviderKey("k"))
    ).tokensMax
    private let cost = RadarProviders.usage.input + RadarProviders.usage.output

    /// The provider looks into the store while it is asked.
    @Test func requestIsPaidBeforeItIsSentAndSettledWithItsAnswer() async throws {
        try await RadarHub.run { hub in
            let seen = Locked<[SpendingRow]>([])
            hub.providers.set(.stance("one"), RadarProviders.stance())
            hub.providers.whenAsked { _ in
                let row = try? await hub.spending()["one"]
                seen.withLock { list in if let row { list.append(row) } }
            }
            let service = try await hub.service(asking: "one")
            try await service.refresh(try await service.createRadar().id)
            // The stance, then the interpretation.
            let reserved = seen.withLock { $0 }
            expectEqual(reserved.map(\.requests), [1, 2])
            expectEqual(reserved.map(\.tokens), [reservation, cost + reservation])
            try await expectEqual(hub.spending()["one"]?.tokens, 2 * cost)
            try await expectEqual(hub.spending()["one"]?.requests, 2)
        }
    }

    @Test func spendingOfAFormerProcessCounts() async throws {
        try await RadarHub.run { hub in
            let policy = SourcePolicy(dailyTokensMax: reservation + cost - 1)
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let first = try await hub.service(asking: "one", policy: policy)
            let id = try await first.createRadar("tea").id
            try await first.refresh(id)
            let count = hub.providers.asked.count
            let service = try await hub.service(asking: "one", policy: policy)
            let other = try await service.createRadar("coffee").id
            service.polls.withLock { $0.schedule.remove(id) }
            let midnight = Timestamp(iso8601: "2026-03-03T00:00:00Z")!
            await #expect(throws: RadarError.sourcesBusy(until: midnight)) {
                try await service.refresh(other)
            }
            expectEqual(hub.providers.asked.count, count)
            expectEqual(service.nextDue, midnight)
            try await expectEqual(hub.row(other).refreshCount, 0)
            expect(hub.events(other).isEmpty)
            // On the next day there is a budget again.
            let later = try await hub.service(
                asking: "one",
                after: .seconds(86_400),
                policy: policy
            )
            try await later.refresh(other)
            try await expectEqual(hub.opinions(other).count, 1)
        }
    }

    @Test func sourceThatCanAnswerMakesAPollOfTwo() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            hub.providers.set(.stance("two"), RadarProviders.error(529, "overloaded_error"))
            let service = try await hub.service(asking: "one", "two")
            let id = try await service.createRadar("tea").id
            try await service.refresh(id)
            let other = try await service.createRadar("coffee").id
            try await service.refresh(other)
            try await expectEqual(hub.opinions(other).map(\.source), ["one"])
            try await expectEqual(hub.row(other).refreshCount, 1)
            // An overload opens the breaker at once: one request, and none for the second radar.
            expectEqual(hub.providers.asked.filter { $0 == .stance("two") }.count, 1)
        }
    }

    @Test func refusedKeySwitchesTheSourceOff() async throws {
        try await RadarHub.run { hub in
            let (logger, lines) = StreamedLog.make()
            hub.providers.set(.stance("one"), RadarProviders.error(401, "authentication_error"))
            let service = try await hub.service(asking: "one", logger: logger)
            let id = try await service.createRadar().id
            try await service.refresh(id)
            try await service.refresh(id)
            expectEqual(hub.providers.asked, [.stance("one")])
            try await expectEqual(hub.row(id).refreshCount, 0)
            let spent = SpendingRow(source: "one", day: RadarHub.day, requests: 1, tokens: 0)
            try await expectEqual(hub.spending()["one"], spent)
            let line = await lines.first { $0.level == .error }
            expectEqual(line?.message, "source is switched off until the hub starts again")
            expectEqual(line?.metadata["domain"], "radar")
            expectEqual(line?.metadata["reason"]?.contains("401"), true)
            // A hub that starts anew asks again: somebody may have acted.
            hub.providers.set(.stance("one"), RadarProviders.stance())
            try await hub.service(asking: "one").refresh(id)
            try await expectEqual(hub.opinions(id).count, 1)
        }
    }

    @Test func requestThatFailsIsSentAgain() async throws {
        try await RadarHub.run { hub in
            let failure = RadarProviders.error(500, "api_error")
            hub.providers.set(.stance("one"), failure, RadarProviders.stance())
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 2)
            try await expectEqual(hub.opinions(id).count, 1)
            try await expectEqual(hub.spending()["one"]?.requests, 3)
            try await expectEqual(hub.spending()["one"]?.tokens, 2 * cost)
        }
    }

    @Test func requestThatIsWrongIsNotSentAgain() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.error(400, "invalid_request_error"))
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
            try await expect(hub.opinions(id).isEmpty)
            try await expect(hub.row(id).segments().noOpinions.isEmpty)
        }
    }

    @Test func interpretationFallsBackToTheNextSourceAndToTheWords() async throws {
        try await RadarHub.run { hub in
            let first = try await hub.service(asking: "one", "two")
            let none = await first.interpret("tea", for: "ann")
            expectEqual(none.interpretation, lexicalInterpretation(of: "tea"))
            expect(!none.isPending)
            try await expectEqual(hub.spending()["one"]?.tokens, cost)
            hub.providers.set(.interpretation("two"), RadarProviders.interpretation("A drink."))
            let service = try await hub.service(asking: "one", "two", after: .seconds(6 * 3600))
            let found = await service.interpret("tea", for: "ann").interpretation
            expectEqual(found.source, "two")
            expectEqual(found.text, "A drink.")
        }
    }

    /// Or a refusal would cost as much again with every refresh.
    @Test func sourceWithoutAnInterpretationIsNotAskedAgainAtOnce() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            for _ in 0..<3 { try await service.refresh(id) }
            let answer = await service.interpret(RadarHub.topic, for: "ann")
            expectEqual(answer.interpretation.source, "lexical")
            expectEqual(hub.providers.asked, [.stance("one"), .interpretation("one")])
            let later = try await hub.service(asking: "one", after: .seconds(5 * 3600 + 1))
            _ = await later.interpret(RadarHub.topic, for: "ann")
            expectEqual(hub.providers.asked.last, .interpretation("one"))
            expectEqual(hub.providers.asked.count, 3)
        }
    }
}
