import Expectations
import Foundation
import Store
import StoreTesting

@testable import RadarApp

@Suite("A change of radars is committed as a whole or not at all", .timeLimit(.minutes(10)))
struct RadarChangeTests {
    private let rows: [RadarWrite] = [
        .insert(radarRow("r1")), .opinion(opinion("o1", of: "r1")),
    ]
    private let rest = Change(
        events: [event(radar, "a"), event(news, "b")],
        state: [StateRow(domain: "radar", key: "1", value: [1, 2])],
        deliveries: [delivery("message-1")],
        clock: startOfTests
    )

    @Test func everyPartIsReadBack() async throws {
        try await withRadarStore { store in
            try await store.commitRadars(rows, with: rest)
            try await expectEqual(store.loadAll().map(\.topic), [radar, news])
            try await expectEqual(store.state(domain: "radar"), rest.state)
            try await expectEqual(store.lastClock(), startOfTests)
            let pending = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(pending.map(\.messageID), ["message-1"])
            expectEqual(store.deliveryTally.pending, 1)
            try await store.readRadars { tables throws in
                try expectEqual(tables.radar("r1"), radarRow("r1"))
                try expectEqual(tables.opinions(of: "r1", limit: 9).map(\.id), ["o1"])
            }
        }
    }

    @Test(arguments: Flaw.allCases)
    func changeThatFailsLeavesNothingBehind(_ flaw: Flaw) async throws {
        try await withRadarStore { store in
            let before = try store.rowCounts()
            let error = await #expect(throws: StoreError.self) {
                try await store.commitRadars(rows + flaw.rows, with: rest)
            }
            expectEqual(error?.code, .constraint)
            expectEqual(
                error?.sql?.contains(flaw == .negativeSpending ? "UPDATE" : "INSERT INTO"),
                true
            )
            try expectEqual(store.rowCounts(), before)
            try await expectNil(store.lastClock())
            expectEqual(store.health, .ok, "the change is at fault")
            try await store.commitRadars(rows, with: rest)
            try await expectEqual(store.loadAll().map(\.topOffset), [1, 1])
        }
    }

    /// All five are one transaction, which is done again with savepoints.
    @Test func changeThatFailsDoesNotHurtItsNeighbours() async throws {
        try await withRadarStore { store in
            let ids = ["a", "gone", "b", "gone", "c"]
            let results = try await holdingWriter(of: store, queued: ids.count) {
                ids.enumerated().map { index, id in
                    Task {
                        let orphan = RadarWrite.nextPoll(radarID: "gone", startOfTests)
                        try await store.commitRadars(
                            [id == "gone" ? orphan : .insert(radarRow(id))],
                            with: Change(events: [event(news, "\(index)")])
                        )
                    }
                }
            }
            expectEqual(results.map(\.isSuccess), ids.map { $0 != "gone" })
            let found = try await store.readRadars { try $0.radarDirectory().map(\.id) }
            expectEqual(Set(found), ["a", "b", "c"])
            let told = try await store.history(of: news, count: 9)?.publications.map(text)
            expectEqual(Set(told ?? []), ["0", "2", "4"])
        }
    }

    // MARK: Killed processes

    @Test(.needsFile) func everyAcknowledgedPollIsInTheFilesAtOnce() async throws {
        try await withDirectory { directory in
            let store = try openRadarStore(directory)
            for number in 1...20 {
                let change = Change(
                    events: [event(radar, "\(number)")],
                    state: [StateRow(domain: "radar", key: "n", value: [UInt8(number)])],
                    deliveries: [delivery("\(number)")]
                )
                try await store.commitRadars(poll(number), with: change)
                guard number.isMultiple(of: 5) else { continue }

                let copy = directory + "/copy-\(number)"
                try copyStore(directory, to: copy)
                let survivor = try openRadarStore(copy)
                try await expectEqual(survivor.loadAll()[0].publications.count, number)
                try await expectEqual(survivor.state(domain: "radar")[0].value, [UInt8(number)])
                try await expectEqual(survivor.deliveryCounts().pending, number)
                try await survivor.readRadars { tables throws in
                    try expectEqual(tables.radar("r1")?.refreshCount, number)
                    try expectEqual(tables.opinions(of: "r1", limit: 99).count, number)
                    try expectEqual(tables.spending(day: 1).map(\.requests), [number])
                }
                try await survivor.close()
            }
            try await store.close()
        }
    }

    /// A poll of one radar, which begins with the first one.
    private func poll(_ number: Int) -> [RadarWrite] {
        var row = radarRow("r1")
        row.refreshCount = number
        return [
            number == 1 ? .insert(row) : .update(row),
            .opinion(opinion("o\(number)", of: "r1", at: number)),
            .spending(SpendingRow(source: "s", day: 1, requests: 1, tokens: 0)),
        ]
    }

    @Test(.needsFile) func deletedRadarAndItsHistoryAreGoneTogetherFromWhatAKilledProcessLeaves()
        async throws
    {
        try await withDirectory { directory in
            let store = try openRadarStore(directory)
            try await store.commitRadars(rows, with: Change(events: [event(radar, "a")]))
            try await store.commitRadars(
                [.delete(radarID: "r1")],
                with: Change(events: [event(radar, "b")], removedHistories: [radar])
            )
            let copy = directory + "/killed"
            try copyStore(directory, to: copy)
            try await store.close()

            let survivor = try openRadarStore(copy)
            try await survivor.readRadars { tables throws in
                try expect(tables.radarDirectory().isEmpty)
                try expect(tables.opinions(of: "r1", limit: 9).isEmpty)
            }
            try await expectEqual(survivor.trimOpinions(before: startOfTests), 1)
            let topic = try await survivor.loadAll()[0]
            expect(topic.publications.isEmpty)
            expectEqual(topic.topOffset, 2)
            try await survivor.close()
        }
    }
}

extension RadarChangeTests {
    /// Rows that the schema refuses, of each table.
    enum Flaw: CaseIterable {
        case emptyRadar
        case radarTwice
        case opinionTwice
        case emptyOpinion
        case stanceOutOfRange
        case confidenceOutOfRange
        case confidenceNotANumber
        case shortCacheKey
        case negativeSpending

        var rows: [RadarWrite] {
            switch self {
            case .emptyRadar: [.insert(radarRow(""))]
            case .radarTwice: [.insert(radarRow("twice")), .insert(radarRow("twice"))]
            case .opinionTwice:
                adding(opinion("twice", of: "r")) + [.opinion(opinion("twice", of: "r"))]
            case .emptyOpinion: adding(opinion("", of: "r"))
            case .stanceOutOfRange: adding(opinion("o", of: "r", stance: 2))
            case .confidenceOutOfRange: adding(opinion("o", of: "r", confidence: 1.01))
            case .confidenceNotANumber: adding(opinion("o", of: "r", confidence: .nan))
            case .shortCacheKey: [.cache(StanceCacheRow(key: [1], answer: [], time: startOfTests))]
            case .negativeSpending:
                [.spending(SpendingRow(source: "s", day: 1, requests: 1, tokens: -1))]
            }
        }

        private func adding(_ opinion: OpinionRow) -> [RadarWrite] {
            [.insert(radarRow("r")), .opinion(opinion)]
        }
    }
}
