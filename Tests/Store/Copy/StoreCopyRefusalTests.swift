import Expectations
import Foundation
import GRDB
import StoreTesting

@testable import Store

@Suite("Copies that are refused or fail", .timeLimit(.minutes(10)))
struct StoreCopyRefusalTests {
    private func withSource(
        _ direction: CopyDirection,
        _ body: (CopyPlaces) async throws -> Void
    ) async throws {
        try await withDirectory { directory throws in
            // The source's directory is another one: the target's must stay empty.
            let home = direction == .toPostgres ? "/source" : "/target"
            let inner = directory + home
            try FileManager.default.createDirectory(
                atPath: inner,
                withIntermediateDirectories: true
            )
            let places = try CopyPlaces(direction, inner)
            let store = try places.open(places.source)
            try await CopyPlaces.fill(store)
            try await store.close()
            try await body(places)
        }
    }

    // MARK: Differences

    static let differences = [
        (
            "publication",
            "UPDATE publication SET payload = topic.payload FROM (SELECT x'00' AS payload) AS topic WHERE topic_offset = 2 AND topic_id = 2"
        ),
        ("publication", "DELETE FROM publication WHERE topic_offset = 8"),
        ("thing", "UPDATE thing SET name = 'b' WHERE name = 'a'"),
        ("thing", "UPDATE thing SET weight = 0 WHERE name = 'a'"),
        ("thing", "UPDATE thing SET weight = weight * 1.0000000000000002 WHERE name = 'Z'"),
        ("film_text", "UPDATE film_text SET people = 'ann' WHERE \"rowid\" = 70000"),
        ("hub", "UPDATE hub SET cursors_reserved = cursors_reserved + 1"),
        ("written", "INSERT INTO written (number, key) VALUES (1, x'99')"),
    ]

    @Test(arguments: CopyDirection.allCases, differences)
    func differenceIsFound(
        _ direction: CopyDirection,
        _ planted: (table: String, sql: String)
    ) async throws {
        try await withSource(direction) { places in
            let error = try places.refusal { end in
                let isPostgres = end is PostgresCopyEnd
                try end.run(isPostgres ? PostgresDialect.schema(planted.sql) : planted.sql)
            }
            expectEqual(error?.code, .corrupt)
            expectEqual(
                error?.message.hasPrefix("table \(planted.table) has "),
                true,
                "\(String(describing: error))"
            )
            expectEqual(error?.message.contains("instead of the source's"), true)
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func copyThatFailsLeavesNothingAndCanBeRepeated(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let error = try places.refusal { _ in
                throw StoreError(.diskFull, "planted", path: "here")
            }
            expectEqual(error, StoreError(.diskFull, "planted", path: "here"))
            try expectEqual(places.copy().isEmpty, false)
        }
    }

    // MARK: Targets

    @Test(arguments: CopyDirection.allCases)
    func targetWithDataIsLeftAsItWas(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let other = try places.open(places.target, epoch: "other")
            try await other.commit([event(radar, "other")])
            try await other.close()
            let error = #expect(throws: StoreError.self) { try places.copy() }
            expectEqual(error?.message.contains("a copy replaces none"), true)
            let again = try places.open(places.target, epoch: "later")
            expectEqual(again.epoch, "other")
            try await expectEqual(again.loadAll()[0].publications.map(text), ["other"])
            try await again.close()
        }
    }

    @Test func publicationsFromSQLThatWaitAreNotLeftBehind() async throws {
        try await withSource(.toFile) { places in
            try places.run("SELECT \(places.schema).publish('radar:a', '{}')")
            let error = #expect(throws: StoreError.self) { try places.copy() }
            expectEqual(error?.code, .cannotOpen)
            expectEqual(error?.message.hasPrefix("publications from SQL wait"), true)
        }
    }

    @Test func schemaWithATableOfAnotherApplicationIsRefused() async throws {
        try await withSource(.toPostgres) { places in
            try places.run("CREATE SCHEMA \(places.schema)")
            try places.run("CREATE TABLE ours (id bigint)")
            let error = #expect(throws: StoreError.self) { try places.copy() }
            expectEqual(error?.message.hasPrefix("schema \(places.schema) has tables"), true)
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func placesInUseAreRefused(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let source = try places.open(places.source)
            let error = #expect(throws: StoreError.self) { try places.copy() }
            expectEqual(error?.code, .locked)
            expectEqual(error?.message.contains("in use: another hub runs on it"), true)
            try await source.close()
            let target = try places.open(places.target)
            let second = #expect(throws: StoreError.self) { try places.copy() }
            expectEqual(second?.code, .locked)
            try await target.close()
        }
    }

    /// Neither with the source nor with the target.
    @Test(arguments: CopyDirection.allCases)
    func hubDoesNotStartDuringACopy(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            _ = try places.copy { _ in
                for path in [places.source, places.target] {
                    let error = #expect(throws: StoreError.self) { try places.open(path) }
                    expectEqual(error?.code, .locked, "\(String(describing: error))")
                }
            }
        }
    }

    @Test func filesAreNotCopiedToFiles() throws {
        let copy = StoreCopy(migrations: [], bootIdentifier: nil)
        let error = #expect(throws: StoreError.self) {
            try copy.copy(from: "/tmp/one.sqlite", to: "sqlite:/tmp/two.sqlite")
        }
        expectEqual(error?.message.contains("varde backup"), true)
        let same = "postgresql://ann:secret@db/hub"
        let other = #expect(throws: StoreError.self) { try copy.copy(from: same, to: same) }
        expectEqual(other?.description, "postgresql://ann@db/hub: this is the source itself")
    }

    // MARK: Sources

    @Test func sourceThatIsMissingIsNotMade() async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(.toPostgres, directory)
            try expectEqual(places.refusal()?.message, "no database here, or an empty one")
            expect(!FileManager.default.fileExists(atPath: places.file))
            let back = try CopyPlaces(.toFile, directory)
            try expectEqual(back.refusal()?.message, "schema \(back.schema) has no store")
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func sourceOfAnEarlierReleaseIsRefused(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let later = Migration("things.2", sql: "ALTER TABLE thing ADD COLUMN more INTEGER")
            let error = try places.refusal(migrations: CopyPlaces.migrations + [later])
            expectEqual(error?.code, .cannotOpen)
            expectEqual(error?.message.contains("lacks things.2: start the hub on it once"), true)
        }
    }

    @Test(arguments: FormerFile.versions)
    func numberedVersionsAreRefused(_ version: Int) async throws {
        try await withDirectory { directory throws in
            try FormerFile.copy(version, to: directory)
            let places = try CopyPlaces(.toPostgres, directory)
            _ = try places.refusal()
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func sourceOfALaterReleaseIsRefused(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            let error = try places.refusal(migrations: [CopyPlaces.migrations[0]])
            expectEqual(error?.code, .newerSchema)
        }
    }

    @Test(arguments: CopyDirection.allCases)
    func sourceThatMayLackCommitsIsRefused(_ direction: CopyDirection) async throws {
        try await withSource(direction) { places in
            switch direction {
            case .toPostgres:
                try FormerFile.execute(
                    "UPDATE hub SET unsynced_boot = 'boot-0'",
                    in: URL(filePath: places.file).deletingLastPathComponent().path
                )
            case .toFile: try places.run("UPDATE hub SET timeline = timeline + 1")
            }
            let error = try places.refusal()
            expectEqual(error?.message.contains("may lack commits: start the hub on it once"), true)
        }
    }

    /// As when an older copy of the file was put in its place.
    @Test func sourceBehindItsMarkIsRefused() async throws {
        try await withSource(.toPostgres) { places in
            try FormerFile.execute(
                "DELETE FROM publication WHERE cursor = (SELECT max(cursor) FROM publication)",
                in: URL(filePath: places.file).deletingLastPathComponent().path
            )
            let error = try places.refusal()
            expectEqual(error?.message.contains("may lack commits"), true)
        }
    }

    @Test func tableThatIsMissingIsNoticed() async throws {
        try await withSource(.toPostgres) { places in
            try FormerFile.execute(
                "DROP TABLE written",
                in: URL(filePath: places.file).deletingLastPathComponent().path
            )
            let error = try places.refusal()
            expectEqual(error?.code, .corrupt)
            expectEqual(error?.message.contains("table written"), true)
        }
    }

    /// The domain's tables need SQLite. Without rows nothing would be lost.
    @Test func rowsOfADomainThatPostgresCannotHaveAreRefused() async throws {
        try await withDirectory { directory throws in
            let places = try CopyPlaces(.toPostgres, directory)
            let only = [
                Migration("only.1", sql: "CREATE TABLE only_here (id INTEGER PRIMARY KEY) STRICT"),
                Migration("only.2", sql: "CREATE VIRTUAL TABLE only_text USING fts5 (title)"),
            ]
            let store = try places.open(places.file, migrations: only)
            try await store.commit([event(radar, "a")])
            try await store.onSession { try $0.run("INSERT INTO only_here VALUES (7)") }
            try await store.close()
            let error = try places.refusal(migrations: only)
            expectEqual(error?.message.hasPrefix("table only_here has rows, but its domain"), true)
            try FormerFile.execute("DELETE FROM only_here", in: directory)
            let tables = try places.copy(migrations: only)
            expect(tables.contains { $0.name == "publication" })
            expect(!tables.contains { $0.name.hasPrefix("only") })
        }
    }

    // MARK: Values

    @Test func textThatPostgresCannotHaveIsNamed() async throws {
        try await withSource(.toPostgres) { places in
            let store = try places.open(places.file)
            try await store.onSession { session in
                try session.run(
                    "INSERT INTO state (domain, key, value) VALUES ('d', CAST(? AS TEXT), ?)",
                    [[97, 0, 98] as [UInt8], [1] as [UInt8]]
                )
            }
            try await store.close()
            let error = try places.refusal()
            expectEqual(error?.code, .constraint)
            expectEqual(
                error?.message,
                """
                table state, row (domain "d", key "a\\0b"): column key has a text with U+0000, \
                which PostgreSQL cannot store
                """
            )
        }
    }

    @Test func valueOfAnotherTypeIsNamed() async throws {
        try await withSource(.toPostgres) { places in
            // No column of a full-text table has a type.
            let store = try places.open(places.file)
            try await store.onSession { session in
                try session.run(
                    "INSERT INTO film_text (\"rowid\", title, people) VALUES (8, 8.5, '')"
                )
            }
            try await store.close()
            let error = try places.refusal()
            expectEqual(
                error?.message,
                "table film_text, row (rowid 8): column title has a value of another type"
            )
        }
    }

    @Test func referenceToNoRowIsNoticed() async throws {
        try await withSource(.toFile) { places in
            try places.run("ALTER TABLE a_tag DROP CONSTRAINT a_tag_thing_id_fkey")
            try places.run("UPDATE a_tag SET thing_id = 99 WHERE thing_id = 1")
            let error = try places.refusal()
            expectEqual(error?.code, .corrupt)
            expectEqual(
                error?.message.contains("table a_tag has a row that refers to none of table thing"),
                true
            )
        }
    }
}
