import Expectations
import SeededRandom
import Topics

@Suite("Pages of a history", .timeLimit(.minutes(10)))
struct HistoryPageTests {
    /// Offsets 4 to 8 of epoch e.
    private let history = TopicHistoryTests.history(top: 8, keeping: 5)

    private func offsets(
        _ limit: Int,
        since: UInt64? = nil,
        epoch: String = "e",
        isReversed: Bool = false,
        countMax: Int = 100,
        bytesMax: Int = .max
    ) throws(HistoryPageError) -> [UInt64] {
        let request = HistoryRange(
            limit: limit,
            since: since.map { Position(offset: $0, epoch: epoch) },
            isReversed: isReversed
        )
        let page = try history.page(request, countMax: countMax, bytesMax: bytesMax)
        expectEqual(page.position, Position(offset: 8, epoch: "e"))
        return page.publications.map(\.offset)
    }

    @Test func limitOfZeroIsThePositionAlone() throws {
        try expectEqual(offsets(0), [])
        try expectEqual(offsets(0, isReversed: true), [])
        try expectEqual(offsets(0, since: 4), [])
    }

    @Test func negativeLimitIsAllThatThereMayBe() throws {
        try expectEqual(offsets(-1), [4, 5, 6, 7, 8])
        try expectEqual(offsets(-1, isReversed: true), [8, 7, 6, 5, 4])
        try expectEqual(offsets(-1, countMax: 2), [4, 5])
        try expectEqual(offsets(.min, countMax: 2), [4, 5])
    }

    @Test func limitIsBoundedByTheCallers() throws {
        try expectEqual(offsets(2), [4, 5])
        try expectEqual(offsets(2, isReversed: true), [8, 7])
        try expectEqual(offsets(3, countMax: 3), [4, 5, 6])
        try expectEqual(offsets(4, countMax: 3), [4, 5, 6])
        try expectEqual(offsets(.max, countMax: .max), [4, 5, 6, 7, 8])
    }

    @Test func forwardPageBeginsBehindThePosition() throws {
        try expectEqual(offsets(2, since: 5), [6, 7])
        try expectEqual(offsets(2, since: 7), [8])
        try expectEqual(offsets(2, since: 8), [])
        try expectEqual(offsets(2, since: 9), [])
        try expectEqual(offsets(2, since: .max), [])
    }

    @Test func forwardPageFromAnEvictedPositionBeginsWithTheOldestThatIsKept() throws {
        try expectEqual(offsets(2, since: 3), [4, 5])
        try expectEqual(offsets(2, since: 2), [4, 5])
        try expectEqual(offsets(2, since: 0), [4, 5])
    }

    @Test func reversedPageBeginsBelowThePosition() throws {
        try expectEqual(offsets(2, since: 9, isReversed: true), [8, 7])
        try expectEqual(offsets(2, since: 8, isReversed: true), [7, 6])
        try expectEqual(offsets(2, since: 5, isReversed: true), [4])
        try expectEqual(offsets(2, since: 4, isReversed: true), [])
        try expectEqual(offsets(2, since: 1, isReversed: true), [])
        try expectEqual(offsets(2, since: 10, isReversed: true), [])
        try expectEqual(offsets(2, since: .max, isReversed: true), [])
    }

    @Test func positionOfAnotherEpochIsRefusedAndOneWithoutIsTaken() throws {
        #expect(throws: HistoryPageError.otherEpoch) { try offsets(2, since: 5, epoch: "f") }
        #expect(throws: HistoryPageError.otherEpoch) { try offsets(0, since: 5, epoch: "f") }
        #expect(throws: HistoryPageError.otherEpoch) {
            try offsets(2, since: 5, epoch: "f", isReversed: true)
        }
        try expectEqual(offsets(2, since: 5, epoch: ""), [6, 7])
    }

    @Test func nothingLiesBeforeOffsetZero() {
        #expect(throws: HistoryPageError.nothingBeforeOffsetZero) {
            try offsets(2, since: 0, isReversed: true)
        }
    }

    @Test func bytesEndAPageButNotBeforeItsFirstPublication() throws {
        let length = history.newest(1)[0].payload.count
        try expectEqual(offsets(-1, bytesMax: 2 * length), [4, 5])
        try expectEqual(offsets(-1, bytesMax: 2 * length - 1), [4])
        try expectEqual(offsets(-1, bytesMax: 0), [4])
        try expectEqual(offsets(-1, isReversed: true, bytesMax: 2 * length), [8, 7])
    }

    @Test func emptyHistoryHasAPositionAndEmptyPages() throws {
        let history = TopicHistory(epoch: "e", limit: HistoryLimit(count: 5, age: nil))
        for isReversed in [false, true] {
            let page = try history.page(
                HistoryRange(limit: -1, isReversed: isReversed),
                countMax: 10
            )
            expectEqual(page, HistoryPage(publications: [], position: history.position))
        }
    }

    /// Page by page both ways, each from the last offset of the one before, it is the whole history
    /// once.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func pagesInARowAreTheHistory(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let top = UInt64.random(in: 0...60, using: &random)
        let history = TopicHistoryTests.history(
            top: top,
            keeping: Int.random(in: 0...70, using: &random)
        )
        for isReversed in [false, true] {
            var collected: [UInt64] = []
            var request = HistoryRange(limit: 0, isReversed: isReversed)
            for _ in 0...60 {
                request.limit = Int.random(in: 1...9, using: &random)
                let page = try history.page(request, countMax: 7).publications
                expect(page.count <= min(request.limit, 7), "seed \(seed)")
                guard let last = page.last else { break }
                collected += page.map(\.offset)
                request.since = Position(offset: last.offset, epoch: "e")
            }
            let all = history.newest(.max).map(\.offset)
            expectEqual(collected, (isReversed ? all.reversed() : all), "seed \(seed)")
        }
    }
}
