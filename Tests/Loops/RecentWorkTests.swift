import Expectations

@testable import Loops

@Suite("Recent work", .timeLimit(.minutes(10)))
struct RecentWorkTests {
    private static let none = RecentWork(bytesMax: 1000, leakedPerMillisecond: 10)

    @Test func moreThanTheLimitIsTooMuchUntilItHasLeakedAway() {
        var work = Self.none
        expect(!work.isTooMuch(now: 0))
        work.add(1000, now: 0)
        expect(!work.isTooMuch(now: 0), "the limit")
        work.add(1, now: 0)
        expect(work.isTooMuch(now: 0), "one more")
        expect(!work.isTooMuch(now: 1))
        work.add(10, now: 1)
        expect(work.isTooMuch(now: 1))
        expect(!work.isTooMuch(now: 3))
    }

    @Test func nothingIsSavedUp() {
        var work = Self.none
        work.add(1, now: 0)
        work.add(1001, now: .max)
        expect(work.isTooMuch(now: .max))
    }

    @Test func clockThatGoesBackLeaksNothing() {
        var work = Self.none
        work.add(1001, now: 1000)
        expect(work.isTooMuch(now: 0))
        work.add(1, now: 0)
        expect(work.isTooMuch(now: 0))
    }

    @Test func itEndsWhenEnoughHasLeakedAway() {
        var work = Self.none
        expectEqual(work.end(now: 5), 5, "none")
        work.add(1000, now: 5)
        expectEqual(work.end(now: 5), 5, "the limit")
        work.add(11, now: 5)
        expectEqual(work.end(now: 5), 7)
        expect(work.isTooMuch(now: 6))
        expectEqual(work.end(now: 6), 7)
        expect(!work.isTooMuch(now: 7))
        expectEqual(work.end(now: 7), 7)
    }
}
