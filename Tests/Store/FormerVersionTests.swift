import Foundation
import GRDB
import PubSub
import Testing
import Timekeeping

@testable import Store

/// `Fixtures` has a file of each version with a row in every table; `make-fixtures.py` made them.
@Suite("A file of each former schema version", .timeLimit(.minutes(10)))
struct FormerVersionTests {
    static let versions = [1, 2, 3, 4, 5, 6]

    /// Of each table, its rows as SQL literals.
    private typealias Rows = [String: [String]]

    static func copyFixture(_ version: Int, to directory: String) throws {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/version\(version).sqlite")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: directory + "/varde.sqlite")
    }

    private func columns(_ database: Database) throws -> [String: [String]] {
        let tables = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"
        )
        var columns: [String: [String]] = [:]
        for table in tables {
            columns[table] = try String.fetchAll(
                database,
                sql: "SELECT name FROM pragma_table_info(?)",
                arguments: [table]
            )
        }
        return columns
    }

    private func rows(_ database: Database, of columns: [String: [String]]) throws -> Rows {
        var rows: Rows = [:]
        for (table, names) in columns {
            let values = names.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            rows[table] = try String.fetchAll(
                database,
                sql: "SELECT \(values) FROM \"\(table)\" ORDER BY 1"
            )
        }
        return rows
    }

    /// The columns and rows of all tables but the hub's own row, which has what changes with every start.
    private func contents(_ directory: String) throws -> (columns: [String: [String]], Rows) {
        let queue = try DatabaseQueue(path: directory + "/varde.sqlite")
        defer { try? queue.close() }
        return try queue.read { database in
            let names = try columns(database).filter { $0.key != "hub" }
            return (names, try rows(database, of: names))
        }
    }

    /// All entries, whatever the spaces of their statements.
    private func schema(_ database: Database) throws -> [String] {
        let entries = try String.fetchAll(
            database,
            sql: """
                SELECT type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, '')
                FROM sqlite_schema ORDER BY type, name
                """
        )
        return entries.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    }

    @Test(arguments: versions)
    func fixtureHasItsVersionAndARowInEveryTable(_ version: Int) async throws {
        try await withDirectory { directory in
            try Self.copyFixture(version, to: directory)
            let (_, found) = try contents(directory)
            for (table, rows) in found { #expect(!rows.isEmpty, "\(table)") }
            let database = try DatabaseQueue(path: directory + "/varde.sqlite")
            let header = try await database.read {
                try Int.fetchOne($0, sql: "PRAGMA user_version")
            }
            #expect(header == version)
            try database.close()
        }
    }

    @Test(arguments: versions)
    func everyRowIsAsItWas(_ version: Int) async throws {
        try await withDirectory { directory in
            try Self.copyFixture(version, to: directory)
            let (names, before) = try contents(directory)
            let store = try openStore(directory)
            #expect(store.epoch == "epoch-of-1")
            let after: Rows = try await store.pool.read { try rows($0, of: names) }
            for table in names.keys.sorted() {
                #expect(after[table] == before[table], "\(table)")
            }
            try await store.close()
        }
    }

    @Test(arguments: versions)
    func schemaIsThatOfANewFile(_ version: Int) async throws {
        let new: [String] = try await withStore { store in
            try await store.pool.read { try schema($0) }
        }
        try await withDirectory { directory in
            try Self.copyFixture(version, to: directory)
            let store = try openStore(directory)
            let migrated: [String] = try await store.pool.read { try schema($0) }
            #expect(Set(migrated).symmetricDifference(new).sorted() == [])
            #expect(migrated.count == new.count)
            let found = try await store.pool.read {
                try Int.fetchOne($0, sql: "PRAGMA user_version")
            }
            #expect(found == Schema.version)
            try await store.close()
        }
    }

    @Test(arguments: versions)
    func everyKindOfRowIsRead(_ version: Int) async throws {
        try await withDirectory { directory in
            try Self.copyFixture(version, to: directory)
            let store = try openStore(directory)
            let topics = try await store.loadAll()
            #expect(topics.map(\.topic) == [radar, news])
            #expect(topics.flatMap(\.publications).map(text) == ["a", "b"])
            #expect(topics.flatMap(\.publications).map(\.cursor) == [1002, 1003])
            let state = try await store.state(domain: "aurora")
            #expect(state == [StateRow(domain: "aurora", key: "kp", value: Array("7".utf8))])
            let feeds = try await store.feedValidators()
            #expect(feeds == [FeedRow(name: "usgs", validators: Array("etag".utf8))])
            let alerts = try await store.alertStates()
            #expect(alerts == [AlertRow(rule: "storm", subject: "oslo", state: Array("on".utf8))])
            #expect(try await store.lastClock() == startOfTests)
            let deliveries = try await store.deliveries(of: "endpoint-1", limit: 9)
            #expect(deliveries.map(\.messageID) == ["m2", "m1"])
            #expect(try await store.pendingDeliveries(perEndpoint: 9).map(\.messageID) == ["m1"])

            if version >= 2 {
                let publication = try #require(topics[1].publications.first)
                #expect(publication.tags == ["a": "b"])
                #expect(publication.info?.user == "u")
                #expect(publication.allowsDelta)
                #expect(store.memoryCursorBase == 5000)
            }
            if version >= 3 { try await readRadarsAndFilms(of: store) }
            try await store.close()
        }
    }

    private func readRadarsAndFilms(of store: HubStore) async throws {
        let radar = try #require(try await store.radar("r1"))
        #expect(radar.userID == "u1")
        #expect(radar.isPublic)
        #expect(radar.interpretation == Array(#"{"a":1}"#.utf8))
        let opinions = try await store.opinions(of: "r1", limit: 9)
        #expect(opinions.map(\.id) == ["o1"])
        #expect(opinions.map(\.stance) == [-1])
        let answer = try await store.stanceCache([UInt8](repeating: 0, count: 32))
        #expect(answer?.answer == Array("yes".utf8))
        #expect(try await store.spending(day: 20454).map(\.tokens) == [500])

        try await store.readActivity { tables in
            #expect(try tables.person(1)?.name == "Ada")
            #expect(try tables.areFriends(1, 2))
            #expect(try tables.film(1)?.genres == ["Comedy"])
            let found = try tables.searchFilms("general", range: everything, for: 2)
            #expect(found.items.map(\.film.title) == ["The General"])
            #expect(try tables.rating(of: 1, by: 1)?.comment == "a classic")
            #expect(try tables.feedIDs(2) == [1])
        }
    }

    @Test(arguments: versions)
    func migratedFileTakesPublications(_ version: Int) async throws {
        try await withDirectory { directory in
            try Self.copyFixture(version, to: directory)
            let first = try openStore(directory)
            let published = [try await first.publish(event(radar, "c"))].publications
            #expect(published.map(\.offset) == [3])
            try await first.close()
            let second = try openStore(directory)
            #expect(try await second.loadAll()[0].publications.map(text) == ["a", "c"])
            try await second.close()
        }
    }
}
