import Expectations
import Store
import StoreTesting

@testable import RadarApp

@Suite("What is kept beside radars, and for how long", .timeLimit(.minutes(10)))
struct RadarUpkeepTests {
    private func key(_ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: StanceCacheRow.keyLength)
    }

    private func cached(_ byte: UInt8, _ answer: [UInt8], at seconds: Int) -> StanceCacheRow {
        StanceCacheRow(key: key(byte), answer: answer, time: startOfTests + .seconds(seconds))
    }

    @Test func answerIsFoundByItsKeyAndReplaced() async throws {
        try await withRadarStore { store in
            let rows = [cached(1, [1], at: 0), cached(2, [], at: 1)]
            try await store.commitRadars(rows.map { .cache($0) })
            try await expectEqual(
                store.readRadars { try $0.stanceCache(key(1)) },
                Optional(rows[0])
            )
            try await expectEqual(
                store.readRadars { try $0.stanceCache(key(2)) },
                Optional(rows[1])
            )
            try await expectNil(store.readRadars { try $0.stanceCache(key(3)) })
            let newer = cached(1, [3, 4], at: 5)
            try await store.commitRadars([.cache(newer)])
            try await expectEqual(store.readRadars { try $0.stanceCache(key(1)) }, Optional(newer))
            try await expectEqual(
                store.readRadars { try $0.stanceCache(key(2)) },
                Optional(rows[1])
            )
        }
    }

    @Test func spendingAddsUpByDayAndSource() async throws {
        try await withRadarStore { store in
            let rows = [("b", 1, 2), ("a", 1, 3), ("a", 2, 4)].map { source, day, requests in
                SpendingRow(source: source, day: day, requests: requests, tokens: 100 * requests)
            }
            try await store.commitRadars(rows.map { .spending($0) })
            try await expectEqual(store.readRadars { try $0.spending(day: 1) }, [rows[1], rows[0]])
            let more = SpendingRow(source: "a", day: 1, requests: 1, tokens: -50)
            try await store.commitRadars([.spending(more)])
            var sum = rows[1]
            sum.requests += 1
            sum.tokens -= 50
            try await expectEqual(store.readRadars { try $0.spending(day: 1) }, [sum, rows[0]])
            try await expectEqual(store.readRadars { try $0.spending(day: 2) }, [rows[2]])
            try await expect(store.readRadars { try $0.spending(day: 3) }.isEmpty)
        }
    }

    @Test func spendingOfAUserAddsUpWithThatOfTheSource() async throws {
        try await withRadarStore { store in
            let (ann, rest): ([UInt8], [UInt8]) = ([1, 2], [])
            for (user, tokens) in [(ann, 50), (ann, 70), (rest, 30)] as [([UInt8]?, Int)] {
                let row = SpendingRow(source: "a", day: 1, requests: 1, tokens: tokens, user: user)
                try await store.commitRadars([.spending(row)])
            }
            let settled = SpendingRow(source: "a", day: 1, requests: 0, tokens: -20, user: ann)
            try await store.commitRadars([.spending(settled)])
            let taken = try await store.readRadars { try $0.shares(of: "a", day: 1) }
            expectEqual(
                taken,
                [
                    ann: .init(requests: 2, tokens: 100), rest: .init(requests: 1, tokens: 30),
                ]
            )
            let sum = SpendingRow(source: "a", day: 1, requests: 3, tokens: 130)
            try await expectEqual(store.readRadars { try $0.spending(day: 1) }, [sum])
            try await expect(store.readRadars { try $0.shares(of: "a", day: 2) }.isEmpty)
            try await expect(store.readRadars { try $0.shares(of: "b", day: 1) }.isEmpty)
            try await expectEqual(store.trimUserSpending(beforeDay: 1), 0)
            try await expectEqual(store.trimUserSpending(beforeDay: 2), 2)
            try await expectEqual(store.readRadars { try $0.spending(day: 1) }, [sum])
        }
    }

    @Test func trimDeletesWhatIsOlderAndNotWhatIsExactlyAsOld() async throws {
        try await withRadarStore(limits: StoreLimits(trimRowsMax: 2)) { store in
            let writes: [RadarWrite] = (1...9).flatMap { day -> [RadarWrite] in
                [
                    .opinion(opinion("o\(day)", of: day % 2 == 0 ? "r1" : "r2", at: day)),
                    .cache(cached(UInt8(day), [], at: day)),
                    .spending(SpendingRow(source: "s", day: day, requests: 1, tokens: 1)),
                ]
            }
            let radars = ["r1", "r2"].map { RadarWrite.insert(radarRow($0)) }
            try await store.commitRadars(radars + writes)
            let before = store.statistics.transactions
            let time = startOfTests + .seconds(6)
            try await expectEqual(store.trimOpinions(before: time), 5)
            expectEqual(store.statistics.transactions, before + 3, "two rows each")
            try await expectEqual(store.trimStanceCache(before: time), 5)
            try await expectEqual(store.trimSpending(beforeDay: 6), 5)
            let left = try await store.readRadars { try $0.opinions(of: ["r1", "r2"], each: 9) }
            expectEqual(
                left.mapValues { $0.map(\.id) },
                ["r1": ["o8", "o6"], "r2": ["o9", "o7"]]
            )
            try await expectNil(store.readRadars { try $0.stanceCache(key(5)) })
            try await expect(store.readRadars { try $0.stanceCache(key(6)) } != nil)
            try await expect(store.readRadars { try $0.spending(day: 5) }.isEmpty)
            try await expectEqual(store.readRadars { try $0.spending(day: 6) }.count, 1)
            try await expectEqual(store.trimOpinions(before: time), 0)
            let counts = try store.rowCounts()
            expectEqual(counts["stance_cache"], 4)
            expectEqual(counts["spending"], 4)
            expectEqual(counts["radar"], 2)
        }
    }
}
