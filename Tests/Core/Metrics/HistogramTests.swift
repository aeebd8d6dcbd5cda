import Expectations
import SeededRandom

@testable import Core

@Suite("Histograms", .timeLimit(.minutes(10)))
struct HistogramTests {
    @Test func boundsOfTimesDoubleFromMicrosecondsToAMinute() {
        let bounds = Histogram(.times).buckets.map(\.bound)
        expectEqual(bounds.count, 24)
        expectEqual(bounds.first, 0.000008)
        expectEqual(bounds.last, 67.108864)
        for (bound, next) in zip(bounds, bounds.dropFirst()) {
            expect(abs(next / bound - 2) < 1e-9)
        }
    }

    /// Prometheus: `le` is "less than or equal".
    @Test(arguments: 0..<24)
    func valueAtABoundIsInItsBucketAndOneAboveInTheNext(index: Int) {
        let nanoseconds = Int64(8000) << index
        for (value, place) in [(nanoseconds, index), (nanoseconds + 1, index + 1)] {
            var histogram = Histogram(.times)
            histogram.add(.nanoseconds(value))
            let counts = histogram.buckets.map(\.count)
            expectEqual(counts, (0..<24).map { $0 < place ? 0 : 1 }, "\(value) ns")
            expectEqual(histogram.count, 1)
        }
    }

    @Test(arguments: [Duration.zero, .nanoseconds(-5), .nanoseconds(1), .microseconds(8)])
    func whatIsBelowTheFirstBoundIsInTheFirstBucket(duration: Duration) {
        var histogram = Histogram(.times)
        histogram.add(duration)
        expectEqual(histogram.buckets[0].count, 1)
        expect(histogram.sum >= 0)
    }

    @Test func whatIsAboveTheLastBoundIsCountedAllTheSame() {
        var histogram = Histogram(.counts)
        histogram.add(16_384)
        histogram.add(16_385)
        histogram.add(.max)
        expectEqual(histogram.buckets.last?.count, 1)
        expectEqual(histogram.count, 3)
    }

    @Test func sumIsInTheUnitThatIsTold() {
        var times = Histogram(.times)
        times.add(.milliseconds(1500))
        times.add(.nanoseconds(1))
        expectEqual(times.sum, 1.500000001)
        var bytes = Histogram(.bytes)
        bytes.add(300)
        bytes.add(700)
        expectEqual(bytes.sum, 1000)
    }

    /// Adding up the histograms of loops is counting on one loop.
    @Test func sumOfTwoIsTheOneOfAllValues() {
        var generator = SeededGenerator(seed: 7)
        var one = Histogram(.bytes)
        var other = Histogram(.bytes)
        var all = Histogram(.bytes)
        for number in 0..<1000 {
            let bits = Int.random(in: 0...30, using: &generator)
            let value = Int.random(in: 0...(1 << bits), using: &generator)
            if number.isMultiple(of: 3) { one.add(value) } else { other.add(value) }
            all.add(value)
        }
        one += other
        expectEqual(one, all)
    }
}
