import Activity
import RadarApp
import StoreTesting
import Testing

@testable import ActivityApp
@testable import Store

@Suite("A file of each former schema version", .timeLimit(.minutes(10)))
struct FormerVersionTests {
    /// The tables of the accounts that have the rows of former tables of the film app.
    private static let accountTables = [
        "refresh_token": "account_refresh_token", "ended_login": "account_ended_login",
    ]

    @Test(arguments: FormerFile.versions)
    func fixtureHasItsVersionAndARowInEveryTable(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let (_, found) = try FormerFile.contents(directory)
            for (table, rows) in found { #expect(!rows.isEmpty, "\(table)") }
            #expect(try FormerFile.version(directory) == version)
        }
    }

    @Test(arguments: FormerFile.versions)
    func everyRowIsAsItWas(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let (names, before) = try FormerFile.contents(directory)
            let store = try openStore(directory, migrations: allMigrations)
            #expect(store.epoch == "epoch-of-1")
            let moved = names.filter { Self.accountTables[$0.key] != nil }
            let after = try store.rows(of: names.filter { moved[$0.key] == nil })
            for table in after.keys { #expect(after[table] == before[table], "\(table)") }
            #expect(after.count == names.count - moved.count)
            for (table, columns) in moved {
                let new = try #require(Self.accountTables[table])
                let rows = try store.rows(
                    of: [new: columns.map { $0 == "person_id" ? "user_id" : $0 }]
                )
                // Users are text there, so their ids are in quotes.
                let unquoted = { (rows: [String]?) in rows?.map { $0.filter { $0 != "'" } } }
                #expect(unquoted(rows[new]) == unquoted(before[table]), "\(table)")
            }
            try await store.close()
        }
    }

    @Test(arguments: FormerFile.versions)
    func schemaIsThatOfANewFile(_ version: Int) async throws {
        let new = try await withStore(migrations: allMigrations) { try $0.schemaEntries() }
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            let migrated = try store.schemaEntries()
            #expect(Set(migrated).symmetricDifference(new).sorted() == [])
            #expect(migrated.count == new.count)
            #expect(try store.schemaVersion() == 7)
            try await store.close()
        }
    }

    @Test(arguments: FormerFile.versions)
    func fileHasTheNamesOfAllSteps(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            let own = (1...8).map { "core.\($0)" }
            #expect(try store.migrationNames() == Set(own + allMigrations.map(\.name)))
            try await store.close()
        }
    }

    @Test func laterStepRunsInAFileOfEachVersion() async throws {
        let later = Migration("notes.1", sql: "CREATE TABLE note (text TEXT NOT NULL) STRICT")
        for version in FormerFile.versions {
            try await withDirectory { directory in
                try FormerFile.copy(version, to: directory)
                let store = try openStore(directory, migrations: allMigrations + [later])
                #expect(try await store.loadAll().map(\.topic) == [radar, news])
                #expect(try store.migrationNames().contains("notes.1"), "version \(version)")
                try await store.close()
            }
        }
    }

    @Test(arguments: FormerFile.versions)
    func stepThatFailsLeavesTheFileAsItWas(_ version: Int) async throws {
        let flawed = Migration("notes.1", sql: "ALTER TABLE nothing ADD COLUMN stars INTEGER")
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let (_, before) = try FormerFile.contents(directory)
            #expect(throws: StoreError.self) {
                try openStore(directory, migrations: allMigrations + [flawed])
            }
            #expect(try FormerFile.version(directory) == version)
            #expect(try FormerFile.contents(directory).1 == before)
            try await openStore(directory, migrations: allMigrations).close()
        }
    }

    @Test(arguments: ["opinion", "film"])
    func droppedTableOfADomainIsNamedAtTheStart(_ table: String) async throws {
        try await withDirectory { directory in
            try await openStore(directory, migrations: allMigrations).close()
            try dropTable(table, in: directory)
            let error = #expect(throws: StoreError.self) {
                try openStore(directory, migrations: allMigrations)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("table \(table)") == true)
        }
    }

    @Test(arguments: FormerFile.versions)
    func everyKindOfRowIsRead(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
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
        let radar = try #require(try await store.readRadars { try $0.radar("r1") })
        #expect(radar.userID == "u1")
        #expect(radar.isPublic)
        #expect(radar.interpretation == Array(#"{"a":1}"#.utf8))
        let opinions = try await store.readRadars { try $0.opinions(of: "r1", limit: 9) }
        #expect(opinions.map(\.id) == ["o1"])
        #expect(opinions.map(\.stance) == [-1])
        let answer = try await store.readRadars {
            try $0.stanceCache([UInt8](repeating: 0, count: 32))
        }
        #expect(answer?.answer == Array("yes".utf8))
        #expect(try await store.readRadars { try $0.spending(day: 20454) }.map(\.tokens) == [500])

        try await store.readActivity { tables in
            #expect(try tables.person(1)?.name == "Ada")
            #expect(try tables.areFriends(1, 2))
            #expect(try tables.film(1)?.genres == ["Comedy"])
            let found = try tables.searchFilms("general", range: PageRange(limit: 9), for: 2)
            #expect(found.items.map(\.film.title) == ["The General"])
            #expect(try tables.rating(of: 1, by: 1)?.comment == "a classic")
            #expect(
                try tables.feed(of: 2, type: nil, range: PageRange(limit: 9)).items.map(\.id) == [1]
            )
        }
    }

    @Test(arguments: FormerFile.versions)
    func migratedFileTakesPublications(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let first = try openStore(directory, migrations: allMigrations)
            let published = [try await first.publish(event(radar, "c"))].publications
            #expect(published.map(\.offset) == [3])
            try await first.close()
            let second = try openStore(directory, migrations: allMigrations)
            #expect(try await second.loadAll()[0].publications.map(text) == ["a", "c"])
            try await second.close()
        }
    }

    @Test func fileOfVersion2TakesRadarsAndFilms() async throws {
        try await withDirectory { directory in
            try FormerFile.copy(2, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            #expect(try await store.readRadars { try $0.radarDirectory() }.isEmpty)
            let row = RadarRow(
                id: "r1",
                userID: "u1",
                topic: "t",
                interpretation: [],
                position: "neutral",
                nextPollAt: startOfTests,
                createdAt: startOfTests,
                updatedAt: startOfTests
            )
            try await store.commitRadars([.insert(row)])
            #expect(try await store.readRadars { try $0.radars(of: "u1", limit: 9) } == [row])

            try await store.commitActivity { tables throws in
                for name in ["Ada", "Bea"] {
                    let person = NewPerson(
                        provider: "test",
                        subject: name,
                        name: name,
                        createdAt: startOfTests
                    )
                    _ = try tables.findOrInsert(person)
                }
                try tables.put(Film(id: 0, title: "The General"))
                try tables.befriend(1, 2, at: startOfTests)
                let entry = try tables.insertActivity(.started, of: 1, by: 1, at: startOfTests)
                return (Change(), entry?.id)
            }
            let feed = try await store.readActivity {
                try $0.feed(of: 2, type: nil, range: PageRange(limit: 9))
            }
            #expect(feed.items.map(\.id) == [1])
            try await store.close()
        }
    }
}
