import Expectations
import Topics

@Suite("Histories", .timeLimit(.minutes(10)))
struct TopicHistoryTests {
    static let topic = Topic(trusted: "aurora:tromso")

    /// Offsets 1 to `top`, with cursors ten times as great, of which the limit keeps `count`.
    static func history(top: UInt64, keeping count: Int, age: Duration? = nil) -> TopicHistory {
        var history = TopicHistory(epoch: "e", limit: HistoryLimit(count: count, age: age))
        for offset in 0..<top {
            history.append(
                Publication(
                    topic,
                    offset + 1,
                    cursor: (offset + 1) * 10,
                    seconds: Double(offset + 1)
                )
            )
        }
        return history
    }

    static func offsets(_ publications: [Publication]) -> [UInt64] { publications.map(\.offset) }

    @Test func emptyHistoryStandsAtZero() {
        let history = Self.history(top: 0, keeping: 3)
        expectEqual(history.position, Position(offset: 0, epoch: "e"))
        expectEqual(history.count, 0)
        expectEqual(history.evictedOffset, 0)
        expectEqual(history.evictedCursor, 0)
        expectEqual(history.recover(since: Position(offset: 0, epoch: "e")), .complete([]))
    }

    @Test func limitOfCountEvictsTheOldest() {
        let history = Self.history(top: 5, keeping: 3)
        expectEqual(history.count, 3)
        expectEqual(history.evictedOffset, 2)
        expectEqual(history.evictedCursor, 20)
        expectEqual(Self.offsets(history.newest(2)), [4, 5])
        expectEqual(Self.offsets(history.newest(9)), [3, 4, 5])
    }

    @Test func limitOfZeroKeepsNothingButThePosition() {
        let history = Self.history(top: 5, keeping: 0)
        expectEqual(history.count, 0)
        expectEqual(history.position.offset, 5)
        expectEqual(history.evictedCursor, 50)
        expectEqual(history.recover(since: Position(offset: 5, epoch: "e")), .complete([]))
        expectEqual(
            history.recover(since: Position(offset: 4, epoch: "e")),
            .gap(available: [], missing: 5...5)
        )
    }

    @Test func limitOfAgeEvictsWhatIsOlderAndNotWhatIsAsOld() {
        var history = Self.history(top: 5, keeping: 9, age: .seconds(10))
        history.trim(now: Timestamp(seconds: 11))
        expectEqual(history.evictedOffset, 0, "the first is exactly 10 s old")
        history.trim(now: Timestamp(milliseconds: 11_001))
        expectEqual(history.evictedOffset, 1)
        expectEqual(history.evictedCursor, 10)
        history.trim(now: Timestamp(seconds: 1000))
        expectEqual(history.count, 0)
        expectEqual(history.position.offset, 5)
    }

    @Test func trimWithoutLimitOfAgeEvictsNothing() {
        var history = Self.history(top: 5, keeping: 9)
        history.trim(now: Timestamp(seconds: 1_000_000))
        expectEqual(history.count, 5)
    }

    @Test func clockThatGoesBackEvictsNothing() {
        var history = Self.history(top: 5, keeping: 9, age: .seconds(10))
        history.trim(now: Timestamp(seconds: -1000))
        expectEqual(history.count, 5)
    }

    @Test(arguments: [UInt64(5), 4, 3, 2])
    func positionAtOrAboveTheEvictedOffsetIsComplete(since: UInt64) {
        let recovery = Self.history(top: 5, keeping: 3)
            .recover(since: Position(offset: since, epoch: "e"))
        guard case .complete(let publications) = recovery else {
            Issue.record("since \(since): \(recovery)")
            return
        }
        expectEqual(Self.offsets(publications), Array(since..<5).map { $0 + 1 })
    }

    @Test(arguments: [UInt64(1), 0])
    func positionBelowTheEvictedOffsetIsAGapWithWhatIsLeft(since: UInt64) {
        let recovery = Self.history(top: 5, keeping: 3)
            .recover(since: Position(offset: since, epoch: "e"))
        guard case .gap(let available, let missing) = recovery else {
            Issue.record("since \(since): \(recovery)")
            return
        }
        expectEqual(missing, since + 1...2)
        expectEqual(Self.offsets(available), [3, 4, 5])
    }

    @Test(arguments: [
        Position(offset: 5, epoch: "f"), Position(offset: 0, epoch: ""),
        Position(offset: 6, epoch: "e"), Position(offset: .max, epoch: "e"),
    ])
    func positionOfAnotherHistoryIsOtherEpoch(since: Position) {
        expectEqual(Self.history(top: 5, keeping: 3).recover(since: since), .otherEpoch)
    }

    @Test func recoveryOverTheLimitOfBytesLosesTheOldest() {
        let history = Self.history(top: 5, keeping: 5)
        // All are of one length.
        let length = history.newest(1)[0].wireLength
        let since = Position(offset: 1, epoch: "e")
        let exact = history.recover(since: since, bytesMax: 4 * length)
        expect(exact.isComplete)
        let short = history.recover(since: since, bytesMax: 4 * length - 1)
        expectEqual(short, .gap(available: history.newest(3), missing: 2...2))
        let none = history.recover(since: since, bytesMax: length - 1)
        expectEqual(none, .gap(available: [], missing: 2...5))
    }

    @Test func cursorAtTheEvictedOneIsCompleteAndOneBelowIsAGap() {
        let history = Self.history(top: 5, keeping: 3)
        let kept = history.newest(3)
        expectEqual(history.publications(afterCursor: 20), .complete(kept))
        expectEqual(history.publications(afterCursor: 19), .gap(available: kept, through: 20))
        expectEqual(history.publications(afterCursor: 29), .complete(kept))
        expectEqual(history.publications(afterCursor: 30), .complete(history.newest(2)))
        expectEqual(history.publications(afterCursor: 50), .complete([]))
    }

    @Test func appendTrapsUnlessOffsetIsNextAndCursorGrows() async {
        await #expect(processExitsWith: .failure) {
            var history = TopicHistory(epoch: "e", limit: HistoryLimit(count: 1, age: nil))
            history.append(Publication(Topic(trusted: "a"), 2, cursor: 1))
        }
        await #expect(processExitsWith: .failure) {
            var history = TopicHistory(epoch: "e", limit: HistoryLimit(count: 0, age: nil))
            history.append(Publication(Topic(trusted: "a"), 1, cursor: 5))
            history.append(Publication(Topic(trusted: "a"), 2, cursor: 5))
        }
    }
}

@Suite("Restored histories", .timeLimit(.minutes(10)))
struct RestoredHistoryTests {
    private func restore(
        _ offsets: [(offset: UInt64, cursor: UInt64)],
        top: UInt64,
        evictedOffset: UInt64 = 2,
        evictedCursor: UInt64,
        keeping count: Int = 9
    ) throws(RestoreError) -> TopicHistory {
        try TopicHistory(
            epoch: "e",
            limit: HistoryLimit(count: count, age: nil),
            topOffset: top,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: offsets.map {
                Publication(TopicHistoryTests.topic, $0.offset, cursor: $0.cursor)
            }
        )
    }

    @Test func goesOnWhereItWas() throws {
        var history = try restore([(3, 30), (4, 40)], top: 4, evictedCursor: 20)
        expectEqual(history.evictedOffset, 2)
        history.append(Publication(TopicHistoryTests.topic, 5, cursor: 50))
        let recovery = history.recover(since: Position(offset: 2, epoch: "e"))
        expectEqual(TopicHistoryTests.offsets(recovery.publications), [3, 4, 5])
        expect(recovery.isComplete)
    }

    @Test func everythingEvictedLeavesThePosition() throws {
        let history = try restore([], top: 4, evictedOffset: 4, evictedCursor: 40)
        expectEqual(history.position.offset, 4)
        expectEqual(history.evictedOffset, 4)
    }

    @Test func smallerLimitIsAppliedAtOnce() throws {
        let history = try restore([(3, 30), (4, 40)], top: 4, evictedCursor: 20, keeping: 1)
        expectEqual(history.evictedOffset, 3)
        expectEqual(history.evictedCursor, 30)
    }

    @Test func whatCannotBeAPastIsRefused() {
        #expect(throws: RestoreError.offset(0, after: 0)) {
            try restore([(0, 1), (1, 2)], top: 1, evictedOffset: 0, evictedCursor: 0)
        }
        #expect(throws: RestoreError.offset(2, after: 2)) {
            try restore([(2, 30), (3, 40)], top: 4, evictedCursor: 20)
        }
        #expect(throws: RestoreError.offset(3, after: 3)) {
            try restore([(3, 30), (3, 40)], top: 4, evictedCursor: 20)
        }
        #expect(throws: RestoreError.offsetAboveTop(5, topOffset: 4)) {
            try restore([(3, 30), (5, 40)], top: 4, evictedCursor: 20)
        }
        #expect(throws: RestoreError.offsetAboveTop(2, topOffset: 1)) {
            try restore([], top: 1, evictedCursor: 20)
        }
        #expect(throws: RestoreError.cursor(20, after: 20)) {
            try restore([(3, 20), (4, 40)], top: 4, evictedCursor: 20)
        }
        #expect(throws: RestoreError.cursor(30, after: 30)) {
            try restore([(3, 30), (4, 30)], top: 4, evictedCursor: 20)
        }
    }
}
