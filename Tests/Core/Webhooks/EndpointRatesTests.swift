import Testing

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
        #expect(taken(&none, now: evening) == 100)
        var zero = rates(0)
        #expect(taken(&zero, now: evening) == 100)
    }

    @Test(arguments: [1, 3, 50])
    func asManyAsTheRateGoAtOnceAndTheNextOneWaitsForItsShareOfASecond(rate: Int) {
        var rates = rates(rate)
        #expect(taken(&rates, now: evening) == rate)
        let share = (1000 + Int64(rate) - 1) / Int64(rate)
        #expect(rates.wait(of: "a", now: evening) == milliseconds(share))
        #expect(taken(&rates, now: milliseconds(share - 1)) == 0)
        #expect(taken(&rates, now: milliseconds(share)) == 1)
        #expect(taken(&rates, now: milliseconds(share)) == 0)
    }

    @Test func pauseFillsTheBucketAndNoMore() {
        var rates = rates(5)
        #expect(taken(&rates, now: evening) == 5)
        #expect(taken(&rates, now: milliseconds(1000)) == 5)
        #expect(taken(&rates, now: milliseconds(3_600_000)) == 5)
    }

    @Test func endpointsHaveABucketEach() {
        var rates = EndpointRates()
        rates.set(["a": 1, "b": 1])
        #expect(taken(&rates, now: evening) == 1)
        #expect(rates.wait(of: "b", now: evening) == nil)
    }

    @Test func rateThatIsSetAgainDoesNotFillTheBucket() {
        var rates = rates(2)
        #expect(taken(&rates, now: evening) == 2)
        rates.set(["a": 2])
        #expect(taken(&rates, now: evening) == 0)
        rates.set(["a": 3])
        #expect(taken(&rates, now: evening) == 3, "another rate begins anew")
        rates.set([:])
        #expect(taken(&rates, now: evening) == 100)
    }

    @Test func clockThatIsPutBackHoldsNobodyUp() {
        var rates = rates(2)
        #expect(taken(&rates, now: evening) == 2)
        #expect(taken(&rates, now: evening + .seconds(-3600)) == 2)
        #expect(taken(&rates, now: evening + .seconds(-3600)) == 0)
    }
}
