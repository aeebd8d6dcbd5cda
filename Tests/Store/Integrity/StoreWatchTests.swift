import Expectations
import Foundation
import GRDB
import StoreTesting

@testable import Store

/// Files that vanish under a running hub.
@Suite("Files that are no longer those of the path", .needsFile, .timeLimit(.minutes(10)))
struct StoreWatchTests {
    @Test(arguments: [
        ("rm", StoreFault.removed), ("replace", .replaced), ("log", .logGone), ("empty", .emptied),
    ])
    func commitsAreRefusedUntilTheFilesAreBack(_ how: String, _ fault: StoreFault) async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            let path = store.path
            try await store.commit([event(radar, "a")])
            try await store.checkpoint()
            store.watch.look()
            expectEqual(store.health, .ok)
            let original = try require(FileManager.default.contents(atPath: path))
            switch how {
            case "rm": try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
            case "replace":
                try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
                try original.write(to: URL(fileURLWithPath: path))
            case "log":
                try FileManager.default.moveItem(atPath: path + "-wal", toPath: path + "-moved")
            default: truncate(path, 0)
            }
            store.watch.look()
            store.watch.look()
            expectEqual(store.health.refusal, "database is gone or replaced")
            let error = await #expect(throws: StoreError.self) {
                try await store.publish(event(radar, "lost"))
            }
            expectEqual(error?.code, .gone)
            expectEqual(error?.message, "database is gone or replaced: \(fault)")
            await store.probeIfFailing()
            expect(store.health != .ok)
            expectEqual(store.losses.files, 1)

            switch how {
            case "empty":
                let file = try require(FileHandle(forWritingAtPath: path))
                try file.write(contentsOf: original)
                try file.close()
            case "log": rename(path + "-moved", path + "-wal")
            default: rename(path + "-moved", path)
            }
            store.watch.look()
            await store.probeIfFailing()
            expectEqual(store.health, .ok)
            let outcome = try await store.publish(event(radar, "b"))
            expectEqual([outcome].publications.map(\.offset), [2])
            let told = notices(of: store).filter { $0 != .created(path: path) }
            expectEqual(told, [.filesWrong(path: path, fault), .filesRight(path: path)], "once")
            try await store.close()
        }
    }

    @Test func memoryTopicsGoOn() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory, isDurable: isDurable)
            _ = try await store.publish(event(chat, "a"))
            try FileManager.default.removeItem(atPath: store.path)
            store.watch.look()
            let outcome = try await store.publish(event(chat, "b"))
            expectEqual([outcome].publications.map(\.offset), [2])
            try? await store.close()
        }
    }

    /// The thread's own look; the test waits for what it does.
    @Test func threadLooksByItself() async throws {
        try await withDirectory { directory in
            let options = StoreOptions(
                path: directory + "/varde.sqlite",
                watchInterval: .milliseconds(1)
            )
            let store = try HubStore(options, wall: startOfTests, newEpoch: "epoch-1")
            try FileManager.default.removeItem(atPath: store.path)
            while store.health == .ok { await Task.yield() }
            expectEqual(store.health.refusal, "database is gone or replaced")
            try? await store.close()
        }
    }

    @Test func lockFileThatIsRemovedIsClaimedAgain() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            try FileManager.default.removeItem(atPath: store.path + "-lock")
            store.watch.look()
            expectEqual(store.health, .ok)
            expect(FileManager.default.fileExists(atPath: store.path + "-lock"))
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.code, .locked)
            try await store.close()
        }
    }

    @Test func lockFileThatAnotherProcessHoldsIsAFault() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            let lockPath = store.path + "-lock"
            try FileManager.default.removeItem(atPath: lockPath)
            let other = open(lockPath, O_RDWR | O_CREAT, 0o600)
            expectEqual(flock(other, LOCK_EX | LOCK_NB), 0)
            store.watch.look()
            await #expect(throws: StoreError.self) { try await store.publish(event(radar, "a")) }
            let fault = StoreNotice.filesWrong(path: store.path, .claimedTwice)
            expect(notices(of: store).contains(fault))
            close(other)
            store.watch.look()
            await store.probeIfFailing()
            expectEqual(store.health, .ok)
            try await store.close()
        }
    }

    @Test(arguments: ["hard link", "no lock file"])
    func secondHubOnTheSameInodeIsRefused(_ how: String) async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            try await store.commit([event(radar, "a")])
            var second = directory
            if how == "hard link" {
                second = directory + "/second"
                try FileManager.default.createDirectory(
                    atPath: second,
                    withIntermediateDirectories: true
                )
                try FileManager.default.linkItem(
                    atPath: store.path,
                    toPath: second + "/varde.sqlite"
                )
            } else {
                try FileManager.default.removeItem(atPath: store.path + "-lock")
            }
            let error = #expect(throws: StoreError.self) { try openStore(second) }
            expectEqual(error?.code, .locked)
            expectEqual(error?.message.contains("another hub runs on it"), true)
            try await store.commit([event(radar, "b")])
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a", "b"])
            try await store.close()
            let third = try openStore(second)
            try await third.close()
        }
    }

    /// The hub's lock on the database is not one of SQLite's: a backup tool reads while the hub
    /// runs, and the hub notices a writer.
    @Test func locksOfSQLiteWorkAsBefore() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "a")])
            let other = try DatabaseQueue(path: store.path)
            let count = try await other.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM publication")
            }
            expectEqual(count, 1)
            try other.close()
            store.watch.look()
            expectEqual(store.health, .ok)
            try await store.commit([event(radar, "b")])
        }
    }
}
