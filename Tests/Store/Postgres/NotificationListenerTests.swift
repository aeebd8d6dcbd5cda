import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

@Suite("PostgreSQL: the listener to publications", .timeLimit(.minutes(10)))
struct NotificationListenerTests {
    private let fixture: InboxFixture

    init() throws { fixture = try InboxFixture() }

    /// Counts what the listener reports.
    private final class Events: Sendable {
        private let counts = Locked((wakes: 0, losses: 0))

        var wakes: Int { counts.withLock { $0.wakes } }
        var losses: Int { counts.withLock { $0.losses } }

        func note(_ event: NotificationListener.Event) {
            counts.withLock { counts in
                switch event {
                case .wake: counts.wakes += 1
                case .lost: counts.losses += 1
                }
            }
        }

        func waitForWakes(_ count: Int) async {
            while wakes < count { await Task.yield() }
        }
    }

    private func listenerCount() throws -> Int64? {
        try fixture.run(
            "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN \(fixture.schema)'"
        ).integer(0, 0)
    }

    @Test func commitWakesAndRollbackDoesNot() async throws {
        try await fixture.withStore { store in
            let events = Events()
            let listener = try require(store.inboxListener())
            listener.begin { events.note($0) }
            await events.waitForWakes(1)
            let application = try fixture.application()
            try application.execute("BEGIN")
            try fixture.publish(1, in: application)
            try application.execute("ROLLBACK")
            try fixture.publish(2, in: application)
            await events.waitForWakes(2)
            try fixture.publish(3, in: application)
            await events.waitForWakes(3)
            expectEqual(events.wakes, 3)
            expectEqual(events.losses, 0)
            listener.stop()
            while try listenerCount() != 0 { await Task.yield() }
        }
    }

    @Test func lostConnectionIsMadeAgainAndWakes() async throws {
        try await fixture.withStore { store in
            let events = Events()
            let listener = try require(store.inboxListener(retryAfter: .milliseconds(1)))
            listener.begin { events.note($0) }
            for round in 1...3 {
                await events.waitForWakes(round)
                try fixture.endConnections("query = 'LISTEN \(fixture.schema)'")
            }
            await events.waitForWakes(4)
            expectEqual(events.losses, 3)
            try fixture.publish(1)
            await events.waitForWakes(5)
            listener.stop()
        }
    }

    /// Of failures in a row, the first one is reported.
    @Test func serverThatIsAwayIsReportedOnce() async {
        let attempts = Locked(0)
        let events = Events()
        let listener = NotificationListener(channel: "a", retryAfter: .milliseconds(1)) {
            attempts.withLock { $0 += 1 }
            throw PostgresError(.noConnection, "away")
        }
        listener.begin { events.note($0) }
        while attempts.withLock({ $0 }) < 3 { await Task.yield() }
        listener.stop()
        expectEqual(events.losses, 1)
        expectEqual(events.wakes, 0)
    }
}
