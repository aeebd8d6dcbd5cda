import Expectations
import Foundation
import GRDB
import Glibc
import StoreTesting

@testable import Store

@Suite("Backup and restore", .needsFile, .timeLimit(.minutes(10)))
struct StoreBackupTests {
    private let backup = StoreBackup(migrations: [])

    private func withBackup(
        _ body: (_ directory: String, _ file: String) async throws -> Void
    ) async throws {
        try await withDirectory { directory throws in
            let store = try openStore(directory)
            try await store.commit((1...20).map { event(news, "event \($0)", at: $0) })
            _ = try backup.make(of: store.path, at: directory + "/copy", isReplacing: false)
            try await store.close()
            try await body(directory, directory + "/copy")
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func copyOfAnOpenStoreHasEveryCommit() async throws {
        try await withDirectory { directory throws in
            let store = try openStore(directory)
            try await store.commit([event(news, "one"), event(radar, "two", at: 5)])
            let file = directory + "/copy"
            let made = try backup.make(of: store.path, at: file, isReplacing: false)
            expectEqual(made.publications, 2)
            expectEqual(made.topics, 2)
            expectEqual(made.newestCursor, store.cursorBase + 2)
            let newest = startOfTests + Duration.seconds(5)
            expectEqual(made.newestTime, newest)
            expectEqual(made.epoch, store.epoch)
            expectEqual(made.schemaVersion, Schema.version)
            expectEqual(made.digest?.count, 64)
            try expectEqual(backup.verify(file), made)
            try expectEqual(mode(file), 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            expectEqual(names.filter { $0.hasPrefix("copy") }, ["copy"])
            try await store.close()
        }
    }

    /// The first start with the file at a database's path, and the one after it.
    private func epochs(of file: String, in directory: String) async throws -> [String] {
        let place = directory + "/other"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: place + "/varde.sqlite")
        var epochs: [String] = []
        for number in 2...3 {
            let notices = Locked<[StoreNotice]>([])
            let store = try openStore(place, newEpoch: "epoch-\(number)")
            store.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
            epochs.append(store.epoch)
            let restored = StoreNotice.restored(path: store.path, epoch: store.epoch)
            expectEqual(notices.withLock { $0 }.contains(restored), (number == 2))
            try await store.commit([event(news, "\(number)")])
            try await expectEqual(
                store.history(of: news, count: 99)?.topOffset,
                UInt64(19 + number)
            )
            try await store.close()
        }
        return epochs
    }

    @Test func backupThatIsPutInPlaceByHandBeginsANewEpoch() async throws {
        try await withBackup { directory, file throws in
            try await expectEqual(epochs(of: file, in: directory), ["epoch-2", "epoch-2"])
            try expectEqual(backup.verify(file).publications, 20, "the backup is as it was")
        }
    }

    /// Backups of the release before say so only by their seal.
    @Test func backupWithOnlyItsSealBeginsANewEpoch() async throws {
        try await withBackup { directory, file throws in
            let length = try backup.verify(file).length
            try require(truncate(file, off_t(length)) == 0)
            let queue = try DatabaseQueue(path: file)
            try await queue.write { try $0.execute(sql: "UPDATE hub SET unsynced_boot = NULL") }
            try queue.close()
            let copy = try BackupFile(reading: file)
            let seal = try copy.computeSeal(of: try copy.length())
            let handle = try require(FileHandle(forWritingAtPath: file))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(seal.bytes))
            try handle.close()
            try await expectEqual(epochs(of: file, in: directory), ["epoch-2", "epoch-2"])
        }
    }

    @Test func fileIsReplacedOnlyIfThatIsWanted() async throws {
        try await withBackup { directory, file throws in
            let database = directory + "/varde.sqlite"
            #expect(throws: StoreError.self) {
                try backup.make(of: database, at: file, isReplacing: false)
            }
            #expect(throws: StoreError.self) {
                try backup.make(of: database, at: database, isReplacing: true)
            }
            #expect(throws: StoreError.self) {
                try backup.make(of: directory + "/none", at: file, isReplacing: true)
            }
            try expectEqual(backup.verify(file).publications, 20)
            try expectEqual(backup.make(of: database, at: file, isReplacing: true).publications, 20)
        }
    }

    @Test func whatAKilledProcessHasLeftIsWrittenOver() async throws {
        try await withBackup { directory, file throws in
            let other = directory + "/other"
            try Data(repeating: 7, count: 1 << 20)
                .write(to: URL(fileURLWithPath: other + ".partial"))
            let made = try backup.make(
                of: directory + "/varde.sqlite",
                at: other,
                isReplacing: false
            )
            try expectEqual(backup.verify(other), made)
            expectEqual(made.length, (try backup.verify(file).length))
        }
    }

    @Test func everyFlippedByteAndEveryTruncationIsFound() async throws {
        try await withBackup { directory, file throws in
            let whole = [UInt8](try require(FileManager.default.contents(atPath: file)))
            let damaged = directory + "/damaged"
            func isFound(_ bytes: [UInt8]) throws -> Bool {
                try Data(bytes).write(to: URL(fileURLWithPath: damaged))
                do {
                    let contents = try backup.verify(damaged)
                    // Without the seal, all of the database may be there.
                    return contents.digest == nil
                } catch { return true }
            }
            try expect(!isFound(whole))
            for index in stride(from: 0, to: whole.count, by: 997) {
                var bytes = whole
                bytes[index] ^= 0x10
                try expect(isFound(bytes), "byte \(index)")
                try expect(isFound(Array(whole.prefix(index))), "\(index) bytes")
            }
            let length = whole.count - BackupSeal.size
            for count in [1, length - 4096, length - 1, length + 1, whole.count - 1] {
                try expect(isFound(Array(whole.prefix(count))), "\(count) bytes")
                try Data(whole.prefix(count)).write(to: URL(fileURLWithPath: damaged))
                #expect(throws: StoreError.self) { try backup.verify(damaged) }
            }
        }
    }

    @Test func damagedRowOfTheStoreIsListed() async throws {
        let damaged = try await damagedRows(
            "UPDATE publication SET payload = x'00' WHERE topic_offset = 7"
        )
        expectEqual(damaged, [.publication(topic: news.name, offset: 7)])
    }

    @Test(arguments: ["a b", ""]) func damagedNameOfATopicIsListed(name: String) async throws {
        let damaged = try await damagedRows(
            "UPDATE topic SET name = '\(name)' WHERE name = '\(news.name)'"
        )
        expect(damaged.contains(.publication(topic: name, offset: 7)))
    }

    /// The damaged rows that a backup lists of a store after a statement.
    private func damagedRows(_ statement: String) async throws -> [DamagedRow] {
        var damaged: [DamagedRow] = []
        try await withBackup { directory, _ throws in
            try FormerFile.execute(statement, in: directory)
            damaged = try backup.make(
                of: directory + "/varde.sqlite",
                at: directory + "/other",
                isReplacing: false
            ).damaged
        }
        return damaged
    }

    @Test(arguments: FormerFile.versions)
    func filesOfFormerVersionsAreCopied(version: Int) async throws {
        try await withDirectory { directory throws in
            try FormerFile.copy(version, to: directory)
            let database = directory + "/varde.sqlite"
            // Files of later versions have tables of domains, which this store does not know.
            do {
                let made = try backup.make(of: database, at: directory + "/c", isReplacing: false)
                expectEqual(made.schemaVersion, version)
            } catch let error as StoreError {
                expectEqual(error.code, .newerSchema)
            }
        }
    }

    @Test func databaseOfAnotherApplicationIsRefused() async throws {
        try await withDirectory { directory throws in
            try FormerFile.execute("CREATE TABLE other (id INTEGER)", in: directory)
            let path = directory + "/varde.sqlite"
            #expect(throws: StoreError.self) { try backup.verify(path) }
            #expect(throws: StoreError.self) {
                try backup.make(of: path, at: directory + "/copy", isReplacing: false)
            }
            expect(!FileManager.default.fileExists(atPath: directory + "/copy"))
            expect(!FileManager.default.fileExists(atPath: directory + "/copy.partial"))
        }
    }

    // MARK: Restoring

    @Test func restoredStoreHasTheRowsInANewEpoch() async throws {
        try await withBackup { directory, file throws in
            let other = directory + "/other"
            try FileManager.default.createDirectory(
                atPath: other,
                withIntermediateDirectories: true
            )
            _ = try backup.restore(file, to: other + "/varde.sqlite")
            try expectEqual(mode(other + "/varde.sqlite"), 0o600)
            // The same run of the machine as when the backup was made.
            let store = try openStore(other, newEpoch: "epoch-2")
            expectEqual(store.epoch, "epoch-2")
            let rows = try await store.loadAll().flatMap(\.publications)
            expectEqual(rows.count, 20)
            let notices = Locked<[StoreNotice]>([])
            store.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
            expect(notices.withLock { $0 }.contains(.restored(path: store.path, epoch: "epoch-2")))
            try await store.close()
            let next = try openStore(other, newEpoch: "epoch-3")
            expectEqual(next.epoch, "epoch-2")
            try await next.close()
        }
    }

    @Test func restoreReplacesNoData() async throws {
        try await withBackup { directory, file throws in
            let database = directory + "/varde.sqlite"
            let before = FileManager.default.contents(atPath: database)
            #expect(throws: StoreError.self) { try backup.restore(file, to: database) }
            expectEqual(FileManager.default.contents(atPath: database), before)
            let empty = directory + "/empty.sqlite"
            try Data([1]).write(to: URL(fileURLWithPath: empty + "-wal"))
            #expect(throws: StoreError.self) { try backup.restore(file, to: empty) }
            try Data().write(to: URL(fileURLWithPath: empty + "-wal"))
            try expectEqual(backup.restore(file, to: empty).publications, 20)
        }
    }

    @Test func restoreUnderARunningHubIsRefused() async throws {
        try await withBackup { directory, file throws in
            let store = try openStore(directory)
            let error = #expect(throws: StoreError.self) {
                try backup.restore(file, to: store.path)
            }
            expectEqual(error?.code, .locked)
            try await store.close()
        }
    }

    @Test func damagedBackupIsNotRestored() async throws {
        try await withBackup { directory, file throws in
            var bytes = [UInt8](try require(FileManager.default.contents(atPath: file)))
            bytes[bytes.count / 2] ^= 1
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            let other = directory + "/other.sqlite"
            #expect(throws: StoreError.self) { try backup.restore(file, to: other) }
            expect(!FileManager.default.fileExists(atPath: other))
        }
    }

    @Test(arguments: ["/a b", "/å?x#y%z", "/plain-._~/1"])
    func pathIsEscapedForItsURI(path: String) {
        expectEqual(StoreBackup.escaped(path).removingPercentEncoding, path)
        expect(!StoreBackup.escaped(path).contains { " ?#".contains($0) })
    }
}
