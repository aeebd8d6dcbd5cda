import Expectations
import StoreTesting

@testable import Store

@Suite("Webhook outbox: the attempts of an endpoint", .timeLimit(.minutes(10)))
struct AttemptTests {
    private func attempt(
        _ outcome: NewAttempt.Outcome,
        of row: StoredDelivery,
        at seconds: Int = 0,
        error: String? = nil,
        content: String? = nil
    ) -> NewAttempt {
        NewAttempt(
            endpoint: row.endpoint,
            time: startOfTests + .seconds(seconds),
            duration: .microseconds(1_500_001),
            outcome: outcome,
            error: error,
            content: content.map { Array($0.utf8) }
        )
    }

    private func record(
        _ row: StoredDelivery,
        _ status: DeliveryStatus,
        number: Int = 1,
        statusCode: Int? = nil
    ) -> DeliveryRecord {
        DeliveryRecord(
            deliveryID: row.id,
            status: status,
            attempts: number,
            statusCode: statusCode,
            state: []
        )
    }

    private func commit(_ deliveries: NewDelivery..., in store: HubStore) async throws
        -> [StoredDelivery]
    {
        _ = try await store.commit(Change(deliveries: deliveries))
        return try await store.pendingDeliveries(perEndpoint: 99)
    }

    @Test func attemptIsListedWithItsDeliveryTheNewestFirst() async throws {
        try await withStore { store in
            var new = delivery("m1")
            new.topic = radar
            let rows = try await commit(new, delivery("m2", to: "b"), in: store)
            let next = startOfTests + .seconds(5)
            let failed = attempt(.failed, of: rows[0], error: "cannot connect: x")
            try await store.record(record(rows[0], .pending(nextAttempt: next)), after: failed)
            let done = attempt(.delivered, of: rows[0], at: 5, content: "{\u{0}å")
            let status = DeliveryStatus.delivered(at: next)
            try await store.record(
                record(rows[0], status, number: 2, statusCode: 200),
                after: done
            )
            let gone = attempt(.gone, of: rows[1], content: "")
            try await store.record(
                record(rows[1], .failed(at: next), statusCode: 410),
                after: gone
            )
            let first = StoredAttempt(
                attempt: failed,
                number: 1,
                statusCode: nil,
                next: next,
                messageID: "m1",
                eventType: "radar.refreshed",
                topic: radar.name
            )
            var second = first
            (second.attempt, second.number, second.statusCode, second.next) = (done, 2, 200, nil)
            try await expectEqual(store.attempts(of: "endpoint-1", limit: 9), [second, first])
            try await expectEqual(store.attempts(of: "endpoint-1", limit: 1), [second])
            let other = try await store.attempts(of: "b", limit: 9)
            expectEqual(other.map(\.attempt), [gone])
            expectEqual(other.map(\.topic), [nil])
            try await expectEqual(store.attempts(of: "c", limit: 9), [])
        }
    }

    @Test func recordOfACommandIsNoAttempt() async throws {
        try await withStore { store in
            let rows = try await commit(delivery("m1"), in: store)
            try await store.record(record(rows[0], .failed(at: startOfTests)))
            try expectEqual(store.rowCounts()["attempt"], 0)
        }
    }

    @Test func newestAttemptsOfEachEndpointAreKept() async throws {
        try await withStore { store in
            let rows = try await commit(delivery("m1"), delivery("m2", to: "b"), in: store)
            let status = DeliveryStatus.pending(nextAttempt: startOfTests)
            try await store.record(record(rows[1], status), after: attempt(.failed, of: rows[1]))
            let max = StoredAttempt.keptMax
            for number in 1...max + 2 {
                try await store.record(
                    record(rows[0], status, number: number),
                    after: attempt(.failed, of: rows[0], at: number)
                )
            }
            let kept = try await store.attempts(of: "endpoint-1", limit: max + 9)
            expectEqual(kept.map(\.number), (3...max + 2).reversed())
            try await expectEqual(store.attempts(of: "b", limit: 9).count, 1)
            try expectEqual(store.rowCounts()["attempt"], max + 1)
        }
    }

    @Test func attemptsOfErasedAndRemovedMessagesAreGone() async throws {
        try await withStore { store in
            var first = delivery("m1")
            (first.topics, first.tags) = ([radar], ["by": "a"])
            let rows = try await commit(
                first,
                delivery("m2"),
                delivery("m3", to: "b"),
                in: store
            )
            let status = DeliveryStatus.pending(nextAttempt: startOfTests)
            for row in rows {
                try await store.record(record(row, status), after: attempt(.failed, of: row))
            }
            _ = try await store.commit(Change(erasures: [erasure(radar, "a")]))
            try await expectEqual(
                store.attempts(of: "endpoint-1", limit: 9).map(\.messageID),
                ["m2"]
            )
            // Its attempt was in progress.
            let late = attempt(.failed, of: rows[0], content: "about a")
            try await expect(!store.record(record(rows[0], status), after: late))
            try expectEqual(store.rowCounts()["attempt"], 2)
            try await store.removeDeliveries(of: "endpoint-1")
            try expectEqual(store.rowCounts()["attempt"], 1)
        }
    }

    @Test func oldAttemptsAreDeleted() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            let rows = try await commit(delivery("m1"), in: store)
            let status = DeliveryStatus.pending(nextAttempt: startOfTests)
            for number in 1...7 {
                try await store.record(
                    record(rows[0], status, number: number),
                    after: attempt(.failed, of: rows[0], at: number)
                )
            }
            try await expectEqual(store.trimAttempts(before: startOfTests + .seconds(6)), 5)
            let kept = try await store.attempts(of: "endpoint-1", limit: 9)
            expectEqual(kept.map(\.number), [7, 6])
        }
    }
}
