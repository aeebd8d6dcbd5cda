import Expectations
import StoreTesting

@testable import Store

@Suite("Epoch and cursor base", .timeLimit(.minutes(10)))
struct StoreIdentityTests {
    private let tomorrow = startOfTests + .seconds(86_400)

    @Test func newStoreTakesTheEpochGivenAndItsBaseFromTheClock() async throws {
        try await withStore { store in
            expectEqual(store.epoch, "epoch-1")
            expectEqual(store.cursorBase, 1_767_225_600_000_000)
            let committed = try await store.commit(Change(events: [event(radar, "a")]))
            expectEqual(committed.publications[0].cursor, store.cursorBase + 1)
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
    func anyClockGivesABaseThatANumberInJSONCarries(_ milliseconds: Int64) async throws {
        try await withDirectory { directory in
            let store = try openStore(directory, wall: Timestamp(milliseconds: milliseconds))
            expect(store.cursorBase <= StoreIdentity.cursorBaseMax)
            let committed = try await store.commit(Change(events: [event(radar, "a")]))
            expectEqual(committed.publications[0].cursor, store.cursorBase + 1)
            try await store.close()
        }
    }

    @Test(arguments: [StoreOptions.Synchronous.normal, .full])
    func restartKeepsEpochOffsetsAndCursors(
        _ synchronous: StoreOptions.Synchronous
    ) async throws {
        try await withDirectory { directory in
            let first = try openStore(directory, synchronous: synchronous)
            try await first.commit([event(radar, "a"), event(news, "b"), event(radar, "c")])
            let topics = try await first.loadAll()
            try await first.close()

            let second = try openStore(
                directory,
                synchronous: synchronous,
                boot: "boot-2",
                wall: tomorrow,
                newEpoch: "epoch-2"
            )
            expectEqual(second.epoch, "epoch-1")
            expectEqual(second.cursorBase, first.cursorBase)
            try await expectEqual(second.loadAll(), topics)
            let committed = try await second.commit(Change(events: [event(radar, "d")]))
            expectEqual(committed.publications[0].offset, 3)
            expectEqual(committed.publications[0].cursor, first.cursorBase + 4)
            try await second.close()
        }
    }

    @Test(.needsFile) func endOfTheProcessKeepsTheEpoch() async throws {
        try await reopenCopy(.normal, boot: "boot-1") { store, original in
            expectEqual(store.epoch, "epoch-1")
            expectEqual(store.cursorBase, original.cursorBase)
        }
    }

    @Test(.needsFile) func lossOfPowerBeginsAnEpochAboveEveryFormerCursor() async throws {
        try await reopenCopy(.normal, boot: "boot-2") { store, original in
            expectEqual(store.epoch, "epoch-2")
            expectEqual(store.cursorBase, 1_767_225_600_000_000 + 86_400_000_000)
            let committed = try await store.commit(Change(events: [event(radar, "b")]))
            expectEqual(committed.publications[0].offset, 2, "what is left keeps its offsets")
            expectEqual(committed.publications[0].cursor, store.cursorBase + 1)
        }
    }

    @Test(.needsFile) func lossOfPowerBehindSyncedCommitsKeepsTheEpoch() async throws {
        try await reopenCopy(.full, boot: "boot-2") { store, _ in
            expectEqual(store.epoch, "epoch-1")
        }
    }

    @Test(.needsFile) func openStoreOfAnUnknownRunCountsAsLossOfPower() async throws {
        try await reopenCopy(.normal, firstBoot: nil, boot: nil) { store, _ in
            expectEqual(store.epoch, "epoch-2")
        }
    }

    @Test(.needsFile) func clockThatWentBackwardStillMovesTheBaseForward() async throws {
        let yesterday = startOfTests - .seconds(86_400)
        try await reopenCopy(.normal, boot: "boot-2", wall: yesterday) { store, original in
            expectEqual(store.cursorBase, original.cursorBase + 1 + StoreIdentity.cursorLeap)
        }
    }

    @Test func epochBegunOnceIsKept() async throws {
        try await withDirectory { directory in
            for (newEpoch, startsNewEpoch, expected) in [
                ("epoch-1", false, "epoch-1"), ("epoch-2", true, "epoch-2"),
                ("epoch-3", false, "epoch-2"),
            ] {
                let store = try openStore(
                    directory,
                    startsNewEpoch: startsNewEpoch,
                    newEpoch: newEpoch
                )
                expectEqual(store.epoch, expected)
                try await store.close()
            }
        }
    }

    @Test(.needsFile) func syncedRunAfterAnUnsyncedOneClearsTheNote() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "a")])
            try copyStore(directory, to: directory + "/second")
            try await first.close()

            let second = try openStore(directory + "/second", synchronous: .full)
            try copyStore(directory + "/second", to: directory + "/third")
            try await second.close()

            let third = try openStore(directory + "/third", boot: "boot-2", newEpoch: "epoch-2")
            expectEqual(third.epoch, "epoch-1")
            try await third.close()
        }
    }

    /// Opens a copy of a store that was not closed, as after a kill or, with another boot, a power
    /// cut.
    private func reopenCopy(
        _ synchronous: StoreOptions.Synchronous,
        firstBoot: String? = "boot-1",
        boot: String?,
        wall: Timestamp? = nil,
        _ body: (HubStore, _ original: HubStore) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let original = try openStore(directory, synchronous: synchronous, boot: firstBoot)
            try await original.commit([event(radar, "a")])
            try copyStore(directory, to: directory + "/copy")
            let store = try openStore(
                directory + "/copy",
                synchronous: synchronous,
                boot: boot,
                wall: wall ?? tomorrow,
                newEpoch: "epoch-2"
            )
            try await body(store, original)
            try await store.close()
            try await original.close()
        }
    }
}
