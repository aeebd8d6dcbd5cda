import Expectations

@testable import Core

@Suite("Rates of endpoints", .timeLimit(.minutes(10)))
struct EndpointRatesTests {
    private func rates(_ rate: Int) -> EndpointRates {
        var rates = EndpointRates()
        rates.set(["a": rate])
        return rates
    }

    private func milliseconds(_ count: Int64) -> Timestamp { evening + .milliseconds(count) }

    /// Attempts that are let through at one moment; gives up at 100.
    private func taken(_ rates: inout EndpointRates, now: Timestamp) -> Int {
        for count in 0..<100 {
            guard rates.wait(of: "a", now: now) == nil else { return count }
            rates.take(from: "a", now: now)
        }
        return 100
    }

    @Test func endpointWithoutARateIsNeverHeldBack() {
        var none = EndpointRates()
        expectEqual(taken(&none, now: evening), 100)
        var zero = rates(0)
        expectEqual(taken(&zero, now: evening), 100)
    }

    @Test(arguments: [1, 3, 50])
    func asManyAsTheRateGoAtOnceAndTheNextOneWaitsForItsShareOfASecond(rate: Int) {
        var rates = rates(rate)
        expectEqual(taken(&rates, now: evening), rate)
        let share = (1000 + Int64(rate) - 1) / Int64(rate)
        expectEqual(rates.wait(of: "a", now: evening), milliseconds(share))
        expectEqual(taken(&rates, now: milliseconds(share - 1)), 0)
        expectEqual(taken(&rates, now: milliseconds(share)), 1)
        expectEqual(taken(&rates, now: milliseconds(share)), 0)
    }

    @Test func pauseFillsTheBucketAndNoMore() {
        var rates = rates(5)
        expectEqual(taken(&rates, now: evening), 5)
        expectEqual(taken(&rates, now: milliseconds(1000)), 5)
        expectEqual(taken(&rates, now: milliseconds(3_600_000)), 5)
    }

    @Test func endpointsHaveABucketEach() {
        var rates = EndpointRates()
        rates.set(["a": 1, "b": 1])
        expectEqual(taken(&rates, now: evening), 1)
        expectNil(rates.wait(of: "b", now: evening))
    }

    @Test func rateThatIsSetAgainDoesNotFillTheBucket() {
        var rates = rates(2)
        expectEqual(taken(&rates, now: evening), 2)
        rates.set(["a": 2])
        expectEqual(taken(&rates, now: evening), 0)
        rates.set(["a": 3])
        expectEqual(taken(&rates, now: evening), 3, "another rate begins anew")
        rates.set([:])
        expectEqual(taken(&rates, now: evening), 100)
    }

    @Test func clockThatIsPutBackHoldsNobodyUp() {
        var rates = rates(2)
        expectEqual(taken(&rates, now: evening), 2)
        expectEqual(taken(&rates, now: evening + .seconds(-3600)), 2)
        expectEqual(taken(&rates, now: evening + .seconds(-3600)), 0)
    }
}
