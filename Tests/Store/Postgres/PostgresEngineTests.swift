import Expectations
import Foundation
import PostgresTesting
import StoreTesting

@testable import Store

@Suite("PostgreSQL: stores", .timeLimit(.minutes(10)))
struct PostgresEngineTests {
    /// A schema of its own, which the server drops with everything else.
    private let url: String
    private let schema: String

    init() throws {
        schema = "t" + UUID().uuidString.replacing("-", with: "").lowercased()
        url = try testServer() + "&schema=" + schema
    }

    private func open(
        epoch: String = "epoch-1",
        migrations: [Migration] = [],
        busyTimeout: Duration = .seconds(5),
        commit: (@Sendable (SQLSession) throws -> Void)? = nil
    ) throws -> HubStore {
        var options = StoreOptions(
            path: url,
            busyTimeout: busyTimeout,
            wallClock: { startOfTests },
            migrations: migrations
        )
        if let commit { options.commit = commit }
        return try HubStore(options, wall: startOfTests, newEpoch: epoch)
    }

    /// Runs a statement as somebody else.
    @discardableResult
    private func run(_ sql: String) throws -> PostgresResult {
        let connection = try PostgresConnection(testServer())
        try connection.execute("SET search_path = \(schema), pg_catalog")
        return try connection.run(sql)
    }

    private func errorOpening() -> StoreError? {
        do {
            _ = try open(busyTimeout: .milliseconds(50))
            return nil
        } catch {
            return error as? StoreError
        }
    }

    // MARK: The start

    @Test func storeGoesOnWhereItWasClosed() async throws {
        let first = try open()
        try await first.commit([event(radar, "a"), event(news, "b")])
        try await first.close()
        let second = try open(epoch: "epoch-2")
        expectEqual(second.epoch, "epoch-1")
        let outcome = try await second.publish(event(radar, "c"))
        let publication = try require([outcome].publications.first)
        expectEqual(publication.offset, 2)
        expectEqual(publication.cursor, second.cursorBase + 3)
        try await expectEqual(second.loadAll().map(\.topOffset), [2, 1])
        try await second.close()
    }

    @Test func twoHubsCannotHaveOneSchema() async throws {
        let first = try open()
        let error = errorOpening()
        expectEqual(error?.code, .locked)
        expectEqual(error?.message, "schema \(schema) is in use: another hub runs on it")
        try await first.close()
        try await open().close()
    }

    @Test func laterHubDoesNotChangeASchemaInUse() async throws {
        let first = try open()
        let step = Migration("things.1", sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY) STRICT")
        let error = #expect(throws: StoreError.self) { try open(migrations: [step]) }
        expectEqual(error?.code, .locked)
        let tables = try run("SELECT to_regclass('thing') IS NOT NULL")
        try expectEqual(tables.integer(0, 0), 0)
        try await first.close()
    }

    @Test func tablesOfAnotherApplicationAreLeftAsTheyWere() throws {
        try run("CREATE SCHEMA \(schema)")
        try run("CREATE TABLE ours (id bigint)")
        let error = errorOpening()
        expectEqual(error?.code, .foreignDatabase)
        let tables = try run(
            "SELECT count(*) FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace"
        )
        try expectEqual(tables.integer(0, 0), 1)
    }

    @Test func schemaOfALaterHubIsRefused() async throws {
        try await open().close()
        try run("INSERT INTO migration VALUES ('core.999')")
        let error = errorOpening()
        expectEqual(error?.code, .newerSchema)
        expectEqual(error?.message.contains("core.999"), true)
    }

    @Test func stepsOfDomainsAreAddedLater() async throws {
        try await open().close()
        let step = Migration("things.1", sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY) STRICT")
        let store = try open(migrations: [step])
        try await expectEqual(store.onSession { try $0.integer("SELECT count(*) FROM thing") }, 0)
        try await store.close()
        expectEqual(errorOpening()?.code, .newerSchema)
    }

    @Test func tablesOfADomainThatIsOffAreMissingUntilItIsOn() async throws {
        let first = Migration("things.1", sql: "CREATE TABLE thing (id INTEGER) STRICT")
        let second = Migration("things.2", sql: "ALTER TABLE thing ADD COLUMN n INTEGER")
        var options = StoreOptions(path: url, migrations: [first, second])
        func hasTables(without unused: Set<String>) async throws -> Bool {
            options.unusedMigrations = unused
            let store = try HubStore(options, wall: startOfTests, newEpoch: "e")
            let found = store.hasTables(of: [first, second])
            expect(store.hasTables(of: []))
            try await store.close()
            return found
        }
        try await expect(!hasTables(without: ["things.1", "things.2"]))
        // On in an earlier release, and off since: the second step is missing.
        try await expect(!hasTables(without: ["things.2"]))
        try await expect(hasTables(without: []))
        try await expect(hasTables(without: ["things.1", "things.2"]))
    }

    @Test func stepThatOnlySQLiteHasIsRefused() {
        let step = Migration("things.1", sql: "CREATE VIRTUAL TABLE thing USING fts5 (text)")
        let error = #expect(throws: StoreError.self) { try open(migrations: [step]) }
        expectEqual(error?.code, .cannotOpen)
        let message = error?.message ?? ""
        expect(message.hasPrefix("the tables things.1 need SQLite"), "\(message)")
    }

    @Test func databaseWithAnotherEncodingIsRefused() throws {
        let server = try testServer()
        let connection = try PostgresConnection(server)
        try connection.execute(
            "CREATE DATABASE \(schema) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
        )
        let error = #expect(throws: StoreError.self) {
            let path = server.replacing("/postgres?", with: "/\(schema)?")
            return try HubStore(StoreOptions(path: path), wall: startOfTests, newEpoch: "e")
        }
        expectEqual(error?.code, .cannotOpen)
        expectEqual(error?.message.hasPrefix("the database has the encoding LATIN1"), true)
    }

    @Test func standbyAndOldServersAreNoStores() throws {
        let error = #expect(throws: StoreError.self) {
            let path = "postgresql:///hub?host=/nowhere&user=varde"
            return try HubStore(
                StoreOptions(path: path),
                wall: startOfTests,
                newEpoch: "e"
            )
        }
        expectEqual(error?.code, .cannotOpen)
        expectEqual(error?.path, "postgresql:///hub")
    }

    // MARK: Lost connections

    private func endConnections() throws {
        try run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
            WHERE locktype = 'advisory' AND objid = '\(schema)'::regnamespace::integer
            """
        )
    }

    @Test func connectionThatWasLostInBetweenIsMadeAgain() async throws {
        let store = try open()
        try await store.commit([event(radar, "a")])
        try endConnections()
        try await store.commit([event(radar, "b")])
        try await expectEqual(store.loadAll()[0].publications.map(text), ["a", "b"])
        expectEqual(store.health, .ok)
        expectEqual(errorOpening()?.code, .locked, "the claim was made again")
        expectNil(store.restartReason)
        try await store.close()
    }

    /// It has neither the other hub's publications nor its offsets in memory.
    @Test func hubThatLostItsClaimToAnotherOneRefusesToGoOn() async throws {
        let first = try open()
        try await first.commit([event(radar, "a")])
        // A hub that starts when the first one has lost its connection, and ends before it is back.
        try run("UPDATE hub SET claims = claims + 1")
        try endConnections()
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await first.commit([event(radar, "b")])
            }
            expectEqual(error?.code, .gone)
        }
        expectEqual(first.restartReason?.hasPrefix("another hub has used schema \(schema)"), true)
        expect(first.health != .ok)
        try await first.close()
        let second = try open()
        try await expectEqual(second.loadAll().map(\.topOffset), [1])
        try await second.close()
    }

    @Test func schemaThatIsNoNameIsRefused() throws {
        let error = #expect(throws: StoreError.self) {
            try HubStore(
                StoreOptions(path: "postgresql:///hub?schema=Night"),
                wall: startOfTests,
                newEpoch: "e"
            )
        }
        expectEqual(error?.code, .cannotOpen)
        expectEqual(error?.message.contains("1 to 63"), true)
    }

    /// A role that may no longer log in is as good as a server that is away.
    @Test func storeNoticesThatItsServerIsAwayWithoutAWrite() async throws {
        try run("CREATE ROLE \(schema) LOGIN SUPERUSER")
        let store = try HubStore(
            StoreOptions(
                path: url.replacing("user=varde", with: "user=" + schema),
                wallClock: { startOfTests },
                watchInterval: .milliseconds(1)
            ),
            wall: startOfTests,
            newEpoch: "epoch-1"
        )
        try run("ALTER ROLE \(schema) NOLOGIN")
        try endConnections()
        while store.health == .ok { await Task.yield() }
        // Also writes after which deliveries are counted.
        await #expect(throws: StoreError.self) { try await store.checkWritable() }
        await #expect(throws: StoreError.self) {
            try await store.commit(Change(deliveries: [delivery("m")]))
        }
        expectEqual(store.health.refusal, "cannot open the database")
        try run("ALTER ROLE \(schema) LOGIN")
        while store.health != .ok { await store.probeIfFailing() }
        try await store.commit([event(radar, "a")])
        try await store.close()
    }

    @Test func readersConnectAgain() async throws {
        let store = try open()
        try await store.commit([event(radar, "a")])
        let own = try await store.onSession { try $0.integer("SELECT pg_backend_pid()") }
        try run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE application_name = 'varde' AND query LIKE '%\(schema)%' AND pid <> \(own ?? 0)
            """
        )
        for _ in 0..<4 { try await expectEqual(store.loadAll().count, 1) }
        try await store.close()
    }

    @Test func transactionWhoseConnectionIsLostFailsAsAWhole() async throws {
        let store = try open()
        try await store.commit([event(radar, "a")])
        let error = await #expect(throws: StoreError.self) {
            try await store.commit(NoTables.self) { _ in
                try endConnections()
                return (Change(events: [event(radar, "lost")]), 0)
            }
        }
        expectEqual(error?.code, .cannotOpen)
        let outcome = try await store.publish(event(radar, "b"))
        expectEqual([outcome].publications.map(\.offset), [2])
        try await expectEqual(store.loadAll()[0].publications.map(text), ["a", "b"])
        expectEqual(store.health, .ok)
        try await store.close()
    }

    // MARK: Commits that are not answered

    /// Ends the next commit in another way.
    private final class Cut: Sendable {
        let isArmed = Locked(false)

        func commit(
            _ session: SQLSession,
            _ cut: (SQLSession) throws -> Void
        ) throws {
            guard isArmed.withLock({ $0 }) else { return try session.commit() }
            isArmed.withLock { $0 = false }
            try cut(session)
            throw PostgresError(.noConnection, "cut")
        }
    }

    @Test func commitWhoseAnswerIsLostIsCommitted() async throws {
        let cut = Cut()
        let store = try open { session in
            try cut.commit(session) { session in
                try session.commit()
                if case .postgres(let session) = session.engine { session.drop() }
            }
        }
        cut.isArmed.withLock { $0 = true }
        let outcome = try await store.publish(event(radar, "a"))
        expectEqual([outcome].publications.map(\.offset), [1])
        let next = try await store.publish(event(radar, "b"))
        expectEqual([next].publications.map(\.offset), [2])
        try await expectEqual(store.loadAll()[0].publications.map(text), ["a", "b"])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func commitThatDoesNotArriveIsLost(connectionIsClosed: Bool) async throws {
        let cut = Cut()
        let store = try open { session in
            try cut.commit(session) { session in
                guard connectionIsClosed, case .postgres(let session) = session.engine else {
                    return
                }
                session.drop()
            }
        }
        cut.isArmed.withLock { $0 = true }
        let error = await #expect(throws: StoreError.self) {
            try await store.publish(event(radar, "lost"))
        }
        expectEqual(error?.code, .cannotOpen, "and not fateUnknown")
        let outcome = try await store.publish(event(radar, "a"))
        expectEqual([outcome].publications.map(\.offset), [1])
        try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
        try await store.close()
    }

    /// An offset that no hub has written.
    @Test func keyWithADamagedOffsetRefusesItsEventAlone() async throws {
        let store = try open()
        var keyed = event(radar, "a")
        keyed.idempotencyKey = "k"
        _ = try await store.publish(keyed)
        try await store.onSession { session in
            try session.run("UPDATE idempotency SET topic_offset = \(Int64.max)")
        }
        let error = await #expect(throws: StoreError.self) { try await store.publish(keyed) }
        expectEqual(error?.code, .corrupt)
        let outcome = try await store.publish(event(radar, "b"))
        expectEqual([outcome].publications.map(\.offset), [2])
        try await store.close()
    }

    /// PostgreSQL answers the COMMIT of a failed transaction with success. A statement without a
    /// result fails later, where nobody hides it.
    @Test(arguments: [true, false])
    func changeThatHidesAFailedStatementIsNotAcknowledged(_ hidesNow: Bool) async throws {
        let step = Migration("things.1", sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY) STRICT")
        let store = try open(migrations: [step])
        let error = await #expect(throws: StoreError.self) {
            try await store.commit(Things.self) { things in
                let insert = "INSERT INTO thing (id) VALUES (?)"
                if hidesNow {
                    _ = try? things.session.insert(insert + " RETURNING id", ["no number"])
                } else {
                    try? things.session.run(insert, ["no number"])
                }
                return (Change(), 0)
            }
        }
        expectEqual(error?.sql, (hidesNow ? "COMMIT" : "INSERT INTO thing (id) VALUES ($1)"))
        try await store.commit([event(radar, "a")])
        try await expectEqual(store.loadAll().map(\.topOffset), [1])
        try await store.close()
    }

    private struct Things: DomainTables {
        let session: SQLSession
        init(_ session: SQLSession, path _: String) { self.session = session }
    }

    // MARK: Values

    @Test func textThatPostgresHasNoRoomForFailsItsChangeAlone() async throws {
        let store = try open()
        let good = Change(state: [StateRow(domain: "d", key: "k", value: [0])])
        let bad = Change(state: [StateRow(domain: "d", key: "a\0b", value: [1])])
        let results = try await store.onSession { session in
            store.testWriter.commit([.change(good), .change(bad)], in: session)
        }
        expectEqual(results.map(\.isSuccess), [true, false])
        try await expectEqual(store.state(domain: "d").map(\.key), ["k"])
        let error = await #expect(throws: StoreError.self) { try await store.commit(bad) }
        expectEqual(error?.code, .constraint)
        try await store.close()
    }
}
