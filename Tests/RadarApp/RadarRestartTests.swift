import Expectations
import HubTesting
import Radar
import Store

@testable import RadarApp

@Suite("Radar service: a hub that starts again", .timeLimit(.minutes(10)))
struct RadarRestartTests {
    /// The first process stops after the first of two sources has answered.
    @Test func brokenOffPollAsksOnlyWhoHasNotAnswered() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            hub.providers.set(.stance("two"), RadarProviders.stance("against"))
            let release = hub.providers.hold("two")
            let first = try await hub.service(asking: "one", "two")
            let id = try await first.createRadar().id
            let poll = try first.startScheduled(id)
            await hub.untilEvent("radar.opinion.created", of: id)
            poll.cancel()
            try await expectEqual(poll.value.get(), .later(RadarHub.start))
            try await expectEqual(hub.row(id).refreshCount, 0)
            release()
            // The age of answers does not matter: those since the radar was due are of this poll.
            let second = try await hub.service(asking: "one", "two", after: .seconds(1)) {
                $0.cacheAge = .zero
            }
            let again = try second.startScheduled(id)
            try await expectEqual(again.value.get(), .done)
            expectEqual(hub.providers.asked.filter { $0 == .stance("one") }.count, 1)
            expectEqual(Set(try await hub.opinions(id).map(\.source)), ["one", "two"])
            try await expectEqual(hub.opinions(id).count, 2)
            try expectEqual(hub.data("radar.refreshed", of: id).count, 1)
            try expect(hub.data("radar.refreshed", of: id)[0].hasSuffix(#""opinionsAdded":1}"#))
        }
    }

    /// A refresh is about now: what was answered since the last poll was due is as old as it is.
    @Test func refreshAsksAgainWhatAScheduledPollNeedNot() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let id = try await hub.service(asking: "one").createRadar().id
            var counts: [Int] = []
            for (seconds, isScheduled) in [(1, true), (2, true), (3, false)] {
                // The radar is still due when it was made: its poll never ends.
                let service = try await hub.service(asking: "one", after: .seconds(seconds)) {
                    $0.cacheAge = .zero
                }
                let row = try await hub.row(id)
                _ = try await service.poll(id, isScheduled: isScheduled)
                var back = row
                back.sources = try await hub.row(id).sources
                try await hub.store.commitRadars([.update(back)])
                counts.append(hub.providers.asked.filter { $0 == .stance("one") }.count)
            }
            expectEqual(counts, [1, 1, 2])
        }
    }

    @Test func scheduleAndDirectoryComeBack() async throws {
        try await RadarHub.run { hub in
            let first = try await hub.service(asking: "one")
            let open = try await first.createRadar(isPublic: true, by: "1")
            let own = try await first.createRadar("tea", by: "2")
            for radar in [open, own] { try await first.refresh(radar.id) }
            let dues = [
                try await hub.row(open.id).nextPollAt, try await hub.row(own.id).nextPollAt,
            ]
            let second = try await hub.service(asking: "one", after: .seconds(60))
            expectEqual(second.directory.count, 2)
            expectEqual(second.directory[open.id], .init(owner: "1", isPublic: true))
            expectEqual(second.directory[own.id], .init(owner: "2", isPublic: false))
            expectEqual(second.polls.withLock { $0.schedule.count }, 2)
            expectEqual(second.nextDue, dues.min())
        }
    }

    @Test func radarThatIsOverdueIsPolledWithinTheTimeThatAllOfThemTake() async throws {
        try await RadarHub.run { hub in
            let id = try await hub.service(asking: "one").createRadar().id
            let second = try await hub.service(asking: "one", after: .seconds(3600)) {
                $0.interval = .seconds(60)
            }
            let start = RadarHub.start + .seconds(3600)
            let due = try require(second.nextDue)
            expect((start...start + .seconds(120)).contains(due))
            expect(second.polls.withLock { $0.schedule.begin(id) })
        }
    }
}
