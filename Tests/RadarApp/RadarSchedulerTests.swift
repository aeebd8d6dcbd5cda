import Expectations
import HubTesting
import LoopTesting
import Radar

@testable import RadarApp

@Suite("Radar scheduler", .timeLimit(.minutes(10)))
struct RadarSchedulerTests {
    /// Runs the scheduler beside `body`, and stops it.
    private func run(_ service: RadarService, _ body: () async throws -> Void) async throws {
        let task = Task { await RadarScheduler(service: service).run() }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        task.cancel()
        await task.value
        try outcome.get()
    }

    /// Nothing else would wake it for as long as the test may last.
    @Test func newRadarWakesIt() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let service = try await hub.service(asking: "one", clock: HubClock(.wall))
            try await run(service) {
                let id = try await service.createRadar().id
                await hub.untilEvent("radar.refreshed", of: id)
                try await expectEqual(hub.opinions(id).count, 1)
            }
        }
    }

    @Test func placesAreNeverExceededAndAllRadarsHaveTheirTurn() async throws {
        try await RadarHub.run { hub in
            hub.providers.set(.stance("one"), RadarProviders.stance())
            let clock = HubClock(
                .recording(start: RadarHub.start, speed: 100, anchor: HubClock.wall)
            )
            let service = try await hub.service(
                asking: "one",
                clock: clock,
                policy: SourcePolicy(concurrencyMax: 64)
            ) { $0.pollsAtOnce = 3 }
            let counts = Locked<[Int]>([])
            hub.providers.whenAsked { _ in
                let inFlight = service.polls.withLock { $0.schedule.inFlight }
                counts.withLock { $0.append(inFlight) }
            }
            try await run(service) {
                var ids: [String] = []
                for number in 0..<20 {
                    ids.append(try await service.createRadar("topic \(number)").id)
                }
                for id in ids { await hub.untilEvent("radar.refreshed", of: id) }
            }
            let inFlight = counts.withLock { $0 }
            expect(inFlight.count >= 20)
            expect(inFlight.allSatisfy { (1...3).contains($0) })
        }
    }

    @Test func pollUnderWayEndsWithIt() async throws {
        try await RadarHub.run { hub in
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", clock: HubClock(.wall))
            var id = ""
            try await run(service) {
                id = try await service.createRadar().id
                _ = await hub.providers.questions.next(1)
            }
            expect(service.polls.withLock { $0.tasks.isEmpty })
            expect(hub.events(id).isEmpty)
            release()
        }
    }

    @Test func refreshUnderWayEndsWithIt() async throws {
        try await RadarHub.run { hub in
            let release = hub.providers.hold("one")
            let service = try await hub.service(asking: "one", clock: HubClock(.wall))
            let id = try await service.createRadar().id
            let refresh = Task { try await service.refresh(id) }
            _ = await hub.providers.questions.next(1)
            let scheduler = Task { await RadarScheduler(service: service).run() }
            scheduler.cancel()
            await scheduler.value
            expect(service.polls.withLock { $0.tasks.isEmpty })
            // To be asked again when there is a hub again.
            await #expect(throws: RadarError.self) { try await refresh.value }
            expect(hub.events(id).isEmpty)
            release()
        }
    }

    @Test func nobodyIsPolledWithoutSources() async throws {
        try await RadarHub.run { hub in
            await RadarScheduler(service: try await hub.service([])).run()
            expect(hub.publications.withLock { $0.isEmpty })
        }
    }
}
