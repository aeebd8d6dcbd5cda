import Expectations
import PostgresTesting
import StoreTesting

@testable import Store

@Suite("Copies that lose their connection", .timeLimit(.minutes(10)))
struct LostCopyConnectionTests {
    @Test func copyLeavesNothingAndCanBeRepeated() async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(.toPostgres, directory)
            let store = try places.open(places.source)
            try await store.commit([event(radar, "a")])
            try await store.close()
            let error = try places.refusal { _ in try places.endConnections() }
            expectEqual(error?.code, .cannotOpen)
            let tables = try places.copy()
            expectEqual(tables.first { $0.name == "publication" }?.rows, 1)
        }
    }

    private func withTransaction(
        _ body: (PostgresSession, PostgresTarget, CopyPlaces) throws -> Void
    ) throws {
        let places = try CopyPlaces(.toPostgres, "/nowhere")
        let target = try require(PostgresTarget(places.url))
        let session = try PostgresSession { try PostgresEngine.connect(target) }
        try session.begin()
        try session.connection.execute("CREATE SCHEMA \(places.schema)")
        try session.connection.execute("CREATE TABLE copied (id bigint)")
        try body(session, target, places)
        session.close()
    }

    @Test func commitThatDoesNotArriveIsAnError() throws {
        try withTransaction { session, target, places in
            session.drop()
            let error = #expect(throws: PostgresError.self) {
                try PostgresCopyEnd.commit(session, target)
            }
            expectEqual(error?.code, .noConnection)
            try places.expectNothingInTarget()
        }
    }

    @Test func commitWhoseAnswerIsLostIsCommitted() throws {
        try withTransaction { session, target, places in
            try session.connection.execute("COMMIT")
            session.drop()
            try PostgresCopyEnd.commit(session, target)
            try expectEqual(places.run("SELECT count(*) FROM copied").integer(0, 0), 0)
        }
    }
}

extension CopyPlaces {
    /// Ends the connection that has the claim of the schema.
    fileprivate func endConnections() throws {
        let ended = try run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
            WHERE locktype = 'advisory' AND objid = '\(schema)'::regnamespace::integer
            """
        )
        expectEqual(ended.rowCount, 1)
    }
}
