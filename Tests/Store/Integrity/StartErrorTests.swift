import Expectations
import Foundation
import StoreTesting

@testable import Store

@Suite("What is wrong with a file is named", .needsFile, .timeLimit(.minutes(10)))
struct StartErrorTests {
    @Test(arguments: ["state", "delivery_tag", "forgotten"])
    func droppedTableIsNamedAtTheStart(_ table: String) async throws {
        try await withDirectory { directory in
            try await openStore(directory).close()
            try dropTable(table, in: directory)
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.code, .corrupt)
            expectEqual(
                error?.message.contains("table \(table)"),
                true,
                "\(String(describing: error))"
            )
        }
    }

    @Test func tableThatIsDroppedUnderTheHubIsNamed() async throws {
        try await withStore { store in
            try await store.pool.writeWithoutTransaction { database in
                try database.execute(sql: "DROP TABLE alert")
            }
            let row = AlertRow(rule: "r", subject: "s", state: [1])
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(Change(alerts: [row]))
            }
            expectEqual(error?.code, .corrupt)
            expectEqual(error?.message, "database is corrupt: no such table: alert")
            expectEqual(store.health.refusal, "database is corrupt")
        }
    }

    /// A directory can be opened and not read, as a failing disk.
    @Test func fileThatCannotBeReadIsAnInputError() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            let corrupt = StoreError(.corrupt, "c", path: "p")
            let file = try StoreFile(path: directory + "/other")
            expectEqual(
                (file.naming(corrupt) as? StoreError)?.code,
                .corrupt,
                "it is read as a whole"
            )
            let unreadable = open(directory, O_RDONLY)
            defer { close(unreadable) }
            expect(StoreFile.hasReadError(unreadable))
            try await store.close()
        }
    }
}
