import Duties
import Expectations
import HubTesting
import LoopTesting
import Radar
import StoreTesting

@testable import RadarApp

@Suite("Radar service: what users and backends do", .timeLimit(.minutes(10)))
struct RadarOwnerTests {
    @Test func pushedOpinionIsCommittedAsOneOfItsKey() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            let pushed = try await service.push("against", author: "ministry", to: id)
            try await expectEqual(hub.opinions(id).map(\.opinion), [pushed])
            expectEqual(pushed.provider, "key:1")
            expectEqual(pushed.author, "ministry")
            expectNil(pushed.source)
            let types = ["radar.opinion.created", "radar.position.changed", "radar.trend.changed"]
            expectEqual(hub.events(id), types)
            let messages = hub.messages(id).map { text("type", in: $0) }
            expectEqual(messages, ["newOpinion", "positionChange"])
            await #expect(throws: RadarError.notFound) {
                _ = try await service.push("for", to: "x")
            }
        }
    }

    /// All at once, and each sees those before it.
    @Test func opinionsThatArePushedAtOnceAllCount() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            try await withThrowingTaskGroup { group in
                for author in ["a", "b", "c", "d", "e"] {
                    group.addTask { _ = try await service.push("for", author: author, to: id) }
                }
                try await group.waitForAll()
            }
            try await expectEqual(hub.opinions(id).count, 5)
            let row = try await hub.row(id)
            expectEqual(row.position, "for")
            expectEqual(hub.events(id).filter { $0 == "radar.position.changed" }.count, 1)
            let last = try hub.data("radar.trend.changed", of: id).last
            expectEqual(last?.contains(#""totalOpinions":5"#), true)
            let derivation = try await service.position(
                of: row.radar(),
                row.segments(),
                now: service.clock.now
            )
            expect(abs(derivation.score - 1) < 1e-9)
        }
    }

    @Test func radarIsMadePublicAndPrivateAgain() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar(by: "7").id
            let later = try await hub.service([], after: .seconds(60))
            for isPublic in [true, false] {
                let radar = try await later.setPublic(isPublic, of: id)
                expectEqual(radar.isPublic, isPublic)
                expectEqual(radar.updatedAt, RadarHub.start + .seconds(60))
                expectEqual(later.directory[id], .init(owner: "7", isPublic: isPublic))
                try await expectEqual(hub.row(id).isPublic, isPublic)
            }
            await #expect(throws: RadarError.notFound) {
                _ = try await later.setPublic(true, of: "gone")
            }
        }
    }

    @Test func radarThatIsAsItIsToBeIsNotWritten() async throws {
        try await RadarHub.run { hub in
            let id = try await hub.service([]).createRadar(isPublic: true).id
            let later = try await hub.service([], after: .seconds(60))
            _ = try await later.setPublic(true, of: id)
            try await expectEqual(hub.row(id).updatedAt, RadarHub.start)
        }
    }

    @Test func deletedRadarLeavesNothing() async throws {
        try await RadarHub.run { hub in
            let removed = AsyncStream<HistoryRemoval>.makeStream()
            hub.store.observe(\.removed) { removed.continuation.yield($0) }
            let service = try await hub.service(asking: "one")
            let id = try await service.createRadar().id
            _ = try await service.push("for", to: id)
            try await service.delete(id)
            await expectEqual(removed.stream.first { _ in true }?.topic, .radar(id))
            try await expectNil(hub.store.readRadars { try $0.radar(id) })
            try await expect(hub.opinions(id).isEmpty)
            expectNil(service.directory[id])
            expectEqual(service.polls.withLock { $0.schedule.count }, 0)
            await #expect(throws: RadarError.notFound) { try await service.delete(id) }
            await #expect(throws: RadarError.notFound) { _ = try await service.load(id) }
            try await expectEqual(hub.service(asking: "one").directory.count, 0)
        }
    }

    @Test func userHasAsManyRadarsAsAreAllowed() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([]) { $0.radarsPerUser = 3 }
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask { (try? await service.createRadar(by: "1")) != nil }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            expectEqual(outcomes.filter(\.self).count, 3)
            await #expect(throws: RadarError.tooManyRadars(limit: 3)) {
                _ = try await service.createRadar(by: "1")
            }
            let own = try await service.createRadar(by: "2")
            try await service.delete(own.id)
            try await expectEqual(hub.store.readRadars { try $0.radarCount(of: "1") }, 3)
            expectEqual(service.polls.withLock { $0.schedule.count }, 3)
            expectEqual(service.directory.count, 3)
        }
    }

    @Test func eventsAreCommittedWithTheirWebhooks() async throws {
        let endpoint = WebhookEndpoint(
            name: "pager",
            url: "http://127.0.0.1:1/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 7, count: 24))],
            filter: try WebhookFilter(types: ["radar.opinion.*"], topics: [], severities: []),
            timeout: .seconds(1)
        )
        try await RadarHub.run { hub in
            let service = try await hub.service([], endpoints: [endpoint])
            let id = try await service.createRadar().id
            _ = try await service.push("for", to: id)
            let rows = try await hub.store.pendingDeliveries(perEndpoint: 10)
            expectEqual(rows.map(\.eventType), ["radar.opinion.created"])
            let told = hub.publications(on: .radar(id)).first
            expectEqual(rows.first.map { String(decoding: $0.body, as: UTF8.self) }, told)
        }
    }

    @Test func trimmingKeepsWhatTrendsReachBackTo() async throws {
        try await RadarHub.run { hub in
            let service = try await hub.service([])
            let id = try await service.createRadar().id
            _ = try await service.push("for", to: id)
            let day = Duration.seconds(86_400)
            try await RadarService.trim(hub.store, now: RadarHub.start + day * 366)
            try await expectEqual(hub.opinions(id).count, 1)
            try await RadarService.trim(hub.store, now: RadarHub.start + day * 367)
            try await expect(hub.opinions(id).isEmpty)
        }
    }
}
