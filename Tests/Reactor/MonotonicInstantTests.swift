import Expectations
import Reactor

@Suite("Instants of the monotonic clock", .timeLimit(.minutes(10)))
struct MonotonicInstantTests {
    private func sum(_ nanoseconds: Int64, _ duration: Duration) -> Int64 {
        (MonotonicInstant(nanoseconds: nanoseconds) + duration).nanoseconds
    }

    @Test func durationIsAdded() {
        expectEqual(sum(5, .seconds(2) + .nanoseconds(7)), 2_000_000_012)
        expectEqual(sum(5, .seconds(-2) - .nanoseconds(7)), -2_000_000_002)
    }

    @Test(arguments: [
        (Int64.max - 1, Duration.nanoseconds(1), Int64.max), (.max, .nanoseconds(1), .max),
        (0, .seconds(9_223_372_036), 9_223_372_036_000_000_000),
        (0, .seconds(9_223_372_037), .max), (0, .seconds(253_402_300_799), .max),
        (0, .seconds(Int64.max), .max), (.min, .nanoseconds(-1), .min),
        (0, .seconds(-9_223_372_037), .min), (0, .seconds(Int64.min), .min),
        (1, .seconds(9_223_372_036) + .nanoseconds(854_775_807), .max),
    ])
    func sumThatIsTooFarIsTheLastOrTheFirst(start: Int64, duration: Duration, result: Int64) {
        expectEqual(sum(start, duration), result)
    }
}
