import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store
@testable import Topics

@Suite("PostgreSQL: epochs", .timeLimit(.minutes(10)))
struct PostgresEpochTests {
    /// A schema of its own, which the server drops with everything else.
    private let schema = "e" + UUID().uuidString.replacing("-", with: "").lowercased()

    private func open(epoch: String = "epoch-1") throws -> HubStore {
        try HubStore(
            StoreOptions(path: testServer() + "&schema=" + schema),
            wall: startOfTests,
            newEpoch: epoch
        )
    }

    /// Runs statements as somebody else.
    private func run(_ sql: String) throws {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SET search_path = \(schema), pg_catalog; \(sql)")
    }

    /// As after the promotion of a standby, after a dump was restored on another server, and where an
    /// operator asks for it.
    @Test(arguments: ["timeline = timeline + 1", "system = '1'", "system = NULL"])
    func otherServerBeginsAnEpoch(change: String) async throws {
        let first = try open()
        try await first.commit([event(radar, "a")])
        let cursor = first.cursorBase + 1
        try await first.close()
        try run("UPDATE hub SET \(change)")
        let second = try open(epoch: "epoch-2")
        expectEqual(second.epoch, "epoch-2")
        expect(second.cursorBase > cursor)
        let outcome = try await second.publish(event(radar, "b"))
        let publication = try require([outcome].publications.first)
        expectEqual(publication.offset, 2)
        expect(publication.cursor > cursor)
        try await second.close()
    }

    /// Connections that read are made again, and lead to a standby that was promoted: here to another table,
    /// which counts as another server.
    @Test func anotherServerIsNotReadFrom() async throws {
        let store = try open()
        try await store.commit([event(radar, "a")])
        let limit = HistoryLimit(count: 3, age: nil)
        let reads = [HistoryRead(topic: radar, limit: limit)]
        guard case .history(let found) = try await store.histories(reads, now: startOfTests)[0]
        else {
            Issue.record("nothing")
            return
        }
        expectEqual(found.publications.map(text), ["a"])
        try run(
            """
            CREATE TABLE restored (LIKE publication INCLUDING ALL);
            INSERT INTO restored SELECT * FROM publication;
            DROP TABLE publication;
            ALTER TABLE restored RENAME TO publication
            """
        )
        // Both readers.
        for _ in 0..<2 {
            try await store.reading { session in
                if case .postgres(let session) = session.engine { session.drop() }
            }
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.histories(reads, now: startOfTests)
        }
        expectEqual(error?.code, .gone)
        try await store.close()
    }

    /// As after a dump was restored on the same server: the rows are there, in another table.
    @Test func restoredTableBeginsAnEpoch() async throws {
        let first = try open()
        try await first.commit([event(radar, "a"), event(radar, "b")])
        try await first.close()
        try run(
            """
            CREATE TABLE restored (LIKE publication INCLUDING ALL);
            INSERT INTO restored SELECT * FROM publication WHERE topic_offset = 1;
            DROP TABLE publication;
            ALTER TABLE restored RENAME TO publication
            """
        )
        let second = try open(epoch: "epoch-2")
        expectEqual(second.epoch, "epoch-2")
        let outcome = try await second.publish(event(radar, "c"))
        expectEqual([outcome].publications.first?.offset, 2)
        try await second.close()
        let third = try open(epoch: "epoch-3")
        expectEqual(third.epoch, "epoch-2")
        try await third.close()
    }
}
