import Expectations
import StoreTesting

@testable import Store

/// How often a transaction waits for the server, whatever the number of its events.
@Suite("Round trips to PostgreSQL", .timeLimit(.minutes(10)))
struct RoundTripTests {
    /// One reads what the events need, one adds the rows of new topics, and three delete old keys.
    private static let furtherMax = 5

    enum Kind: String, CaseIterable {
        case keys
        case versions
        case newTopics = "new topics"
        case keysOfNewTopics = "keys of new topics"
        case withoutHistory = "keys and versions without a history"
        case deliveries
        case rows

        func change(_ run: Int) -> Change {
            if self == .rows { return Change(state: (0..<eventCount).map(row)) }
            var change = Change(events: (0..<eventCount).map { event($0, run) })
            if self == .deliveries {
                change.deliveries = (0..<eventCount).map { delivery("\(run)-\($0)") }
            }
            return change
        }

        private func row(_ number: Int) -> StateRow {
            StateRow(domain: "test", key: "\(number)", value: [1])
        }

        private func event(_ number: Int, _ run: Int) -> TopicEvent {
            let isOfNewTopic = self == .newTopics || self == .keysOfNewTopics
            let topic = Topic(trusted: "radar:\(number)\(isOfNewTopic ? "-\(run)" : "")")
            var event = StoreTesting.event(topic, "\(number)")
            event.keepsHistory = self != .withoutHistory
            if self == .keys || self == .keysOfNewTopics || self == .withoutHistory {
                event.idempotencyKey = "\(run)"
            }
            if self == .versions || self == .withoutHistory {
                event.version = EventVersion(number: UInt64(run))
            }
            return event
        }
    }

    @Test(arguments: Kind.allCases, [nil, "a"])
    func transactionOfFiftyEventsWaitsAFewTimes(_ kind: Kind, _ node: String?) async throws {
        let counts = Locked<[Int]>([])
        var fixture = ClusterFixture()
        fixture.commit = { session in
            guard case .postgres(let postgres) = session.engine else { return }
            counts.withLock { $0.append(postgres.connection.roundTrips) }
            try session.commit()
        }
        let store = try fixture.open(node)
        let plain = Change(events: [event(radar, "plain")])
        // What is prepared once is prepared by the first two.
        for run in 1...2 {
            _ = try await store.commit(plain)
            _ = try await store.commit(kind.change(run))
        }
        let before = counts.withLock { $0.count }
        _ = try await store.commit(plain)
        _ = try await store.commit(kind.change(3))
        try await store.close()
        let trips = counts.withLock { Array($0.dropFirst(before - 1)) }
        let (one, fifty) = (trips[1] - trips[0], trips[2] - trips[1])
        // As docs/how-to/postgresql.md has it.
        expect((node == nil ? 3...4 : 5...6).contains(one), "\(one)")
        expect(fifty <= one + Self.furtherMax, "\(kind.rawValue): \(fifty), a plain event \(one)")
    }
}

private let eventCount = 50
