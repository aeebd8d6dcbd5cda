import Expectations
import Radar
import Store
import StoreTesting

@testable import RadarApp

@Suite("Rows of opinions", .timeLimit(.minutes(10)))
struct OpinionTests {
    @Test func everyColumnIsReadBack() async throws {
        try await withRadarStore { store in
            let full = OpinionRow(
                id: "o1",
                radarID: "r1",
                author: "Ærlig 😀",
                model: "m",
                content: "c",
                stance: -1,
                confidence: 1,
                reasoning: "because",
                createdAt: startOfTests + .milliseconds(1),
                source: "s",
                provider: "p",
                pushedBy: 6,
                promptVersion: "v1",
                segment: 4
            )
            let plain = opinion("o2", of: "r1")
            try await insert([full, plain], into: store)
            try await expectEqual(
                store.readRadars { try $0.opinions(of: "r1", limit: 9) },
                [full, plain]
            )
        }
    }

    @Test func opinionsAreNewestFirstInPages() async throws {
        try await withRadarStore { store in
            let times = ["a": 1, "b": 3, "d": 2, "c": 2]
            try await insert(times.map { opinion($0, of: "r1", at: $1) }, into: store)
            let first = try await store.readRadars { try $0.opinions(of: "r1", limit: 3) }
            expectEqual(first.map(\.id), ["b", "d", "c"])
            let second = try await store.readRadars {
                try $0.opinions(of: "r1", limit: 3, offset: 3)
            }
            expectEqual(second.map(\.id), ["a"])
            try await expect(store.readRadars { try $0.opinions(of: "r2", limit: 3) }.isEmpty)
        }
    }

    // MARK: Opinions of a position

    private func position(
        of radarID: String,
        since seconds: Int,
        limit: Int = 9,
        pushedLimit: Int = 9,
        in store: HubStore
    ) async throws -> [String] {
        try await store.readRadars {
            try $0.positionOpinions(
                of: radarID,
                since: startOfTests + .seconds(seconds),
                limit: limit,
                pushedLimit: pushedLimit
            )
        }.map(\.id)
    }

    @Test func positionIsMadeOfOpinionsThatAreNotOlderAndTheNewestOfThem() async throws {
        try await withRadarStore { store in
            try await insert((0..<6).map { opinion("o\($0)", of: "r1", at: $0) }, into: store)
            let recent = try await position(of: "r1", since: 2, in: store)
            expectEqual(recent, ["o5", "o4", "o3", "o2"])
            let newest = try await position(of: "r1", since: 2, pushedLimit: 2, in: store)
            expectEqual(newest, ["o5", "o4"])
            try await expect(position(of: "r1", since: 6, in: store).isEmpty)
        }
    }

    @Test func opinionsOfSourcesAndOfEachKeyAreReadApart() async throws {
        try await withRadarStore { store in
            var rows = (0..<5).map { opinion("s\($0)", of: "r1", at: $0, source: "claude") }
            rows += (0..<40).map { opinion("a\($0)", of: "r1", at: 10 + $0, pushedBy: 1) }
            rows += (0..<3).map { opinion("b\($0)", of: "r1", at: $0, pushedBy: 2) }
            rows += [opinion("former", of: "r1", at: 1)]
            rows += [opinion("x", of: "r2", at: 9, pushedBy: 3)]
            try await insert(rows, into: store)
            let found = try await position(of: "r1", since: 1, limit: 3, pushedLimit: 6, in: store)
            expectEqual(found, ["a39", "a38", "s4", "s3", "s2", "b2", "former", "b1"])
        }
    }

    @Test func newestKeysCount() async throws {
        try await withRadarStore { store in
            let keys = RadarLimits.positionKeysMax + 1
            try await insert(
                (1...keys).map { opinion("k\($0)", of: "r1", at: 0, pushedBy: $0) },
                into: store
            )
            let found = try await position(of: "r1", since: 0, pushedLimit: 1000, in: store)
            expectEqual(found.count, keys - 1)
            expect(!found.contains("k1"))
        }
    }

    @Test func keyHasOneNumber() async throws {
        try await withRadarStore { store in
            let (one, two) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
            let first = try await store.pusher(of: one)
            try await expect(store.pusher(of: two) != first)
            try await expectEqual(store.pusher(of: one), first)
            expect(first > 0)
        }
    }

    @Test func newestOfSeveralRadarsComeTogether() async throws {
        try await withRadarStore { store in
            let opinions = ["r1", "r2"].flatMap { id in
                (0..<4).map { opinion("\(id)-\($0)", of: id, at: $0) }
            }
            try await insert(opinions, into: store)
            try await store.commitRadars([.insert(radarRow("silent"))])
            let newest = try await store.readRadars {
                try $0.opinions(of: ["r2", "silent", "r1", "gone"], each: 2)
            }
            expectEqual(
                newest.mapValues { $0.map(\.id) },
                [
                    "r1": ["r1-3", "r1-2"], "r2": ["r2-3", "r2-2"],
                ]
            )
            expectEqual(newest["r2"]?.map(\.radarID), ["r2", "r2"])
        }
    }

    @Test func takenIDsAreKnown() async throws {
        try await withRadarStore { store in
            try await insert([opinion("o1", of: "r1"), opinion("o2", of: "r2")], into: store)
            let taken = try await store.readRadars {
                try $0.existingOpinions(["o1", "o2", "o3", "o1"])
            }
            expectEqual(taken, ["o1", "o2"])
            try await expect(store.readRadars { try $0.existingOpinions([]) }.isEmpty)
        }
    }

    // MARK: Days

    @Test func daysEndAtMidnightUTCAndKeepSegmentsAndStancesApart() async throws {
        try await withRadarStore { store in
            let day = 86_400
            let opinions = [
                opinion("a", of: "r1", at: 0, confidence: 0.25),
                opinion("b", of: "r1", at: day - 1, confidence: 0.5),
                opinion("c", of: "r1", at: day, confidence: 0.125),
                opinion("d", of: "r1", at: day, stance: -1, confidence: 1),
                opinion("e", of: "r1", at: day + 1, confidence: 0.5, segment: 1),
                opinion("x", of: "r2", at: day),
            ]
            try await insert(opinions, into: store)
            let first = Int(startOfTests.wholeSeconds) / day
            let expected = [
                row(first, 0, 1, count: 2, 0.75), row(first + 1, 0, -1, count: 1, 1),
                row(first + 1, 0, 1, count: 1, 0.125), row(first + 1, 1, 1, count: 1, 0.5),
            ]
            try await expectEqual(days(of: "r1", after: 0, in: store), expected)
            let rest = try await days(of: "r1", after: day, in: store)
            expectEqual(rest, Array(expected.dropFirst()))
            let partly = try await days(of: "r1", after: 1, in: store)
            expectEqual(partly.first, row(first, 0, 1, count: 1, 0.5))
            try await expect(days(of: "gone", after: 0, in: store).isEmpty)
        }
    }

    private func days(
        of radarID: String,
        after seconds: Int,
        in store: HubStore
    ) async throws -> [OpinionDayRow] {
        let time = startOfTests + .seconds(seconds)
        return try await store.readRadars { try $0.opinionDays(of: radarID, from: time) }
    }

    private func row(
        _ day: Int,
        _ segment: Int,
        _ stance: Int,
        count: Int,
        _ confidenceSum: Double
    ) -> OpinionDayRow {
        OpinionDayRow(
            day: day,
            segment: segment,
            stance: stance,
            count: count,
            confidenceSum: confidenceSum
        )
    }

    /// Inserts the opinions, and their radars before them.
    private func insert(_ opinions: [OpinionRow], into store: HubStore) async throws {
        let radars = Set(opinions.map(\.radarID)).map { RadarWrite.insert(radarRow($0)) }
        try await store.commitRadars(radars + opinions.map { .opinion($0) })
    }
}
