import Testing

@testable import HubServer

@Suite("Costly calls of a client", .timeLimit(.minutes(10)))
struct CostlyCallsTests {
    @Test func moreThanTheLimitIsTooMuchUntilItHasLeakedAway() {
        var calls = CostlyCalls()
        #expect(!calls.areTooMany(now: 0))
        calls.add(CostlyCalls.bytesMax, now: 0)
        #expect(!calls.areTooMany(now: 0), "the limit")
        calls.add(1, now: 0)
        #expect(calls.areTooMany(now: 0), "one more")
        #expect(!calls.areTooMany(now: 1))
        calls.add(CostlyCalls.leakedPerMillisecond, now: 1)
        #expect(calls.areTooMany(now: 1))
        #expect(!calls.areTooMany(now: 3))
    }

    @Test func nothingIsSavedUp() {
        var calls = CostlyCalls()
        calls.add(1, now: 0)
        calls.add(CostlyCalls.bytesMax + 1, now: .max)
        #expect(calls.areTooMany(now: .max))
    }

    @Test func clockThatGoesBackLeaksNothing() {
        var calls = CostlyCalls()
        calls.add(CostlyCalls.bytesMax + 1, now: 1000)
        #expect(calls.areTooMany(now: 0))
        calls.add(1, now: 0)
        #expect(calls.areTooMany(now: 0))
    }
}
