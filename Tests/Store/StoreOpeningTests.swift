import Expectations
import Foundation
import GRDB
import StoreTesting

@testable import Store

@Suite("Opening a store", .needsFile, .timeLimit(.minutes(10)))
struct StoreOpeningTests {
    @Test func newFileCarriesApplicationMarkAndVersion() async throws {
        try await withStore { store in
            let header = try await store.pool.read { database in
                [
                    try Int.fetchOne(database, sql: "PRAGMA application_id"),
                    try Int.fetchOne(database, sql: "PRAGMA user_version"),
                ]
            }
            expectEqual(header, [Int(Schema.applicationID), Schema.version])
        }
    }

    @Test(arguments: [(StoreOptions.Synchronous.normal, 1), (.full, 2)])
    func writerHasTheSynchronousModeAskedFor(
        _ synchronous: StoreOptions.Synchronous,
        _ value: Int
    ) async throws {
        try await withStore(synchronous: synchronous) { store in
            let found = try await store.pool.writeWithoutTransaction { database in
                try Int.fetchOne(database, sql: "PRAGMA synchronous")
            }
            expectEqual(found, value)
        }
    }

    @Test func fileThatIsNoDatabaseIsRefusedAndLeftAsItWas() async throws {
        try await withDirectory { directory in
            let path = directory + "/varde.sqlite"
            let bytes = Data(String(repeating: "This is a letter. ", count: 100).utf8)
            try bytes.write(to: URL(fileURLWithPath: path))
            expectEqual(errorOpening(directory)?.code, .notADatabase)
            expectEqual(FileManager.default.contents(atPath: path), bytes)
        }
    }

    @Test func databaseOfAnotherApplicationIsRefusedAndLeftAsItWas() async throws {
        try await withDirectory { directory in
            let path = directory + "/varde.sqlite"
            let other = try DatabaseQueue(path: path)
            try await other.write { try $0.execute(sql: "CREATE TABLE recipe (name TEXT)") }
            try other.close()
            let bytes = FileManager.default.contents(atPath: path)
            expectEqual(errorOpening(directory)?.code, .foreignDatabase)
            expectEqual(FileManager.default.contents(atPath: path), bytes)
        }
    }

    @Test func laterSchemaIsRefusedAndBothVersionsAreNamed() async throws {
        try await withDirectory { directory in
            let later = Schema.version + 1
            try await makeStore(directory) { database in
                try database.execute(sql: "PRAGMA user_version = \(later)")
            }
            let error = try require(errorOpening(directory))
            expectEqual(error.code, .newerSchema)
            expect(error.message.contains("version \(later) is newer than \(Schema.version)"))
        }
    }

    @Test func versionBelowAllIsCorruption() async throws {
        try await withDirectory { directory in
            try await makeStore(directory) { try $0.execute(sql: "PRAGMA user_version = -1") }
            expectEqual(errorOpening(directory)?.code, .corrupt)
        }
    }

    @Test func fileAndItsLogAreForTheirOwnerAlone() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            for name in ["varde.sqlite", "varde.sqlite-wal", "varde.sqlite-lock"] {
                let path = directory + "/" + name
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                expectEqual(attributes[.posixPermissions] as? Int, 0o600, "\(name)")
            }
            try await store.close()
        }
    }

    @Test func missingDirectoryIsNamed() async throws {
        try await withDirectory { directory in
            let error = try require(errorOpening(directory + "/missing"))
            expectEqual(error.code, .cannotOpen)
            expect(error.message.contains("no directory \(directory)/missing"))
        }
    }

    @Test func directoryAsDatabaseIsRefused() async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory + "/varde.sqlite",
                withIntermediateDirectories: false
            )
            let error = try require(errorOpening(directory))
            expectEqual(error.code, .cannotOpen)
            expectEqual(error.message, "database path is not a file")
        }
    }

    @Test func emptyPathIsRefused() {
        let error = #expect(throws: StoreError.self) {
            try HubStore(StoreOptions(path: ""), wall: startOfTests, newEpoch: "e")
        }
        expectEqual(error?.message, "database path is empty")
    }

    /// In a process of its own, because root may write every file and has to become somebody else.
    @Test func readOnlyFileIsRefused() async {
        await #expect(processExitsWith: .success) {
            try await withDirectory { directory in
                try await makeStore(directory) { _ in }
                let path = directory + "/varde.sqlite"
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o444],
                    ofItemAtPath: path
                )
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: directory
                )
                let user = geteuid()
                if user == 0 { precondition(seteuid(65534) == 0) }
                let error = errorOpening(directory)
                precondition(seteuid(user) == 0)
                precondition(error?.code == .readOnly, "\(String(describing: error))")
            }
        }
    }

    @Test func secondStoreOnTheSameFileIsRefusedUntilTheFirstIsClosed() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            expectEqual(errorOpening(directory)?.code, .locked)
            let link = directory + "/link"
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: directory
            )
            expectEqual(errorOpening(link)?.code, .locked, "a second name of the same file")
            try await first.close()
            let second = try openStore(directory)
            try await second.close()
        }
    }

    @Test func damagedPageIsReportedAsCorruption() async throws {
        try await withDirectory { directory in
            try await makeStore(directory) { _ in }
            let path = directory + "/varde.sqlite"
            var bytes = try require(FileManager.default.contents(atPath: path))
            // All but the first page, which holds header and schema.
            for index in 4096..<bytes.count { bytes[index] = 0xA5 }
            try bytes.write(to: URL(fileURLWithPath: path))
            expectEqual(errorOpening(directory)?.code, .corrupt)
        }
    }
}

private func errorOpening(_ directory: String) -> StoreError? {
    do {
        _ = try openStore(directory)
        return nil
    } catch {
        return error as? StoreError
    }
}

/// Makes a store, changes it by hand and closes it.
private func makeStore(
    _ directory: String,
    _ change: @escaping @Sendable (Database) throws -> Void
) async throws {
    let store = try openStore(directory)
    try await store.pool.writeWithoutTransaction(change)
    try await store.close()
}
