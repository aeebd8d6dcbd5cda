import Expectations
import SeededRandom
import Topics

@Suite("Token buckets", .timeLimit(.minutes(10)))
struct TokenBucketTests {
    @Test func burstIsLetThroughAtOnceAndThenOneAtATime() {
        var bucket = TokenBucket(perSecond: 10, burst: 3)
        for _ in 0..<3 { expectEqual(bucket.take(now: 5000), true) }
        expectEqual(bucket.take(now: 5000), false)
        expectEqual(bucket.take(now: 5099), false)
        expectEqual(bucket.take(now: 5100), true)
        expectEqual(bucket.take(now: 5100), false)
    }

    @Test func pauseFillsTheBucketNoFurtherThanToItsBurst() {
        var bucket = TokenBucket(perSecond: 10, burst: 2)
        expectEqual(bucket.take(2, now: 0), true)
        expectEqual(bucket.take(3, now: 1_000_000), false)
        expectEqual(bucket.take(2, now: 1_000_000), true)
        expectEqual(bucket.take(now: 1_000_000), false)
    }

    @Test func refusalTakesNothing() {
        var bucket = TokenBucket(perSecond: 1, burst: 5)
        expectEqual(bucket.take(3, now: 0), true)
        expectEqual(bucket.take(3, now: 0), false)
        expectEqual(bucket.take(2, now: 0), true)
    }

    @Test func zeroTokensAreAlwaysThere() {
        var bucket = TokenBucket(perSecond: 1, burst: 1)
        expectEqual(bucket.take(now: 0), true)
        expectEqual(bucket.take(0, now: 0), true)
        expectEqual(bucket.retryAfter(0, now: 0), 0)
    }

    @Test func moreThanTheBurstIsNeverThereAndItsWaitIsForAFullBucket() {
        var bucket = TokenBucket(perSecond: 1, burst: 2)
        expectEqual(bucket.take(3, now: 0), false)
        expectEqual(bucket.take(2, now: 0), true)
        expectEqual(bucket.retryAfter(3, now: 0), 2000)
        expectEqual(bucket.retryAfter(.max, now: 0), 2000)
    }

    @Test func clockThatGoesBackLetsNothingMoreThrough() {
        var bucket = TokenBucket(perSecond: 1, burst: 1)
        expectEqual(bucket.take(now: 10_000), true)
        expectEqual(bucket.take(now: 9000), false)
        expectEqual(bucket.retryAfter(now: 9000), 2000)
        expectEqual(bucket.take(now: 11_000), true)
    }

    @Test func fullBucketIsLikeANewOne() {
        var bucket = TokenBucket(perSecond: 4, burst: 2)
        expect(bucket.isFull(now: 0))
        expectEqual(bucket.take(now: 0), true)
        expect(!bucket.isFull(now: 249))
        expect(bucket.isFull(now: 250))
    }

    @Test(arguments: [(0.0001, 100_000), (1_000_000.0, 1), (0.0001, 1), (1_000_000.0, 100_000)])
    func limitsOfALimitWork(perSecond: Double, burst: Int) {
        let now: Int64 = 1_000_000_000_000
        var bucket = TokenBucket(perSecond: perSecond, burst: burst)
        expectEqual(bucket.take(burst, now: now), true)
        expectEqual(bucket.take(now: now), false)
        let wait = bucket.retryAfter(burst, now: now)
        expectEqual(bucket.take(burst, now: now + wait - 1), false)
        expectEqual(bucket.take(burst, now: now + wait), true)
    }

    @Test func limitThatIsNoneTraps() async {
        await #expect(processExitsWith: .failure) { _ = RateLimit(perSecond: 0, burst: 1) }
        await #expect(processExitsWith: .failure) { _ = RateLimit(perSecond: .nan, burst: 1) }
        await #expect(processExitsWith: .failure) { _ = RateLimit(perSecond: 1, burst: 0) }
    }

    /// The wait that is told is exact, and over any time no more than the rate and a burst get through.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func waitIsExactAndTheRateHolds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = RateLimit(
            perSecond: [0.3, 3, 7, 333].randomElement(using: &random)!,
            burst: Int.random(in: 1...10, using: &random)
        )
        var bucket = TokenBucket(limit)
        var now: Int64 = 1000
        var taken = 0
        for _ in 0..<300 {
            let count = Int.random(in: 1...limit.burst, using: &random)
            let wait = bucket.retryAfter(count, now: now)
            if wait > 0 {
                var early = bucket
                expectEqual(early.take(count, now: now + wait - 1), false, "seed \(seed)")
                now += wait
            }
            expectEqual(bucket.take(count, now: now), true, "seed \(seed)")
            taken += count
            let allowed = limit.perSecond * Double(now - 1000) / 1000 + Double(limit.burst)
            expect(Double(taken) <= allowed * 1.000_001, "seed \(seed)")
            now += Int64.random(in: 0...500, using: &random)
        }
    }
}
