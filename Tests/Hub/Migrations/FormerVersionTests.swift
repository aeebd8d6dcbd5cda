import Activity
import Expectations
import RadarApp
import StoreTesting

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
            for (table, rows) in found { expect(!rows.isEmpty, "\(table)") }
            try expectEqual(FormerFile.version(directory), version)
        }
    }

    @Test(arguments: FormerFile.versions)
    func everyRowIsAsItWas(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let (names, before) = try FormerFile.contents(directory)
            let store = try openStore(directory, migrations: allMigrations)
            expectEqual(store.epoch, "epoch-of-1")
            let moved = names.filter { Self.accountTables[$0.key] != nil }
            let after = try store.rows(of: names.filter { moved[$0.key] == nil })
            for table in after.keys { expectEqual(after[table], before[table], "\(table)") }
            expectEqual(after.count, names.count - moved.count)
            for (table, columns) in moved {
                let new = try require(Self.accountTables[table])
                let rows = try store.rows(
                    of: [new: columns.map { $0 == "person_id" ? "user_id" : $0 }]
                )
                // Users are text there, so their ids are in quotes.
                let unquoted = { (rows: [String]?) in rows?.map { $0.filter { $0 != "'" } } }
                expectEqual(unquoted(rows[new]), unquoted(before[table]), "\(table)")
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
            expectEqual(Set(migrated).symmetricDifference(new).sorted(), [])
            expectEqual(migrated.count, new.count)
            try expectEqual(store.schemaVersion(), 7)
            try await store.close()
        }
    }

    @Test(arguments: FormerFile.versions)
    func fileHasTheNamesOfAllSteps(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            let own = (1...8).map { "core.\($0)" }
            try expectEqual(store.migrationNames(), Set(own + allMigrations.map(\.name)))
            try await store.close()
        }
    }

    @Test func laterStepRunsInAFileOfEachVersion() async throws {
        let later = Migration("notes.1", sql: "CREATE TABLE note (text TEXT NOT NULL) STRICT")
        for version in FormerFile.versions {
            try await withDirectory { directory in
                try FormerFile.copy(version, to: directory)
                let store = try openStore(directory, migrations: allMigrations + [later])
                try await expectEqual(store.loadAll().map(\.topic), [radar, news])
                try expect(store.migrationNames().contains("notes.1"), "version \(version)")
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
            try expectEqual(FormerFile.version(directory), version)
            try expectEqual(FormerFile.contents(directory).1, before)
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
            expectEqual(error?.code, .corrupt)
            expectEqual(error?.message.contains("table \(table)"), true)
        }
    }

    @Test(arguments: FormerFile.versions)
    func everyKindOfRowIsRead(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            let topics = try await store.loadAll()
            expectEqual(topics.map(\.topic), [radar, news])
            expectEqual(topics.flatMap(\.publications).map(text), ["a", "b"])
            expectEqual(topics.flatMap(\.publications).map(\.cursor), [1002, 1003])
            let state = try await store.state(domain: "aurora")
            expectEqual(state, [StateRow(domain: "aurora", key: "kp", value: Array("7".utf8))])
            let feeds = try await store.feedValidators()
            expectEqual(feeds, [FeedRow(name: "usgs", validators: Array("etag".utf8))])
            let alerts = try await store.alertStates()
            expectEqual(alerts, [AlertRow(rule: "storm", subject: "oslo", state: Array("on".utf8))])
            try await expectEqual(store.lastClock(), startOfTests)
            let deliveries = try await store.deliveries(of: "endpoint-1", limit: 9)
            expectEqual(deliveries.map(\.messageID), ["m2", "m1"])
            try await expectEqual(store.pendingDeliveries(perEndpoint: 9).map(\.messageID), ["m1"])

            if version >= 2 {
                let publication = try require(topics[1].publications.first)
                expectEqual(publication.tags, ["a": "b"])
                expectEqual(publication.info?.user, "u")
                expect(publication.allowsDelta)
                expectEqual(store.memoryCursorBase, 5000)
            }
            if version >= 3 { try await readRadarsAndFilms(of: store) }
            try await store.close()
        }
    }

    private func readRadarsAndFilms(of store: HubStore) async throws {
        let radar = try await require(store.readRadars { try $0.radar("r1") })
        expectEqual(radar.userID, "u1")
        expect(radar.isPublic)
        expectEqual(radar.interpretation, Array(#"{"a":1}"#.utf8))
        let opinions = try await store.readRadars { try $0.opinions(of: "r1", limit: 9) }
        expectEqual(opinions.map(\.id), ["o1"])
        expectEqual(opinions.map(\.stance), [-1])
        let answer = try await store.readRadars {
            try $0.stanceCache([UInt8](repeating: 0, count: 32))
        }
        expectEqual(answer?.answer, Array("yes".utf8))
        try await expectEqual(store.readRadars { try $0.spending(day: 20454) }.map(\.tokens), [500])

        try await store.readActivity { tables in
            try expectEqual(tables.person(1)?.name, "Ada")
            try expect(tables.areFriends(1, 2))
            try expectEqual(tables.film(1)?.genres, ["Comedy"])
            let found = try tables.searchFilms("general", range: PageRange(limit: 9), for: 2)
            expectEqual(found.items.map(\.film.title), ["The General"])
            try expectEqual(tables.rating(of: 1, by: 1)?.comment, "a classic")
            try expectEqual(
                tables.feed(of: 2, type: nil, range: PageRange(limit: 9)).items.map(\.id),
                [1]
            )
        }
    }

    @Test(arguments: FormerFile.versions)
    func migratedFileTakesPublications(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let first = try openStore(directory, migrations: allMigrations)
            let published = [try await first.publish(event(radar, "c"))].publications
            expectEqual(published.map(\.offset), [3])
            try await first.close()
            let second = try openStore(directory, migrations: allMigrations)
            try await expectEqual(second.loadAll()[0].publications.map(text), ["a", "c"])
            try await second.close()
        }
    }

    @Test func fileOfVersion2TakesRadarsAndFilms() async throws {
        try await withDirectory { directory in
            try FormerFile.copy(2, to: directory)
            let store = try openStore(directory, migrations: allMigrations)
            try await expect(store.readRadars { try $0.radarDirectory() }.isEmpty)
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
            try await expectEqual(store.readRadars { try $0.radars(of: "u1", limit: 9) }, [row])

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
            expectEqual(feed.items.map(\.id), [1])
            try await store.close()
        }
    }
}
