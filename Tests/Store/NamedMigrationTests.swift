import Expectations
import Foundation
import GRDB
import StoreTesting

@testable import Store

@Suite("Named migrations", .needsFile, .timeLimit(.minutes(10)))
struct NamedMigrationTests {
    private let first = Migration(
        "notes.1",
        sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
    )
    private let second = Migration(
        "notes.2",
        sql: "ALTER TABLE note ADD COLUMN stars INTEGER NOT NULL DEFAULT 3"
    )

    private func names(of store: HubStore) async throws -> Set<String> {
        try await store.pool.read { database in
            Set(try String.fetchAll(database, sql: "SELECT name FROM migration"))
        }
    }

    @Test func newFileHasTheNamesOfAllSteps() async throws {
        let found = try await withStore { store in try await names(of: store) }
        expectEqual(found, Set(Schema.ownMigrations.map(\.name)))
    }

    /// Those without tables of domains.
    @Test(arguments: [1, 2])
    func fileOfANumberedVersionHasThemToo(_ version: Int) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let store = try openStore(directory)
            let found = try await names(of: store)
            expectEqual(found, Set(Schema.ownMigrations.map(\.name)))
            try await store.close()
        }
    }

    @Test func stepsOfADomainRunOnceEach() async throws {
        try await withDirectory { directory in
            try await openStore(directory).close()
            let one = try openStore(directory, migrations: [first])
            try await one.pool.writeWithoutTransaction { database in
                try database.execute(sql: "INSERT INTO note (text) VALUES ('a')")
            }
            try await one.close()
            for _ in 1...2 {
                let both = try openStore(directory, migrations: [first, second])
                let found = try await both.pool.read { database in
                    try String.fetchAll(database, sql: "SELECT text || stars FROM note")
                }
                expectEqual(found, ["a3"])
                try await expect(names(of: both).isSuperset(of: ["notes.1", "notes.2"]))
                try await both.close()
            }
        }
    }

    @Test func stepOfADomainRunsInAFileOfAFormerVersion() async throws {
        try await withDirectory { directory in
            try FormerFile.copy(2, to: directory)
            let store = try openStore(directory, migrations: [first])
            try await expectEqual(store.loadAll().map(\.topic), [radar, news])
            try await expect(names(of: store).contains("notes.1"))
            try await store.close()
        }
    }

    @Test(arguments: [3, 4, 5, 6])
    func fileOfANumberedVersionWithTablesOfOthersIsRefusedAndLeftAsItWas(
        _ version: Int
    ) async throws {
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            let path = directory + "/varde.sqlite"
            let bytes = FileManager.default.contents(atPath: path)
            let error = #expect(throws: StoreError.self) {
                try openStore(directory, migrations: [first])
            }
            expectEqual(error?.code, .newerSchema)
            expectEqual(error?.message.contains("film,"), true, "\(error?.message ?? "")")
            expectEqual(error?.message.contains("topic,"), false)
            expectEqual(FileManager.default.contents(atPath: path), bytes)
        }
    }

    /// A step that exists since version 2 is in a file of version 2 already, and runs in one of
    /// version 1.
    @Test(arguments: [1, 2])
    func stepOfADomainIsTakenForDoneSinceItsVersion(_ version: Int) async throws {
        let step = Migration(first.name, sql: first.sql, sinceVersion: 2)
        try await withDirectory { directory in
            try FormerFile.copy(version, to: directory)
            if version == 2 {
                let database = try DatabaseQueue(path: directory + "/varde.sqlite")
                try await database.writeWithoutTransaction { [sql = step.sql] in
                    try $0.execute(sql: sql + "; INSERT INTO note (text) VALUES ('a')")
                }
                try database.close()
            }
            for _ in 1...2 {
                let store = try openStore(directory, migrations: [step, second])
                let found = try await store.pool.read { database in
                    try String.fetchAll(database, sql: "SELECT text || stars FROM note")
                }
                expectEqual(found, (version == 2 ? ["a3"] : []))
                try await expect(names(of: store).isSuperset(of: ["notes.1", "notes.2"]))
                try await store.close()
            }
        }
    }

    @Test func fileWithAnUnknownStepIsRefusedAndLeftAsItWas() async throws {
        try await withDirectory { directory in
            try await openStore(directory, migrations: [first, second]).close()
            let path = directory + "/varde.sqlite"
            let bytes = FileManager.default.contents(atPath: path)
            let error = #expect(throws: StoreError.self) {
                try openStore(directory, migrations: [first])
            }
            expectEqual(error?.code, .newerSchema)
            expectEqual(error?.message.contains("notes.2"), true)
            expectEqual(error?.message.contains("notes.1"), false)
            expectEqual(FileManager.default.contents(atPath: path), bytes)
        }
    }

    @Test func stepThatFailsLeavesNothingBehind() async throws {
        try await withDirectory { directory in
            try FormerFile.copy(2, to: directory)
            let flawed = Migration("notes.2", sql: "ALTER TABLE nothing ADD COLUMN stars INTEGER")
            #expect(throws: StoreError.self) {
                try openStore(directory, migrations: [first, flawed])
            }
            let database = try DatabaseQueue(path: directory + "/varde.sqlite")
            let version = try await database.read {
                try Int.fetchOne($0, sql: "PRAGMA user_version")
            }
            expectEqual(version, 2)
            let found = try await database.read { try $0.tableExists("note") }
            expect(!found)
            let hasNames = try await database.read { try $0.tableExists("migration") }
            expect(!hasNames)
            try database.close()
            try await openStore(directory, migrations: [first, second]).close()
        }
    }

    @Test func tableOfADomainThatIsGoneIsNamedAtTheStart() async throws {
        try await withDirectory { directory in
            try await openStore(directory, migrations: [first]).close()
            let database = try DatabaseQueue(path: directory + "/varde.sqlite")
            try await database.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE note") }
            try database.close()
            let error = #expect(throws: StoreError.self) {
                try openStore(directory, migrations: [first])
            }
            expectEqual(error?.code, .corrupt)
            expectEqual(error?.message.contains("table note is missing"), true)
        }
    }

    @Test func fileWithoutItsTableOfNamesIsCorrupt() async throws {
        try await withDirectory { directory in
            try await openStore(directory).close()
            let database = try DatabaseQueue(path: directory + "/varde.sqlite")
            try await database.writeWithoutTransaction {
                try $0.execute(sql: "DROP TABLE migration")
            }
            try database.close()
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.code, .corrupt)
            expectEqual(error?.message.contains("migration"), true)
        }
    }
}
