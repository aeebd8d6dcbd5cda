import Expectations
import PostgresTesting
import StoreTesting

@testable import Store

/// Releases of an imaginary hub, each with the steps of the one before.
@Suite("Nodes of two releases", .timeLimit(.minutes(10)))
struct UpgradeTests {
    private let fixture = ClusterFixture()
    private let first = [Migration("notes.1", sql: "CREATE TABLE note (a TEXT) STRICT")]
    private var expanded: [Migration] {
        first + [
            Migration("notes.2", sql: "ALTER TABLE note ADD COLUMN b TEXT", phase: .expand)
        ]
    }
    private var contracted: [Migration] {
        expanded + [
            Migration("notes.3", sql: "ALTER TABLE note DROP COLUMN a", phase: .contract)
        ]
    }

    private var columns: String? {
        get throws {
            try fixture.run(
                """
                SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = 'note'::regclass AND attnum > 0 AND NOT attisdropped
                """
            ).text(0, 0)
        }
    }

    @Test func anExpansionRunsWhileNodesOfTheReleaseBeforeWrite() async throws {
        let a = try await Node(fixture.open("a", first))
        let b = try await Node(fixture.open("b", first))
        try await a.publish(radar, "1")
        let upgraded = try await Node(fixture.open("c", expanded))
        try expectEqual(columns, "a b")
        try await b.publish(radar, "2")
        try await upgraded.publish(radar, "3")
        try await a.publish(radar, "4")
        await expectEqual(a.told(), (1...4).map { .publication(radar, UInt64($0), "\($0)") })
        // A node of the release before can start again, and a hub that has no nodes cannot.
        try await b.store.close()
        let again = try await Node(fixture.open("b", first))
        try await again.publish(radar, "5")
        for node in [a, again, upgraded] { try await node.store.close() }
        let refusal = #expect(throws: StoreError.self) { try fixture.open(nil, first) }
        expectEqual(refusal?.code, .newerSchema)
        expectEqual(refusal?.message.contains("notes.2"), true)
    }

    @Test func aContractionRunsWhenEveryNodeHasIt() async throws {
        let a = try fixture.open("a", expanded)
        let b = try fixture.open("b", contracted)
        try expectEqual(columns, "a b")
        // A node of the release before can still start.
        try await a.close()
        let former = try fixture.open("a", expanded)
        try await former.close()
        let upgraded = try fixture.open("a", contracted)
        try expectEqual(columns, "b")
        let refusal = #expect(throws: StoreError.self) { try fixture.open("c", expanded) }
        expectEqual(refusal?.code, .newerSchema)
        expectEqual(refusal?.message.contains("notes.3"), true)
        try await upgraded.close()
        try await b.close()
    }

    /// It has claimed the schema already, and its row is written next.
    @Test func aNodeThatIsStartingCountsAsOneWithoutTheContraction() async throws {
        let b = try fixture.open("b", contracted.dropLast())
        try await b.close()
        let target = try require(PostgresTarget(testServer() + "&schema=" + fixture.schema))
        let starting = try PostgresEngine.connect(target)
        try PostgresEngine.claim(starting, target, isShared: true)
        try await fixture.open("b", contracted).close()
        try expectEqual(columns, "a b")
        starting.close()
        try await fixture.open("b", contracted).close()
        try expectEqual(columns, "b")
    }

    @Test func aStepThatNeedsTheSchemaAloneNamesItself() async throws {
        let alone = expanded + [Migration("notes.3", sql: "ALTER TABLE note DROP COLUMN a")]
        let a = try fixture.open("a", first)
        let refusal = #expect(throws: StoreError.self) { try fixture.open("b", alone) }
        expectEqual(refusal?.code, .locked)
        expectEqual(
            refusal?.message.contains(
                "no hub may run on schema \(fixture.schema) during the migration notes.3: "
                    + "stop all of them first"
            ),
            true
        )
        // Nothing was run, not even the expansion.
        try expectEqual(columns, "a")
        try await a.close()
        let b = try fixture.open("b", alone)
        try expectEqual(columns, "b")
        // The claim is a shared one afterwards.
        let c = try fixture.open("c", alone)
        for store in [b, c] { try await store.close() }
    }

    @Test func aDomainIsUsedForTheFirstTimeBesideOtherNodes() async throws {
        let a = try fixture.open("a")
        let b = try fixture.open("b", first)
        try expectEqual(columns, "a")
        try await a.close()
        // The node without the domain starts again.
        for store in [b, try fixture.open("a")] { try await store.close() }
    }

    /// The steps of a new schema disturb nobody when they run, and later the release before.
    @Test func aStepOfANewSchemaIsStillUnknownToTheReleaseBefore() async throws {
        let changed = first + [Migration("notes.2", sql: "ALTER TABLE note RENAME COLUMN a TO b")]
        let a = try fixture.open("a", changed)
        let refusal = #expect(throws: StoreError.self) { try fixture.open("b", first) }
        expectEqual(refusal?.code, .newerSchema)
        expectEqual(refusal?.message.contains("notes.2"), true)
        // A node without the domain does not use its tables.
        let without = try fixture.open("b")
        for store in [a, without] { try await store.close() }
    }

    /// A node notes every second that it lives.
    @Test func aNodeThatWasNotSeenForTenSecondsDelaysNoContraction() async throws {
        let former = try fixture.open("a", expanded)
        let b = try fixture.open("b", contracted)
        try await former.close()
        for (seconds, columns) in [(8, "a b"), (11, "b")] {
            try fixture.run("DELETE FROM node WHERE name = 'other'")
            try fixture.run(
                """
                INSERT INTO node (process, name, version, applied, seen_at)
                VALUES ('p', 'other', '1', 1, clock_timestamp() - interval '\(seconds) seconds')
                """
            )
            try await fixture.open("c", contracted).close()
            try expectEqual(self.columns, columns)
        }
        try await b.close()
    }

    @Test func anExpansionDoesNotWaitLongForATable() async throws {
        let a = try fixture.open("a", first)
        let backup = try PostgresConnection(testServer())
        try backup.execute("SET search_path = \(fixture.schema), pg_catalog")
        try backup.execute("BEGIN; SELECT FROM note")
        let refusal = #expect(throws: StoreError.self) { try fixture.open("b", expanded) }
        expectEqual(refusal?.code, .locked)
        expectEqual(
            refusal?.message.contains("the migration notes.2 waits for another transaction"),
            true
        )
        try backup.execute("COMMIT")
        try expectEqual(columns, "a")
        let b = try fixture.open("b", expanded)
        for store in [a, b] { try await store.close() }
    }

    @Test func aLogOfANewerFormatIsRefused() async throws {
        let a = try fixture.open("a")
        try fixture.run("UPDATE batch SET records = decode('02', 'hex')")
        let refusal = #expect(throws: StoreError.self) { try fixture.open("b") }
        expectEqual(refusal?.code, .newerSchema)
        expectEqual(refusal?.message.contains("the log has format 2, this hub reads 1"), true)
        try await a.close()
    }

    @Test func aNodeTellsWhatItHas() async throws {
        let a = try fixture.open("a", contracted)
        let row = try fixture.run("SELECT contracts, log_version FROM node")
        try expectEqual(row.text(0, 0), "notes.3")
        try expectEqual(row.integer(0, 1), Int64(LogCoding.version))
        try await a.close()
    }
}
