import Expectations
import HubTesting
import Logging
import LoopTesting
import Radar
import Store

@testable import RadarApp

@Suite("Radar service: one poll at a time", .timeLimit(.minutes(10)))
struct RadarRefreshingTests {
    /// The interval between refreshes does not keep the second from waiting for the first.
    @Test func refreshesAtOnceAreOnePoll() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one") { $0.refreshInterval = .seconds(30) }
            let id = try await service.createRadar().id
            let first = try require(service.refreshTask(id))
            try expectEqual(service.refreshTask(id), first)
            _ = await hub.providers.questions.next(1)
            try expectEqual(service.refreshTask(id), first)
            release()
            try await expectEqual(first.value.get(), .done)
            try await expectEqual(hub.row(id).refreshCount, 1)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
        }
    }

    @Test func refreshJoinsTheScheduledPoll() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one") { $0.refreshInterval = .seconds(30) }
            let id = try await service.createRadar().id
            let poll = try service.startScheduled(id)
            _ = await hub.providers.questions.next(1)
            try expectEqual(service.refreshTask(id), poll)
            release()
            try await expectEqual(poll.value.get(), .done)
            // It was not a refresh of its own: the next one need not wait.
            try await service.refresh(id)
            try await expectEqual(hub.row(id).refreshCount, 2)
            expect(service.polls.withLock { $0.tasks.isEmpty })
        }
    }

    @Test func radarIsNotPolledWhileItIsRefreshed() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            async let refresh = service.refresh(id)
            _ = await hub.providers.questions.next(1)
            expectNil(service.nextDue)
            expect(service.startDue(pauseMax: .seconds(60)).tasks.isEmpty)
            release()
            try await expect(!refresh)
            expect(service.nextDue != nil)
        }
    }

    @Test func refreshComesOnceAnInterval() async throws {
        try await RadarHub.run { hub in
            let first = try await hub.service(asking: "one") { $0.refreshInterval = .seconds(30) }
            let id = try await first.createRadar().id
            try await first.refresh(id)
            try await expect(!first.refresh(id), "nothing is pending")
            let other = try await first.createRadar("tea").id
            try await first.refresh(other)
            try await expectEqual(hub.row(id).refreshCount, 1)
        }
    }

    @Test func radarThatIsNotThereIsNotRefreshed() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service(asking: "one")
            await #expect(throws: RadarError.notFound) { try await service.refresh("gone") }
            expect(hub.providers.asked.isEmpty)
        }
    }

    // MARK: Radars that are deleted meanwhile

    /// Its answer is paid for: the next radar of the topic has it.
    @Test func pollOfARadarThatIsDeletedBringsNothingBack() async throws {
        try await RadarHub.run { hub in
            let (logger, lines) = StreamedLog.make()
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", logger: logger)
            let id = try await service.createRadar().id
            let refresh = Task { try await service.refresh(id) }
            _ = await hub.providers.questions.next(1)
            try await service.delete(id)
            release()
            await #expect(throws: RadarError.notFound) { try await refresh.value }
            try await expectNil(hub.store.readRadars { try $0.radar(id) })
            try await expect(hub.opinions(id).isEmpty)
            expect(hub.events(id).isEmpty)
            expectNil(service.nextDue)
            expectEqual(service.polls.withLock { $0.schedule.count }, 0)
            expectEqual(hub.providers.asked, [.stance("one")])
            let usage = RadarProviders.usage
            try await expectEqual(hub.spending()["one"]?.tokens, usage.input + usage.output)
            try await service.refresh(try await service.createRadar().id)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
            // Nothing of it is an error.
            logger.critical("the end")
            let worst = await lines.first { $0.level >= .error }
            expectEqual(worst?.level, .critical)
        }
    }

    // MARK: Places

    @Test func scheduledPollsTakeNoMorePlacesThanThereAre() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one") { $0.pollsAtOnce = 2 }
            for turn in 1...3 {
                let id = try await service.createRadar("topic \(turn)").id
                service.polls.withLock {
                    let (time, now) = (service.clock.now - .seconds(turn), service.clock.now)
                    _ = $0.schedule.postpone(id, until: time, now: now)
                }
            }
            let (first, pause) = service.startDue(pauseMax: .seconds(60))
            expectEqual(first.count, 2)
            // The third is overdue; the end of a poll is what there is to wait for.
            expectEqual(pause, .seconds(60))
            expect(service.startDue(pauseMax: .seconds(60)).tasks.isEmpty)
            release()
            for task in first { try await expectEqual(task.value.get(), .done) }
            let rest = service.startDue(pauseMax: .seconds(60)).tasks
            expectEqual(rest.count, 1)
            for task in rest { try await expectEqual(task.value.get(), .done) }
        }
    }
}
