import Expectations
import Store
import StoreTesting

@testable import RadarApp

@Suite("Rows of radars", .timeLimit(.minutes(10)))
struct RadarRowTests {
    /// Every column has a value, none the same as that of `radarRow`.
    private let full = RadarRow(
        id: "r1",
        userID: "user-1",
        topic: "Tempolimit auf Autobahnen — ja?",
        interpretation: [0, 0xFF],
        position: "for",
        isPublic: true,
        refreshCount: 3,
        segment: 2,
        lastPolledAt: startOfTests + .seconds(5),
        nextPollAt: startOfTests + .seconds(65),
        createdAt: startOfTests,
        updatedAt: startOfTests + .seconds(6),
        sources: [1, 2, 3],
        lastPoll: [4, 5],
        standing: [6, 7]
    )

    @Test func everyColumnIsReadBack() async throws {
        try await withRadarStore { store in
            let plain = radarRow("r2")
            try await store.commitRadars([.insert(full), .insert(plain)])
            try await expectEqual(store.readRadars { try $0.radar("r1") }, Optional(full))
            try await expectEqual(store.readRadars { try $0.radar("r2") }, Optional(plain))
            try await expectNil(store.readRadars { try $0.radar("r3") })
        }
    }

    @Test func updateReplacesAllButTheUserAndTheCreation() async throws {
        try await withRadarStore { store in
            let first = radarRow("r1")
            try await store.commitRadars([.insert(first), .insert(radarRow("r2"))])
            var update = full
            update.userID = "user-2"
            update.createdAt = startOfTests + .seconds(99)
            try await store.commitRadars([.update(update)])
            try await expectEqual(store.readRadars { try $0.radar("r1") }, Optional(full))
            try await expectEqual(store.readRadars { try $0.radar("r2") }, Optional(radarRow("r2")))

            var unpolled = full
            unpolled.lastPolledAt = nil
            unpolled.lastPoll = nil
            unpolled.standing = nil
            try await store.commitRadars([.update(unpolled)])
            try await expectEqual(store.readRadars { try $0.radar("r1") }, Optional(unpolled))
        }
    }

    @Test func nextPollMovesAlone() async throws {
        try await withRadarStore { store in
            var moved = full
            moved.nextPollAt = startOfTests + .seconds(3600)
            let writes: [RadarWrite] = [
                .insert(full), .nextPoll(radarID: "r1", moved.nextPollAt),
            ]
            try await store.commitRadars(writes)
            try await expectEqual(store.readRadars { try $0.radar("r1") }, Optional(moved))
        }
    }

    @Test func radarsOfAUserAreNewestFirstInPages() async throws {
        try await withRadarStore { store in
            let rows = [("a", 1), ("b", 3), ("d", 2), ("c", 2)].map { radarRow($0, at: $1) }
            let others = [radarRow("x", of: "user-2", at: 9)]
            try await store.commitRadars((rows + others).map { .insert($0) })
            let first = try await store.readRadars { try $0.radars(of: "user-1", limit: 3) }
            expectEqual(first.map(\.id), ["b", "d", "c"])
            let second = try await store.readRadars {
                try $0.radars(of: "user-1", limit: 3, offset: 3)
            }
            expectEqual(second.map(\.id), ["a"])
            try await expect(
                store.readRadars { try $0.radars(of: "user-1", limit: 3, offset: 4) }
                    .isEmpty
            )
            try await expect(store.readRadars { try $0.radars(of: "nobody", limit: 3) }.isEmpty)
            try await expectEqual(store.readRadars { try $0.radarCount(of: "user-1") }, 4)
            let topic = rows[0].topic
            try await expectEqual(
                store.readRadars { try $0.radarIDs(of: "user-1", topic: topic) }.first,
                "b"
            )
            try await expectEqual(
                store.readRadars { try $0.radarIDs(of: "user-2", topic: topic) },
                ["x"]
            )
            try await expect(
                store.readRadars { try $0.radarIDs(of: "user-1", topic: "tea") }.isEmpty
            )
            try await expectEqual(store.readRadars { try $0.radarCount(of: "nobody") }, 0)
        }
    }

    @Test func directoryHasEveryRadarAfterRestart() async throws {
        try await withDirectory { directory in
            let first = try openRadarStore(directory)
            let rows = [radarRow("r2", of: "user-2"), full, radarRow("r0")]
            try await first.commitRadars(rows.map { .insert($0) })
            try await first.commitRadars([.delete(radarID: "r0")])
            try await first.close()

            let second = try openRadarStore(directory)
            try await expectEqual(
                second.readRadars { try $0.radarDirectory() },
                [
                    RadarDirectoryRow(
                        id: "r2",
                        userID: "user-2",
                        isPublic: false,
                        nextPollAt: rows[0].nextPollAt,
                        lastPolledAt: nil
                    ),
                    RadarDirectoryRow(
                        id: "r1",
                        userID: "user-1",
                        isPublic: true,
                        nextPollAt: full.nextPollAt,
                        lastPolledAt: full.lastPolledAt
                    ),
                ]
            )
            try await second.close()
        }
    }

    // MARK: Radars that are gone

    @Test func deletionTakesTheOpinionsOfThatRadarAlong() async throws {
        try await withRadarStore { store in
            try await insert(["r1", "r2"], opinionsEach: 3, into: store)
            try await store.commitRadars([.delete(radarID: "r2")])
            try await expectNil(store.readRadars { try $0.radar("r2") })
            try await expectEqual(store.readRadars { try $0.opinions(of: "r1", limit: 9) }.count, 3)
            // The id is free, and nothing of the first radar is found under it.
            try await store.commitRadars([.insert(radarRow("r2"))])
            try await expect(store.readRadars { try $0.opinions(of: "r2", limit: 9) }.isEmpty)
            let recent = try await store.readRadars {
                try $0.positionOpinions(of: "r2", since: startOfTests, limit: 9, pushedLimit: 9)
            }
            expect(recent.isEmpty)
            try await expect(
                store.readRadars { try $0.opinionDays(of: "r2", from: startOfTests) }
                    .isEmpty
            )
            try await expect(store.readRadars { try $0.opinions(of: ["r2"], each: 9) }.isEmpty)
        }
    }

    @Test func trimDeletesTheOpinionsOfDeletedRadarsInSmallTransactions() async throws {
        try await withRadarStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            try await insert(["r1", "r2", "r3", "r4"], opinionsEach: 5, into: store)
            let deletions = ["r2", "r4"].map { RadarWrite.delete(radarID: $0) }
            try await store.commitRadars(deletions)
            let before = store.statistics.transactions
            try await expectEqual(store.trimOpinions(before: startOfTests), 10)
            // Of each radar two, two and one, and the end of its number; one finds none that are old.
            expectEqual(store.statistics.transactions, before + 9)
            let counts = try store.rowCounts()
            expectEqual(counts["opinion"], 10)
            expectEqual(counts["deleted_radar"], 0)
            try await expectEqual(
                store.readRadars { try $0.opinions(of: ["r1", "r3"], each: 9) }.count,
                2
            )
            try await expectEqual(store.trimOpinions(before: startOfTests), 0)
        }
    }

    private func insert(
        _ ids: [String],
        opinionsEach count: Int,
        into store: HubStore
    ) async throws {
        let writes: [RadarWrite] = ids.flatMap { id in
            [.insert(radarRow(id))] + (0..<count).map { .opinion(opinion("\(id)-\($0)", of: id)) }
        }
        try await store.commitRadars(writes)
    }

    @Test func deletionOfARadarThatIsNotThereIsNoError() async throws {
        try await withRadarStore { store in
            try await store.commitRadars([.delete(radarID: "r1")])
            expectEqual(store.health, .ok)
        }
    }

    private static let orphans: [RadarWrite] = [
        .update(radarRow("gone")), .nextPoll(radarID: "gone", startOfTests),
        .opinion(opinion("o9", of: "gone")),
    ]

    @Test(arguments: orphans)
    func changeThatNeedsADeletedRadarIsRefusedAsAWhole(_ orphan: RadarWrite) async throws {
        try await withRadarStore { store in
            try await store.commitRadars([.insert(radarRow("gone"))])
            try await store.commitRadars([.delete(radarID: "gone")])
            let before = try store.rowCounts()
            let rows: [RadarWrite] = [
                .insert(radarRow("r1")), .opinion(opinion("o1", of: "r1")), orphan,
            ]
            let error = await #expect(throws: StoreError.self) {
                try await store.commitRadars(rows, with: Change(events: [event(radar, "a")]))
            }
            expectEqual(error?.code, .notFound)
            expectEqual(error?.message, "no radar gone")
            try expectEqual(store.rowCounts(), before)
            expectEqual(store.health, .ok, "the change is at fault")
        }
    }

    @Test func opinionBehindTheDeletionInOneChangeIsRefused() async throws {
        try await withRadarStore { store in
            try await store.commitRadars([.insert(radarRow("r1"))])
            let writes: [RadarWrite] = [
                .delete(radarID: "r1"), .opinion(opinion("o1", of: "r1")),
            ]
            let error = await #expect(throws: StoreError.self) {
                try await store.commitRadars(writes)
            }
            expectEqual(error?.code, .notFound)
            try await expect(
                store.readRadars { try $0.radar("r1") } != nil,
                "the deletion is undone, too"
            )
        }
    }

    @Test func changeOfRowsAloneIsATransactionThatProvesTheFile() async throws {
        try await withRadarStore { store in
            let before = store.statistics.transactions
            try await store.commitRadars([.insert(radarRow("r1"))])
            expectEqual(store.statistics.transactions, before + 1)
        }
    }

    @Test func longTextsCountForTheLimitOfAChange() async throws {
        try await withRadarStore(limits: StoreLimits(changeBytesMax: 1000)) { store in
            try await store.commitRadars([.insert(radarRow("r1"))])
            var long = opinion("o1", of: "r1")
            long.content = String(repeating: "x", count: 500)
            long.reasoning = String(repeating: "y", count: 500)
            var wide = radarRow("r2")
            wide.sources = [UInt8](repeating: 0, count: 1000)
            let answer = StanceCacheRow(
                key: [UInt8](repeating: 1, count: StanceCacheRow.keyLength),
                answer: [UInt8](repeating: 0, count: 1000),
                time: startOfTests
            )
            for write in [RadarWrite.opinion(long), .insert(wide), .update(wide), .cache(answer)] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.commitRadars([write])
                }
                expectEqual(error?.code, .changeTooBig)
            }
        }
    }
}
