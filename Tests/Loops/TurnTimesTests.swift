import Expectations
import Reactor

@testable import Loops

@Suite("Loop: the times of its turns", .timeLimit(.minutes(10)))
struct TurnTimesTests {
    private func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func longestTurnIsTakenOnce() {
        var times = TurnTimes()
        var counters = LoopCounters()
        for length in [3, 7, 5] as [Int64] {
            times.endTurn(from: instant(100), to: instant(100 + length), in: &counters)
        }
        let taken = [times.takeLongest(), times.takeLongest()]
        expectEqual(taken, [.milliseconds(7), nil])
        expectEqual(counters.turn.count, 3)
    }

    @Test func publicationsOfATurnAreCountedOnce() {
        var times = TurnTimes()
        var counters = LoopCounters()
        times.add(committed: instant(90))
        times.add(committed: instant(95))
        times.endTurn(from: instant(96), to: instant(100), in: &counters)
        times.endTurn(from: instant(100), to: instant(101), in: &counters)
        expectEqual(counters.publishToWrite.count, 2)
        expectEqual(counters.publishToWrite.sum, 0.015)
    }
}
