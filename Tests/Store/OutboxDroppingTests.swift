import Expectations
import StoreTesting

@testable import Store

@Suite("Webhook outbox: what is too much or too old", .timeLimit(.minutes(10)))
struct OutboxDroppingTests {
    private static func record(_ row: StoredDelivery) -> DeliveryRecord {
        DeliveryRecord(
            deliveryID: row.id,
            status: .failed(at: startOfTests + .seconds(99)),
            attempts: row.attempts,
            statusCode: row.statusCode,
            state: [1]
        )
    }

    private func end(
        _ store: HubStore,
        beyond countMax: Int = 1000,
        before seconds: Int = 0,
        except inFlight: Set<Int64> = []
    ) async throws -> Int {
        try await store.endPending(
            of: "endpoint-1",
            beyond: countMax,
            createdBefore: startOfTests + .seconds(seconds),
            except: inFlight,
            record: Self.record
        )
    }

    /// Message ids of those that wait, the oldest first.
    private func pending(_ store: HubStore) async throws -> [String] {
        try await store.pendingDeliveries(perEndpoint: 99).map(\.messageID)
    }

    @Test func asManyAsAllowedStayAndOneMoreEndsTheOldest() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: (1...3).map { delivery("\($0)") }))
            try await expectEqual(end(store, beyond: 3), 0)
            try await expect(!store.hasPending(of: "endpoint-1", moreThan: 3))
            _ = try await store.commit(Change(deliveries: [delivery("4"), delivery("x", to: "b")]))
            try await expect(store.hasPending(of: "endpoint-1", moreThan: 3))
            try await expectEqual(end(store, beyond: 3), 1)
            try await expectEqual(pending(store), ["2", "3", "4", "x"], "others are not touched")
            let log = try await store.deliveries(of: "endpoint-1", limit: 9)
            expectEqual(log.last?.status, .failed(at: startOfTests + .seconds(99)))
            expectEqual(log.last?.state, [1])
            try await expectEqual(end(store, beyond: 3), 0)
        }
    }

    @Test(arguments: [2, 3, 256])
    func longQueueIsShortenedInSmallTransactions(rowsMax: Int) async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: rowsMax)) { store in
            _ = try await store.commit(Change(deliveries: (1...20).map { delivery("\($0)") }))
            try await expectEqual(end(store, beyond: 5), 15)
            try await expectEqual(pending(store), (16...20).map { "\($0)" })
        }
    }

    @Test func whatIsOlderThanAllowedEnds() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            _ = try await store.commit(
                Change(deliveries: (1...9).map { delivery("\($0)", at: $0) })
            )
            try await expectEqual(end(store, before: 1), 0)
            try await expectEqual(end(store, before: 6), 5)
            try await expectEqual(pending(store), ["6", "7", "8", "9"])
        }
    }

    @Test func messageThatIsOnItsWayStays() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            _ = try await store.commit(Change(deliveries: (1...6).map { delivery("\($0)") }))
            let ids = try await store.pendingDeliveries(perEndpoint: 9).map(\.id)
            try await expectEqual(end(store, beyond: 1, except: [ids[0], ids[2]]), 3)
            try await expectEqual(pending(store), ["1", "3", "6"])
        }
    }

    @Test func endedMessagesAreNotCounted() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: (1...4).map { delivery("\($0)") }))
            try await expectEqual(end(store, beyond: 2), 2)
            _ = try await store.commit(Change(deliveries: [delivery("5")]))
            try await expectEqual(end(store, beyond: 3), 0)
            try await expectEqual(pending(store), ["3", "4", "5"])
        }
    }

    @Test func queueThatHasGrownIsNamedOnceUntilItGrowsAgain() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("1"), delivery("x", to: "b")]))
            expectEqual(store.takeGrownQueues(by: 2), [])
            _ = try await store.commit(Change(deliveries: [delivery("2")]))
            expectEqual(store.takeGrownQueues(by: 2), ["endpoint-1"])
            expectEqual(store.takeGrownQueues(by: 1), ["b"])
            expectEqual(store.takeGrownQueues(by: 1), [])
            // What is not committed does not count; what is sent again does.
            _ = try? await store.commit(Change(deliveries: [delivery("1")]))
            expectEqual(store.takeGrownQueues(by: 1), [])
            let id = try await store.pendingDeliveries(perEndpoint: 1)[0].id
            try await store.record(
                DeliveryRecord(
                    deliveryID: id,
                    status: .delivered(at: startOfTests),
                    attempts: 1,
                    statusCode: 200,
                    state: []
                )
            )
            let time = startOfTests
            let count = try await store.redeliver(
                to: "endpoint-1",
                createdFrom: time,
                through: time,
                now: time,
                rowsMax: 9
            )
            expectEqual(count, 1)
            expectEqual(store.takeGrownQueues(by: 1), ["endpoint-1"])
        }
    }
}
