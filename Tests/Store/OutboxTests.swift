import Expectations
import StoreTesting

@testable import Store

@Suite("Webhook outbox", .timeLimit(.minutes(10)))
struct OutboxTests {
    @Test func newDeliveryIsPendingFromItsCreation() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("a", at: 3)]))
            let stored = try await require(store.pendingDeliveries(perEndpoint: 1).first)
            let time = startOfTests + .seconds(3)
            expectEqual(stored.endpoint, "endpoint-1")
            expectEqual(stored.messageID, "a")
            expectEqual(stored.eventType, "radar.refreshed")
            expectEqual(stored.subject, "radar/1")
            expectEqual(stored.body, Array("{}".utf8))
            expectEqual(stored.createdAt, time)
            expectEqual(stored.status, .pending(nextAttempt: time))
            expectEqual(stored.attempts, 0)
            expectNil(stored.statusCode)
            expect(stored.state.isEmpty)
        }
    }

    @Test func deliveryOfAnEventIsWrittenOnlyIfTheEventIsPublished() async throws {
        try await withStore { store in
            for name in ["first", "second"] {
                var event = TopicEvent(
                    topic: Topic(trusted: "orders:1"),
                    time: startOfTests,
                    payload: Array("1".utf8)
                )
                event.idempotencyKey = "key"
                var row = delivery(name)
                row.eventIndex = 0
                _ = try await store.commit(Change(events: [event], deliveries: [row]))
            }
            let pending = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(pending.map(\.messageID), ["first"], "the second event is a duplicate")
        }
    }

    @Test func endedDeliveriesOfARangeArePendingAgainInTheirOrder() async throws {
        try await withStore { store in
            let rows = (1...4).map { delivery("m\($0)", at: $0) } + [delivery("m2", to: "b", at: 2)]
            _ = try await store.commit(Change(deliveries: rows))
            for row in try await store.pendingDeliveries(perEndpoint: 9)
            where row.messageID != "m3" {
                try await store.record(
                    DeliveryRecord(
                        deliveryID: row.id,
                        status: row.messageID == "m1"
                            ? .failed(at: row.createdAt)
                            : .delivered(at: row.createdAt),
                        attempts: 3,
                        statusCode: 200,
                        state: [1]
                    )
                )
            }
            func redeliver(_ rowsMax: Int) async throws -> Int {
                try await store.redeliver(
                    to: "endpoint-1",
                    createdFrom: startOfTests + .seconds(1),
                    through: startOfTests + .seconds(3),
                    now: startOfTests + .seconds(100),
                    rowsMax: rowsMax
                )
            }
            try await expectEqual(redeliver(1), 1)
            try await expectEqual(redeliver(9), 1, "what is pending is left as it is")
            let pending = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(pending.map(\.messageID), ["m1", "m2", "m3"])
            expect(pending.map(\.endpoint).allSatisfy { $0 == "endpoint-1" })
            expectEqual(pending[0].attempts, 0)
            expectNil(pending[0].statusCode)
            expect(pending[0].state.isEmpty)
            expectEqual(pending[0].status, .pending(nextAttempt: startOfTests + .seconds(100)))
        }
    }

    @Test func oneEndedDeliveryIsPendingAgain() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("a")]))
            let row = try await require(store.pendingDeliveries(perEndpoint: 1).first)
            let now = startOfTests + .seconds(9)
            try await expect(!store.redeliver(row.id, to: "endpoint-1", now: now), "it is pending")
            try await store.record(
                DeliveryRecord(
                    deliveryID: row.id,
                    status: .failed(at: now),
                    attempts: 1,
                    statusCode: nil,
                    state: []
                )
            )
            try await expect(!store.redeliver(row.id, to: "another", now: now))
            try await expect(store.redeliver(row.id, to: "endpoint-1", now: now))
            try await expectEqual(store.pendingDeliveries(perEndpoint: 1).count, 1)
        }
    }

    @Test func deliveryWithoutSubjectHasNone() async throws {
        try await withStore { store in
            var plain = delivery("a")
            plain.subject = nil
            _ = try await store.commit(Change(deliveries: [plain]))
            try await expectNil(store.pendingDeliveries(perEndpoint: 1)[0].subject)
        }
    }

    @Test func pendingDeliveriesAreTheOldestOfEachEndpointInOneOrder() async throws {
        try await withStore { store in
            let busy = (1...5).map { delivery("busy-\($0)", to: "busy") }
            let others = [delivery("quiet-1", to: "quiet"), delivery("paused-1", to: "paused")]
            _ = try await store.commit(Change(deliveries: busy + others))
            let two = try await store.pendingDeliveries(perEndpoint: 2, of: ["quiet", "busy", "x"])
            expectEqual(two.map(\.messageID), ["busy-1", "busy-2", "quiet-1"])
            let all = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(all.count, 7)
            expectEqual(all.map(\.id), all.map(\.id).sorted())
            let none = try await store.pendingDeliveries(
                perEndpoint: 9,
                of: []
            )
            expect(none.isEmpty)
        }
    }

    @Test func endpointsAreNamedForWhichSomethingWaits() async throws {
        try await withStore { store in
            try await expectEqual(store.waitingEndpoints(), [])
            let names = ["c", "a", "c", "B", "\u{E6}"]
            _ = try await store.commit(
                Change(deliveries: names.enumerated().map { delivery("\($0)", to: $1) })
            )
            try await expectEqual(store.waitingEndpoints(), ["B", "a", "c", "\u{E6}"])
            try await expectEqual(store.pendingCount(of: "c"), 2)
            let first = try await store.pendingDeliveries(perEndpoint: 1, of: ["a"])[0]
            try await finish(first.id, .failed(at: startOfTests), in: store)
            try await expectEqual(store.waitingEndpoints(), ["B", "c", "\u{E6}"])
            try await expectEqual(store.pendingCount(of: "a"), 0)
        }
    }

    @Test(arguments: [
        DeliveryStatus.pending(nextAttempt: startOfTests + .seconds(60)),
        .delivered(at: startOfTests + .seconds(1)), .failed(at: startOfTests + .seconds(2)),
    ])
    func recordIsReadBackAfterRestart(_ status: DeliveryStatus) async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            _ = try await first.commit(Change(deliveries: [delivery("a")]))
            let id = try await first.pendingDeliveries(perEndpoint: 1)[0].id
            let isThere = try await first.record(
                DeliveryRecord(
                    deliveryID: id,
                    status: status,
                    attempts: 2,
                    statusCode: 503,
                    state: [1, 2]
                )
            )
            expect(isThere)
            try await first.close()

            let second = try openStore(directory)
            let stored = try await second.deliveries(of: "endpoint-1", limit: 1)[0]
            expectEqual(stored.status, status)
            expectEqual(stored.attempts, 2)
            expectEqual(stored.statusCode, 503)
            expectEqual(stored.state, [1, 2])
            let pending = try await second.pendingDeliveries(perEndpoint: 1)
            expectEqual(pending.isEmpty, !status.isPending)
            try await second.close()
        }
    }

    @Test func recordOfADeliveryThatIsGoneSaysSo() async throws {
        try await withStore { store in
            let isThere = try await store.record(
                DeliveryRecord(
                    deliveryID: 99,
                    status: .delivered(at: startOfTests),
                    attempts: 1,
                    statusCode: 200,
                    state: []
                )
            )
            expect(!isThere)
        }
    }

    @Test func finishedDeliveryCanBeMadePendingAgain() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("a")]))
            let id = try await store.pendingDeliveries(perEndpoint: 1)[0].id
            try await finish(id, .failed(at: startOfTests), in: store)
            try await expect(store.pendingDeliveries(perEndpoint: 1).isEmpty)
            try await finish(id, .pending(nextAttempt: startOfTests), in: store)
            try await expectEqual(store.pendingDeliveries(perEndpoint: 1).map(\.id), [id])
        }
    }

    @Test func logIsNewestFirstAndContinues() async throws {
        try await withStore { store in
            let deliveries = (1...5).map { delivery("\($0)") } + [delivery("x", to: "other")]
            _ = try await store.commit(Change(deliveries: deliveries))
            let page = try await store.deliveries(of: "endpoint-1", limit: 3)
            expectEqual(page.map(\.messageID), ["5", "4", "3"])
            let rest = try await store.deliveries(of: "endpoint-1", before: page[2].id, limit: 3)
            expectEqual(rest.map(\.messageID), ["2", "1"])
        }
    }

    @Test func countsTellTheOldestPending() async throws {
        try await withStore { store in
            let deliveries = (1...4).map { delivery("\($0)", at: $0) }
            _ = try await store.commit(Change(deliveries: deliveries))
            let ids = try await store.pendingDeliveries(perEndpoint: 9).map(\.id)
            try await finish(ids[0], .delivered(at: startOfTests), in: store)
            try await finish(ids[1], .failed(at: startOfTests), in: store)
            let counts = try await store.deliveryCounts()
            expectEqual(counts.pending, 2)
            expectEqual(counts.delivered, 1)
            expectEqual(counts.failed, 1)
            expectEqual(counts.oldestPending, startOfTests + .seconds(3))
        }
    }

    @Test func talliesAreThoseOfACountWhateverTouchesTheRows() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            func check(_ place: String) async throws {
                expectEqual(store.deliveryTally, (try await counted(in: store)), "\(place)")
            }
            let topic = try Topic("news:a")
            var tagged = delivery("tagged", to: "b")
            tagged.topics = [topic]
            tagged.tags = ["author": "ann"]
            let rows = (1...6).map { delivery("\($0)", at: $0) } + [tagged]
            _ = try await store.commit(Change(deliveries: rows))
            expectEqual(store.deliveryTally.pending, 7)
            let ids = try await store.pendingDeliveries(perEndpoint: 9).map(\.id)
            for id in ids.prefix(3) {
                try await finish(id, .delivered(at: startOfTests), in: store)
            }
            try await finish(ids[3], .failed(at: startOfTests), in: store)
            try await finish(ids[3], .failed(at: startOfTests + .seconds(1)), in: store)
            expectEqual(store.deliveryTally.delivered, 3)
            try await check("ended")
            _ = try await store.redeliver(ids[0], to: "endpoint-1", now: startOfTests)
            try await check("sent again")
            _ = try await store.trimDeliveries(finishedBefore: startOfTests + .milliseconds(1))
            try await check("trimmed")
            let erasure = Erasure(topic: topic, tag: "author", value: "ann")
            _ = try await store.commit(Change(erasures: [erasure]))
            try await check("erased")
            // The same message for the same endpoint again: the whole change is taken back.
            _ = try? await store.commit(Change(deliveries: [delivery("x"), delivery("5", at: 5)]))
            try await check("taken back")
            _ = try await store.removeDeliveries(of: "endpoint-1")
            try await check("removed")
            expectEqual(store.deliveryTally, DeliveryCounts())
        }
    }

    @Test(.needsFile) func talliesBeginWithWhatTheFileHas() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            let deliveries = [delivery("a"), delivery("b", to: "other")]
            _ = try await first.commit(Change(deliveries: deliveries))
            try await first.close()
            let second = try openStore(directory)
            expectEqual(second.deliveryTally.pending, 2)
            try await second.close()
        }
    }

    /// The truth that the tallies are held against.
    private func counted(in store: HubStore) async throws -> DeliveryCounts {
        try await store.onSession { session in
            var counts = DeliveryCounts()
            let select = "SELECT status, count(*) FROM delivery GROUP BY status"
            _ = try session.rows(select) { row in
                switch try row[0] as Int {
                case 0: counts.pending = try row[1]
                case 1: counts.delivered = try row[1]
                default: counts.failed = try row[1]
                }
            }
            return counts
        }
    }

    @Test func trimDeletesOnlyFinishedDeliveriesThatAreOlder() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            let deliveries = (0...9).map { delivery("\($0)") }
            _ = try await store.commit(Change(deliveries: deliveries))
            let ids = try await store.pendingDeliveries(perEndpoint: 99).map(\.id)
            for (second, id) in ids.enumerated().prefix(8) {
                let time = startOfTests + .seconds(second)
                let status: DeliveryStatus =
                    second.isMultiple(of: 2) ? .delivered(at: time) : .failed(at: time)
                try await finish(id, status, in: store)
            }
            let time = startOfTests + .seconds(5)
            try await expectEqual(store.trimDeliveries(finishedBefore: time), 5)
            let left = try await store.deliveries(of: "endpoint-1", limit: 99)
            expectEqual(left.map(\.messageID), ["9", "8", "7", "6", "5"])
            try await expectEqual(store.trimDeliveries(finishedBefore: time), 0)
        }
    }

    @Test func removalDeletesOneEndpointsDeliveriesInAnyState() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            let deliveries = (1...5).map { delivery("\($0)") } + [delivery("x", to: "other")]
            _ = try await store.commit(Change(deliveries: deliveries))
            let id = try await store.pendingDeliveries(perEndpoint: 1)[0].id
            try await finish(id, .delivered(at: startOfTests), in: store)
            try await expectEqual(store.removeDeliveries(of: "endpoint-1"), 5)
            let left = try await store.pendingDeliveries(perEndpoint: 9)
            expectEqual(left.map(\.messageID), ["x"])
        }
    }

    @Test func deletedDeliverysIDIsNotGivenOutAgain() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("a")]))
            let first = try await store.pendingDeliveries(perEndpoint: 1)[0].id
            _ = try await store.removeDeliveries(of: "endpoint-1")
            _ = try await store.commit(Change(deliveries: [delivery("b")]))
            let second = try await store.pendingDeliveries(perEndpoint: 1)[0].id
            expect(second > first)
        }
    }

    private func finish(_ id: Int64, _ status: DeliveryStatus, in store: HubStore) async throws {
        try await store.record(
            DeliveryRecord(
                deliveryID: id,
                status: status,
                attempts: 1,
                statusCode: nil,
                state: []
            )
        )
    }
}

extension DeliveryStatus {
    fileprivate var isPending: Bool {
        switch self {
        case .pending: true
        case .delivered, .failed: false
        }
    }
}
