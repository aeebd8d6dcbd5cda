import Expectations
import HubTesting
import LoopTesting
import Radar

@testable import RadarApp

@Suite("Radar service: polls that fail", .timeLimit(.minutes(10)))
struct RadarFailedPollTests {
    @Test(arguments: [
        (400, "invalid_request_error", SourceFailure.rejected),
        (401, "authentication_error", .switchedOff), (529, "overloaded_error", .failing),
    ])
    func pollInWhichNoSourceAnswersIsAFailedRefresh(
        status: Int,
        type: String,
        reason: SourceFailure
    ) async throws {
        try await RadarRoutesFixture.run(asking: ["one"]) { routes in
            let hub = routes.hub
            hub.providers.set(.stance("one"), RadarProviders.error(status, type))
            let id = try await routes.service.createRadar().id
            let answer = try await routes.send("POST", "/api/radars/\(id)/refresh", by: "1")
            expectEqual(answer.status, 200)
            expect(
                answer.body.contains(#""lastPolledAt":"2026-03-02T10:00:00Z","refreshCount":0,"#)
            )
            let failures = #"[{"source":"one","reason":"\#(reason.rawValue)"}]"#
            let started = #""startedAt":"2026-03-02T10:00:00Z""#
            expect(
                answer.body.contains(
                    #""lastPoll":{\#(started),"failed":true,"failures":\#(failures)}"#
                )
            )
            expect(answer.body.hasSuffix(#""pending":false}"#))
            try await expectNil(hub.row(id).lastPolledAt)
            expectEqual(hub.events(id), ["radar.refresh.failed"])
            try expectEqual(
                hub.data("radar.refresh.failed", of: id),
                [
                    #"{"radarId":"\#(id)",\#(started),"failures":\#(failures)}"#
                ]
            )
            expect(hub.messages(id).isEmpty, "nothing for the app")
            expectEqual(hub.providers.asked, [.stance("one")], "no interpretation")
        }
    }

    @Test func answerThatCannotBeUsedIsAFailureAlsoFromTheCache() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.unusable)
            let service = try await hub.service(asking: "one")
            for _ in 0..<2 {
                let id = try await service.createRadar().id
                try await service.refresh(id)
                let poll = try await service.load(id).radar.lastPoll
                expectEqual(poll?.isFailed, true)
                expectEqual(poll?.failures, ["one": .unusable])
            }
            expectEqual(
                hub.providers.asked,
                [.stance("one")],
                "the second radar has the first's answer"
            )
        }
    }

    @Test func sourceThatCannotBeReachedIsNamed() async throws {
        try await RadarHub.run { hub in
            let source = ModelSource(
                name: "one",
                model: AnthropicModel("m", key: ProviderKey("k"), url: "http://127.0.0.1:1")
            )
            let policy = SourcePolicy(attemptsMax: 1)
            let service = try await hub.service([source], policy: policy)
            let id = try await service.createRadar().id
            try await service.refresh(id)
            let poll = try await service.load(id).radar.lastPoll
            expectEqual(
                poll,
                LastPoll(
                    startedAt: RadarHub.start,
                    isFailed: true,
                    failures: ["one": .unreachable]
                )
            )
        }
    }

    @Test func oneSourceThatAnswersMakesARefresh() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.error(400, "invalid_request_error"))
            hub.providers.set(.stance("two"), RadarProviders.refusal)
            let service = try await hub.service(asking: "one", "two")
            let id = try await service.createRadar().id
            try await service.refresh(id)
            let radar = try await service.load(id).radar
            expectEqual(radar.refreshCount, 1)
            expectEqual(radar.lastPolledAt, RadarHub.start)
            expectEqual(radar.lastPoll?.isFailed, false)
            expectEqual(radar.lastPoll?.failures, ["one": .rejected])
            expectEqual(hub.events(id), ["radar.refreshed"])
        }
    }

    @Test func failedPollLeavesTheLastGoodOne() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(
                .stance("one"),
                RadarProviders.stance(),
                RadarProviders.error(400, "invalid_request_error")
            )
            let first = try await hub.service(asking: "one")
            let id = try await first.createRadar().id
            try await first.refresh(id)
            let day = Duration.seconds(86_400)
            let second = try await hub.service(asking: "one", after: day)
            try await second.refresh(id)
            let radar = try await second.load(id).radar
            expectEqual(radar.refreshCount, 1)
            expectEqual(radar.lastPolledAt, RadarHub.start)
            expectEqual(radar.lastPoll?.startedAt, RadarHub.start + day)
            expectEqual(radar.lastPoll?.isFailed, true)
            expectEqual(radar.updatedAt, RadarHub.start + day)
            // It waits for its next turn all the same.
            let row = try await hub.row(id)
            expect(row.nextPollAt >= RadarHub.start + day + second.settings.interval / 10)
            expectEqual(second.nextDue, row.nextPollAt)
        }
    }
}
