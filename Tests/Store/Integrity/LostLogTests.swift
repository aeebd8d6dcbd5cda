import Expectations
import Foundation
import SeededRandom
import StoreTesting

@testable import Store

/// What a killed process leaves, spoiled: database, log and mark, opened in the same run of the
/// machine.
@Suite("A damaged, shortened or deleted write-ahead log", .needsFile, .timeLimit(.minutes(10)))
struct LostLogTests {
    @Test func lostCommitsBeginAnEpochAboveEveryCursor() async throws {
        try await withKilledStore { original, copy in
            try FileManager.default.removeItem(atPath: copy + "/varde.sqlite-wal")
            let store = try openStore(copy, newEpoch: "epoch-2")
            expectEqual(store.epoch, "epoch-2")
            let newest = original.cursorBase + 20
            expect(store.cursorBase >= newest + StoreIdentity.cursorLeap)
            expectEqual(
                notices(of: store),
                [
                    .commitsLost(
                        path: store.path,
                        marked: newest,
                        found: original.cursorBase + 10,
                        epoch: "epoch-2"
                    )
                ]
            )
            expectEqual(store.losses.commits, 1)
            let outcome = try await store.publish(event(radar, "again"))
            guard case .published(let publication, let epoch) = outcome else {
                return expect(Bool(false), "\(outcome)")
            }
            expectEqual(publication.offset, 11)
            expectEqual(epoch.text, "epoch-2")
            try await store.close()

            let next = try openStore(copy, newEpoch: "epoch-3")
            expectEqual(next.epoch, "epoch-2", "told once")
            expect(notices(of: next).isEmpty)
            try await next.close()
        }
    }

    /// Seeds of damage: whatever is missing afterwards, the epoch is another one; if nothing is
    /// missing, it is the same.
    @Test(arguments: 1...40)
    func noCommitIsLostInTheSameEpoch(_ seed: Int) async throws {
        try await withKilledStore { _, copy in
            let wal = copy + "/varde.sqlite-wal"
            var bytes = [UInt8](try require(FileManager.default.contents(atPath: wal)))
            var random = SeededGenerator(seed: UInt64(seed))
            if seed.isMultiple(of: 4) {
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            } else {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: wal))
            let store = try openStore(copy, newEpoch: "epoch-2")
            let texts = try await store.loadAll().flatMap { $0.publications.map(text) }
            let hasAll = texts == (1...20).map { "\($0)" }
            expectEqual(store.epoch, (hasAll ? "epoch-1" : "epoch-2"), "\(texts.count) are left")
            expectEqual(texts, (1...texts.count).map { "\($0)" }, "the first ones, in order")
            expectEqual(notices(of: store).count, (hasAll ? 0 : 1))
            try await store.close()
        }
    }

    @Test func lostReservationBeginsAnEpochAboveIt() async throws {
        try await withDirectory { directory in
            let original = try openStore(directory, isDurable: isDurable)
            try await original.checkpoint()
            try await original.commit([event(chat, "without a row")])
            let copy = directory + "/copy"
            try copyKilledStore(directory, to: copy)
            try FileManager.default.removeItem(atPath: copy + "/varde.sqlite-wal")
            let store = try openStore(copy, newEpoch: "epoch-2")
            expectEqual(store.epoch, "epoch-2")
            expect(store.memoryCursorBase > original.cursorBase + TopicCounters.reservedBlock)
            try await store.close()
            try await original.close()
        }
    }

    @Test func killAloneKeepsTheEpochAndSaysNothing() async throws {
        try await withKilledStore { original, copy in
            let store = try openStore(copy, newEpoch: "epoch-2")
            expectEqual(store.epoch, "epoch-1")
            expect(notices(of: store).isEmpty)
            try await store.close()
        }
    }

    /// Trimmed, erased, removed and forgotten rows are not missing.
    @Test func rowsThatWereDeletedAreNotMissing() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            var tagged = event(news, "erased")
            tagged.tags = ["k": "v"]
            try await store.commit([event(radar, "trimmed"), tagged])
            let erasure = Erasure(topic: news, tag: "k", value: "v")
            _ = try await store.commit(Change(erasures: [erasure]))
            try await expectEqual(store.loadAll().flatMap(\.publications).count, 1)
            try await store.removeHistory(of: radar)
            try await store.trimPublications(now: startOfTests) { _ in unlimited }
            let later = startOfTests + .seconds(100_000)
            let count = try await store.forgetTopics(now: later, quietTime: { _ in .seconds(1) }) {
                $0
            }
            expectEqual(count, 2)
            try await store.close()
            let next = try openStore(directory, newEpoch: "epoch-2")
            expectEqual(next.epoch, "epoch-1")
            expect(notices(of: next).isEmpty)
            try await next.close()
        }
    }

    @Test func olderDatabaseBesideANewerMarkBeginsAnEpoch() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "a")])
            try await first.close()
            let backup = try require(
                FileManager.default.contents(atPath: directory + "/varde.sqlite")
            )
            let second = try openStore(directory)
            try await second.commit([event(radar, "b")])
            try await second.close()
            try backup.write(to: URL(fileURLWithPath: directory + "/varde.sqlite"))

            let store = try openStore(directory, newEpoch: "epoch-2")
            expectEqual(store.epoch, "epoch-2")
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
            expectEqual(store.losses.commits, 1)
            try await store.close()
        }
    }

    @Test func goneOrEmptyDatabaseIsAnnouncedAndBeginsAboveTheMark() async throws {
        for isEmpty in [false, true] {
            try await withDirectory { directory in
                let yesterday = startOfTests - .seconds(86_400)
                let first = try openStore(directory)
                expectEqual(notices(of: first), [.created(path: first.path)])
                try await first.commit([event(radar, "a")])
                try await first.close()
                try FileManager.default.removeItem(atPath: first.path)
                if isEmpty { try Data().write(to: URL(fileURLWithPath: first.path)) }

                let store = try openStore(directory, wall: yesterday, newEpoch: "epoch-2")
                expectEqual(notices(of: store), [.emptied(path: store.path, epoch: "epoch-2")])
                expectEqual(store.losses.databases, 1)
                expect(store.cursorBase > first.cursorBase + 1)
                try await store.close()
            }
        }
    }

    @Test func missingOrUnreadableMarkIsMadeAndTold() async throws {
        for isUnreadable in [false, true] {
            try await withDirectory { directory in
                let first = try openStore(directory)
                try await first.commit([event(radar, "a")])
                try await first.close()
                let mark = first.path + "-mark"
                if isUnreadable {
                    try Data(repeating: 0xA5, count: 1024).write(to: URL(fileURLWithPath: mark))
                } else {
                    try FileManager.default.removeItem(atPath: mark)
                }
                let store = try openStore(directory, newEpoch: "epoch-2")
                expectEqual(store.epoch, "epoch-1")
                let expected = StoreNotice.markMade(path: store.path, wasUnreadable: isUnreadable)
                expectEqual(notices(of: store), [expected])
                try await store.close()
                let next = try openStore(directory)
                expect(notices(of: next).isEmpty)
                try await next.close()
            }
        }
    }

    @Test func lossOfPowerIsTold() async throws {
        try await withKilledStore { _, copy in
            let store = try openStore(copy, boot: "boot-2", newEpoch: "epoch-2")
            expectEqual(notices(of: store), [.unsyncedEnd(path: store.path, epoch: "epoch-2")])
            try await store.close()
        }
    }

    /// The mark stands before the commit is told to anybody.
    @Test func markIsRaisedBeforeTheCommitHandlerIsCalled() async throws {
        try await withStore { store in
            let cursors = Locked<[UInt64]>([])
            store.observe(\.committed) { [path = store.path] publications in
                let bytes = [UInt8](FileManager.default.contents(atPath: path + "-mark") ?? Data())
                let mark = HighWaterSlots.newest(in: bytes)?.mark
                expectEqual(mark?.cursor, publications.last?.cursor)
                cursors.withLock { $0.append(mark?.cursor ?? 0) }
            }
            try await store.commit([event(radar, "a"), event(news, "b")])
            expectEqual(cursors.withLock { $0 }, [store.cursorBase + 1, store.cursorBase + 2])
        }
    }

    @Test func failedCommitDoesNotRaiseTheMark() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "a")])
            try await store.setQueryOnly(true)
            await #expect(throws: StoreError.self) { try await store.publish(event(radar, "b")) }
            try await store.setQueryOnly(false)
            let bytes = try require(FileManager.default.contents(atPath: store.path + "-mark"))
            let mark = HighWaterSlots.newest(in: [UInt8](bytes))?.mark
            expectEqual(mark?.cursor, store.cursorBase + 1)
        }
    }

    /// Ten commits are in the database file, ten more only in the log.
    private func withKilledStore(
        _ body: (_ original: HubStore, _ copy: String) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let original = try openStore(directory)
            try await original.commit((1...10).map { event(radar, "\($0)") })
            try await original.checkpoint()
            try await original.commit((11...20).map { event(radar, "\($0)") })
            try copyKilledStore(directory, to: directory + "/copy")
            try await body(original, directory + "/copy")
            try await original.close()
        }
    }

    private func copyKilledStore(_ directory: String, to copy: String) throws {
        try copyStore(directory, to: copy)
        let name = "/varde.sqlite-mark"
        let mark = try require(FileManager.default.contents(atPath: directory + name))
        try mark.write(to: URL(fileURLWithPath: copy + name))
    }
}

/// What the store has told so far.
func notices(of store: HubStore) -> [StoreNotice] {
    let found = Locked<[StoreNotice]>([])
    store.setNoticeHandler { notice in found.withLock { $0.append(notice) } }
    store.notices.removeHandler()
    return found.withLock { $0 }
}
