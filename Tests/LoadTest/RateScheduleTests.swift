import Expectations
import Reactor

@testable import varde_load

@Suite("Rate schedule: when things are due", .timeLimit(.minutes(10)))
struct RateScheduleTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000)

    private func after(_ nanoseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: start.nanoseconds + nanoseconds)
    }

    @Test func firstIsDueAtTheStart() {
        var schedule = RateSchedule(start: start, rate: 1000)
        let taken = [after(-1), start, start].map { schedule.take(now: $0) }
        expectEqual(taken, [nil, start, nil])
        expectEqual(schedule.next, after(1_000_000))
    }

    @Test func whatIsOverdueIsTakenWithTheInstantItWasDueAt() {
        var schedule = RateSchedule(start: start, rate: 1000)
        var taken: [MonotonicInstant] = []
        while let due = schedule.take(now: after(3_500_000)) { taken.append(due) }
        expectEqual(taken, [start, after(1_000_000), after(2_000_000), after(3_000_000)])
        expectEqual(schedule.count, 4)
    }

    @Test func intervalsThatAreNoWholeNumberDoNotDrift() {
        let schedule = RateSchedule(start: start, rate: 3)
        expectEqual(schedule.instant(3), after(1_000_000_000))
        expectEqual(schedule.instant(3_000_000), after(1_000_000_000_000_000))
    }

    /// A server that stalls for a second at 1,000 messages a second has kept 1,000 of them waiting, from one
    /// second down to a millisecond, and not one for a second.
    @Test func stallIsChargedToEveryMessageThatWasDue() {
        var schedule = RateSchedule(start: start, rate: 1000)
        var latencies = LatencyRecorder()
        let end = after(999_000_000)
        while let due = schedule.take(now: end) { latencies.record(from: due, to: end) }
        let summary = latencies.summary
        expectEqual(summary.count, 1000)
        expect((498_000_000...502_000_000).contains(summary.nanoseconds(at: 50)))
        expect((998_000_000...1_000_000_000).contains(summary.max))
    }
}

@Suite("Latency recorder", .timeLimit(.minutes(10)))
struct LatencyRecorderTests {
    private func recorded(_ nanoseconds: [Int64]) -> LatencySummary {
        var recorder = LatencyRecorder()
        let zero = MonotonicInstant(nanoseconds: 0)
        for value in nanoseconds {
            recorder.record(from: zero, to: MonotonicInstant(nanoseconds: value))
        }
        return recorder.summary
    }

    @Test func percentilesAreGoodToThreeDigits() {
        let summary = recorded((1...1000).map { $0 * 1_000_000 })
        for percentile in [50.0, 90, 99] {
            let exact = percentile * 10_000_000
            let value = Double(summary.nanoseconds(at: percentile))
            expect(abs(value - exact) / exact < 0.02, "\(percentile)")
        }
        expectEqual(summary.curve.last?.percentile, 100)
    }

    @Test func nothingRecordedIsAnEmptySummary() {
        expectEqual(recorded([]), LatencySummary(count: 0, mean: 0, max: 0, curve: []))
        expectEqual(recorded([]).nanoseconds(at: 99), 0)
    }

    @Test func answerBeforeItsTimeAndOneBeyondTheScaleAreKept() {
        expectEqual(recorded([-5]).count, 1)
        expectEqual(recorded([Int64.max]).count, 1)
    }
}
