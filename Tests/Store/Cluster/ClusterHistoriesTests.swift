import Expectations
import StoreTesting

@testable import Store
@testable import Topics

/// Histories that a node reads from PostgreSQL.
@Suite("Histories of nodes", .timeLimit(.minutes(10)))
struct ClusterHistoriesTests {
    private let fixture = ClusterFixture()

    private func histories(_ topics: [Topic], _ node: Node) async throws -> [FoundHistory] {
        let limit = HistoryLimit(count: 3, age: nil)
        let reads = topics.map { HistoryRead(topic: $0, limit: limit) }
        return try await node.store.histories(reads, now: startOfTests)
    }

    /// Whichever node has committed it.
    @Test func snapshotHasWhatAllNodesHaveCommitted() async throws {
        try await fixture.withNodes(["a", "b"]) { nodes in
            try await nodes[0].publish(radar, "1")
            try await nodes[1].publish(radar, "2")
            try await nodes[0].publish(news, "3")
            let found = try await histories([news, chat, radar], nodes[0])
            guard case .history(let first) = found[0], case .nothing(0) = found[1],
                case .history(let last) = found[2]
            else {
                Issue.record("\(found)")
                return
            }
            expectEqual(first.publications.map(text), ["3"])
            expectEqual(last.publications.map(text), ["1", "2"])
            _ = await nodes[0].told()
            expectEqual(last.throughCursor, nodes[0].toldCursors[1])
        }
    }

    /// The last row that is read is the first one too many.
    @Test(arguments: [(2000, 3), (1999, 2), (1, 2), (Int.max, 5)])
    func longHistoryIsReadAsFarAsItIsNeeded(bytes: Int, count: Int) async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let payload = String(repeating: "x", count: 1000)
            for _ in 0..<5 { try await nodes[0].publish(radar, payload) }
            let offsets = try await nodes[0].store.reading { session -> [Int64] in
                guard case .postgres(let postgres) = session.engine,
                    let row = try TopicRow.fetchOne(session, topic: radar)
                else { return [] }
                let rows = try postgres.newestRows(
                    ofTopic: row.id,
                    evictedOffset: 0,
                    rows: 9,
                    bytes: bytes
                )
                return try rows.map { try $0[0] }
            }
            expectEqual(offsets, (0..<count).map { Int64(5 - $0) })
        }
    }

    /// As on a standby that was promoted without it.
    @Test(arguments: ["DELETE FROM batch", "UPDATE batch SET last_cursor = last_cursor + 1"])
    func snapshotWithoutTheLastBatchIsRefused(change: String) async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            try await expectEqual(histories([radar], nodes[0]).count, 1)
            try fixture.run("CREATE TABLE kept AS SELECT * FROM batch")
            try fixture.run(change)
            let error = await #expect(throws: StoreError.self) {
                try await histories([radar], nodes[0])
            }
            expectEqual(error?.code, .gone)
            await #expect(throws: StoreError.self) { try await nodes[0].store.newestCursor() }
            await #expect(throws: StoreError.self) {
                try await nodes[0].store.loadTopics(changedAfter: 0, now: startOfTests) { _ in nil }
            }
            try fixture.run("DELETE FROM batch")
            try fixture.run("INSERT INTO batch SELECT * FROM kept")
            try await expectEqual(histories([radar], nodes[0]).count, 1)
        }
    }

    /// A node goes on while it reads, and the log is trimmed behind it.
    @Test func snapshotMayHaveDeletedTheLastBatch() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            let late = try await Node(fixture.open("b"), follows: false)
            try await nodes[0].publish(radar, "1")
            try await nodes[0].publish(radar, "2")
            try fixture.run("DELETE FROM batch WHERE number < (SELECT max(number) FROM batch)")
            guard case .history(let history) = try await histories([radar], late)[0] else {
                Issue.record("nothing")
                return
            }
            expectEqual(history.publications.map(text), ["1", "2"])
            try await late.store.close()
        }
    }

    @Test func snapshotOfAnotherEpochIsRefused() async throws {
        try await fixture.withNodes(["a"]) { nodes in
            try await nodes[0].publish(radar, "1")
            try fixture.run("UPDATE hub SET epoch = 'other'")
            let error = await #expect(throws: StoreError.self) {
                try await histories([radar], nodes[0])
            }
            expectEqual(error?.code, .gone)
        }
    }
}
