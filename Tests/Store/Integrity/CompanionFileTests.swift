import Expectations
import Foundation
import Glibc
import StoreTesting

@testable import Store

@Suite("Files beside the database", .needsFile, .timeLimit(.minutes(10)))
struct CompanionFileTests {
    private func contents(_ path: String) -> Data? {
        FileManager.default.contents(atPath: path)
    }

    @Test func markThatIsASymbolicLinkIsNeitherReadNorWritten() async throws {
        try await withDirectory { directory in
            let target = directory + "/target"
            let text = Data("of somebody else".utf8)
            try text.write(to: URL(fileURLWithPath: target))
            let mark = directory + "/varde.sqlite-mark"
            try require(symlink(target, mark) == 0)
            let store = try openStore(directory)
            let notices = Locked<[StoreNotice]>([])
            store.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
            try await store.commit([event(news, "a")])
            try await store.close()
            expectEqual(contents(target), text)
            let reported = StoreNotice.markNotWritten(path: mark, "it is a symbolic link")
            expect(notices.withLock { $0 }.contains(reported))
        }
    }

    @Test(arguments: [true, false])
    func lockThatIsASymbolicLinkPreventsTheStart(hasTarget: Bool) async throws {
        try await withDirectory { directory in
            let target = directory + "/target"
            if hasTarget { try Data().write(to: URL(fileURLWithPath: target)) }
            try require(symlink(target, directory + "/varde.sqlite-lock") == 0)
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.code, .cannotOpen)
            expectEqual(error?.message.hasSuffix("varde.sqlite-lock: it is a symbolic link"), true)
            expectEqual(FileManager.default.fileExists(atPath: target), hasTarget)
        }
    }

    @Test(arguments: ["-wal", "-shm", "-journal"])
    func logThatIsASymbolicLinkPreventsTheStart(name: String) async throws {
        try await withDirectory { directory in
            let target = directory + "/target"
            try require(symlink(target, directory + "/varde.sqlite" + name) == 0)
            let error = #expect(throws: StoreError.self) { try openStore(directory) }
            expectEqual(error?.message.contains("varde.sqlite\(name)"), true)
            expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test func fileWithAnotherNameAndPipeAreRefused() async throws {
        try await withDirectory { directory in
            let path = directory + "/file"
            try Data().write(to: URL(fileURLWithPath: path))
            try require(link(path, directory + "/other") == 0)
            #expect(throws: CompanionFile.Refusal.self) { try CompanionFile.open(path, O_RDWR) }
            let pipe = directory + "/pipe"
            try require(mkfifo(pipe, 0o600) == 0)
            #expect(throws: CompanionFile.Refusal.self) { try CompanionFile.open(pipe, O_RDWR) }
            #expect(throws: CompanionFile.Refusal.self) { try CompanionFile.open(pipe, O_RDONLY) }
        }
    }

    @Test func fileOfAnotherUserIsRefused() async throws {
        guard geteuid() == 0 else { return }
        try await withDirectory { directory in
            let path = directory + "/file"
            try Data().write(to: URL(fileURLWithPath: path))
            try require(chown(path, 12_345, 12_345) == 0)
            let refusal = #expect(throws: CompanionFile.Refusal.self) {
                try CompanionFile.open(path, O_RDWR)
            }
            expectEqual(refusal?.reason, "it belongs to user 12345")
            try require(chown(directory, 12_345, 12_345) == 0)
            Glibc.close(try CompanionFile.open(path, O_RDWR))
        }
    }
}
