import Expectations
import SeededRandom
import Topics

@Suite("Tables of token buckets", .timeLimit(.minutes(10)))
struct RateTableTests {
    private static let limit = RateLimit(perSecond: 1, burst: 2)

    @Test func everyKeyHasItsOwnBucket() {
        var table = RateTable<String>(Self.limit, countMax: 10)
        expectEqual(table.take("a", count: 2, now: 0), true)
        expectEqual(table.take("a", now: 0), false)
        expectEqual(table.retryAfter("a", now: 0), 1000)
        expectEqual(table.take("b", count: 2, now: 0), true)
        expectEqual(table.retryAfter("c", now: 0), 0)
        expectEqual(table.count, 2)
    }

    @Test func refusedRequestOfANewKeyNeedsNoBucket() {
        var table = RateTable<String>(Self.limit, countMax: 10)
        expectEqual(table.take("a", count: 3, now: 0), false)
        expectEqual(table.count, 0)
    }

    @Test func fullBucketsAreForgottenByAndBy() {
        var table = RateTable<Int>(Self.limit, countMax: 1000)
        for key in 0..<100 { expectEqual(table.take(key, now: 0), true) }
        expectEqual(table.count, 100)
        for _ in 0..<30 { _ = table.take(-1, now: 1000) }
        expectEqual(table.count, 1)
        expectEqual(table.evictedCount, 0)
    }

    @Test func fullTableMakesRoomByForgettingTheBucketThatIsFullTheSoonest() {
        var table = RateTable<String>(Self.limit, countMax: 3)
        expectEqual(table.take("a", count: 2, now: 0), true)
        expectEqual(table.take("b", count: 1, now: 0), true)
        expectEqual(table.take("c", count: 2, now: 0), true)
        expectEqual(table.take("d", count: 2, now: 0), true)
        expectEqual(table.count, 3)
        expectEqual(table.evictedCount, 1)
        expectEqual(table.take("a", now: 0), false)
        expectEqual(table.take("c", now: 0), false)
        expectEqual(table.retryAfter("b", count: 2, now: 0), 0, "b begins anew")
    }

    @Test func tableOfOneWorks() {
        var table = RateTable<Int>(Self.limit, countMax: 1)
        for key in 0..<10 { expectEqual(table.take(key, now: 0), true) }
        expectEqual(table.count, 1)
        expectEqual(table.evictedCount, 9)
    }

    /// As long as there is room, the table answers as one that never forgets.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func tableWithRoomIsAsABucketForEveryKey(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = RateTable<Int>(Self.limit, countMax: 50)
        var model: [Int: TokenBucket] = [:]
        var now: Int64 = 0
        for _ in 0..<2000 {
            let key = Int.random(in: 0..<50, using: &random)
            let count = Int.random(in: 0...3, using: &random)
            let wait = model[key, default: TokenBucket(Self.limit)].retryAfter(count, now: now)
            expectEqual(table.retryAfter(key, count: count, now: now), wait, "seed \(seed)")
            let isTaken = model[key, default: TokenBucket(Self.limit)].take(count, now: now)
            expectEqual(table.take(key, count: count, now: now), isTaken, "seed \(seed)")
            now += Int64.random(in: 0...100, using: &random)
        }
        expectEqual(table.evictedCount, 0, "seed \(seed)")
    }
}
