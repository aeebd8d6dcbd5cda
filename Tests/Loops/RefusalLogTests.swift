import Expectations
import HubTesting
import Reactor

@testable import Loops

@Suite("RefusalLog", .timeLimit(.minutes(10)))
struct RefusalLogTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func counters(full: UInt64 = 0, descriptors: UInt64 = 0) -> ConnectionCounters {
        var counters = ConnectionCounters()
        counters.accepted = 5
        counters.refusedConnectionsMax = full
        counters.refusedDescriptors = descriptors
        return counters
    }

    @Test func nothingTurnedAwayIsNotTold() {
        var log = RefusalLog()
        let told = log.take(counters(), now: instant(100))
        expectNil(told)
    }

    @Test func firstIsToldAtOnceAndTheRestTogether() {
        var log = RefusalLog()
        let first = log.take(counters(full: 1), now: instant(100))
        expectEqual(first?.refusedConnectionsMax, 1)
        let early = log.take(counters(full: 7), now: instant(109))
        expectNil(early)
        let second = log.take(counters(full: 9, descriptors: 2), now: instant(110))
        expectEqual(second?.refusedConnectionsMax, 8)
        expectEqual(second?.refusedDescriptors, 2)
        let again = log.take(counters(full: 9, descriptors: 2), now: instant(200))
        expectNil(again)
    }
}
