import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

/// The rights that a hub's role needs in its database, and those that other roles have in it.
@Suite("PostgreSQL: rights", .timeLimit(.minutes(10)))
struct PostgresRightsTests {
    /// A database and a role of its own.
    private let name = "r" + UUID().uuidString.replacing("-", with: "").lowercased()

    init() throws {
        try run("CREATE ROLE \(name) LOGIN", in: "postgres")
        try run("CREATE DATABASE \(name) ENCODING 'UTF8' TEMPLATE template0", in: "postgres")
    }

    /// Runs a statement as a superuser.
    private func run(_ sql: String, in database: String? = nil) throws {
        let target = try testServer().replacing("postgres?", with: "\(database ?? name)?")
        try PostgresConnection(target).execute(sql)
    }

    private func open(schema: String) throws -> HubStore {
        let url = try testServer().replacing("postgres?", with: "\(name)?")
            .replacing("user=varde", with: "user=\(name)")
        return try HubStore(
            StoreOptions(path: url + "&schema=" + schema),
            wall: startOfTests,
            newEpoch: "epoch-1"
        )
    }

    /// An administrator may take the right to create a schema back, or make the schema.
    @Test func schemaThatExistsNeedsNoRightToCreateOne() async throws {
        let refusal = #expect(throws: StoreError.self) { try open(schema: "one") }
        expectEqual(refusal?.message.contains("permission denied for database"), true)
        try run("GRANT CREATE ON DATABASE \(name) TO \(name)")
        try await open(schema: "one").close()
        try run("REVOKE CREATE ON DATABASE \(name) FROM \(name)")
        try await open(schema: "one").close()
        try run("CREATE SCHEMA two; GRANT USAGE, CREATE ON SCHEMA two TO \(name)")
        try await open(schema: "two").close()
    }

    /// The roles of the warning at a start; nil without one.
    private func warnedOf() async throws -> String? {
        let store = try open(schema: "one")
        let found = Locked<String?>(nil)
        store.setNoticeHandler { notice in
            if case .openToOthers(_, let roles) = notice { found.withLock { $0 = roles } }
        }
        try await store.close()
        return found.withLock { $0 }
    }

    @Test func rolesThatMayConnectWithoutABusinessAreNamed() async throws {
        try run("GRANT CREATE ON DATABASE \(name) TO \(name)")
        try await expectEqual(warnedOf(), "PUBLIC")
        try run("REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC")
        try run("GRANT CONNECT ON DATABASE \(name) TO \(name)")
        try await expectNil(warnedOf())
        let eve = name + "_eve"
        try run("CREATE ROLE \(eve) LOGIN; GRANT CONNECT ON DATABASE \(name) TO \(eve)")
        try await expectEqual(warnedOf(), eve)
        // As an application that publishes from SQL.
        try run("GRANT USAGE ON SCHEMA one TO \(eve)")
        try await expectNil(warnedOf())
    }
}
