import Testing

@testable import HubServer

@Suite("Costly calls", .timeLimit(.minutes(10)))
struct CostlyCallsTests {
    private static let calls = CostlyCalls(bytesMax: 1000, leakedPerMillisecond: 10)

    @Test func moreThanTheLimitIsTooMuchUntilItHasLeakedAway() {
        var calls = Self.calls
        #expect(!calls.areTooMany(now: 0))
        calls.add(1000, now: 0)
        #expect(!calls.areTooMany(now: 0), "the limit")
        calls.add(1, now: 0)
        #expect(calls.areTooMany(now: 0), "one more")
        #expect(!calls.areTooMany(now: 1))
        calls.add(10, now: 1)
        #expect(calls.areTooMany(now: 1))
        #expect(!calls.areTooMany(now: 3))
    }

    @Test func nothingIsSavedUp() {
        var calls = Self.calls
        calls.add(1, now: 0)
        calls.add(1001, now: .max)
        #expect(calls.areTooMany(now: .max))
    }

    @Test func clockThatGoesBackLeaksNothing() {
        var calls = Self.calls
        calls.add(1001, now: 1000)
        #expect(calls.areTooMany(now: 0))
        calls.add(1, now: 0)
        #expect(calls.areTooMany(now: 0))
    }

    @Test func theyEndWhenEnoughHasLeakedAway() {
        var calls = Self.calls
        #expect(calls.end(now: 5) == 5, "none")
        calls.add(1000, now: 5)
        #expect(calls.end(now: 5) == 5, "the limit")
        calls.add(11, now: 5)
        #expect(calls.end(now: 5) == 7)
        #expect(calls.areTooMany(now: 6))
        #expect(calls.end(now: 6) == 7)
        #expect(!calls.areTooMany(now: 7))
        #expect(calls.end(now: 7) == 7)
    }
}
