import Expectations

@testable import Radar

@Suite("PollSchedule: restart", .timeLimit(.minutes(10)))
struct PollScheduleRestoreTests {
    private typealias Entry = PollSchedule.Entry

    /// Whole seconds after `morning`, of all radars, in the order in which they are due.
    private func dues(_ schedule: PollSchedule) -> [(id: String, seconds: Double)] {
        var schedule = schedule
        var dues: [(id: String, seconds: Double)] = []
        while let due = schedule.nextDue {
            let id = schedule.takeDue(now: due, countMax: 1)
            dues.append((id[0], (due - morning).inSeconds))
        }
        return dues
    }

    private func restored(_ entries: [Entry], seed: UInt64 = 1) -> PollSchedule {
        var dice = Dice(seed: seed)
        var schedule = PollSchedule.hourly()
        schedule.restore(entries, now: morning, random: { dice.draw() })
        return schedule
    }

    @Test func nothingIsRestoredOfNothing() {
        let schedule = restored([])
        expectEqual(schedule.count, 0)
        expectNil(schedule.nextDue)
    }

    @Test func timesToComeAreKept() {
        let schedule = restored([
            Entry(id: "a", due: morning + .minutes(120), lastPoll: morning),
            Entry(id: "b", due: morning + .milliseconds(1), lastPoll: nil),
        ])
        let dues = dues(schedule)
        expectEqual(dues.map(\.id), ["b", "a"])
        expectEqual(dues.map(\.seconds), [0.001, 7200])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func lateOnesAreSpreadAtTheMeanRateInARandomOrder(seed: UInt64) {
        let entries = (0..<60).map {
            Entry(id: "\($0)", due: morning - .minutes($0), lastPoll: morning - .minutes(90))
        }
        let dues = dues(restored(entries, seed: seed))
        let ids = dues.map(\.id)
        expectEqual(Set(ids), Set(entries.map(\.id)))
        expect(ids != entries.map(\.id) && ids != entries.reversed().map(\.id), "seed \(seed)")
        expect(dues[0].seconds >= 0 && dues[0].seconds <= 80, "seed \(seed)")
        for (early, late) in zip(dues, dues.dropFirst()) {
            expect(abs(late.seconds - early.seconds - 60) < 0.002, "seed \(seed)")
        }
    }

    @Test func timesFarAheadArePulledIn() {
        let entries = (0..<60).map {
            Entry(id: "\($0)", due: morning + .days(3 + $0), lastPoll: morning + .days(3))
        }
        let dues = dues(restored(entries))
        expectEqual(dues.count, 60)
        expect(dues.allSatisfy { $0.seconds <= 62 * 60 })
    }

    @Test(arguments: [Int64.min, Int64.max])
    func impossibleTimesOfAFileDoNoHarm(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        var schedule = restored([Entry(id: "a", due: time, lastPoll: time)])
        _ = schedule.setWatched(["a"], now: morning, random: { 0.5 })
        let jumped = morning - .days(10)
        _ = schedule.takeDue(now: jumped, countMax: 0)
        expectEqual(schedule.nextDue.map { $0 >= jumped && $0 <= jumped + .minutes(80) }, true)
    }

    @Test func radarThatIsStoredTwiceIsRestoredOnce() {
        let schedule = restored([
            Entry(id: "a", due: morning + .minutes(1), lastPoll: nil),
            Entry(id: "a", due: morning + .minutes(2), lastPoll: nil),
        ])
        expectEqual(schedule.count, 1)
        expectEqual(dues(schedule).map(\.seconds), [60])
    }

    @Test func radarThatWasNeverPolledDriftsAfterItsFirstPoll() {
        var schedule = restored([
            Entry(id: "a", due: morning + .minutes(1), lastPoll: nil)
        ])
        expectEqual(schedule.begin("a"), true)
        let due = schedule.finish("a", now: morning, random: 0)
        expectEqual(due, morning + .minutes(6))
    }

    /// At the mean rate it would wait for up to a day and a half.
    @Test func lateRadarOfAFewWithALongIntervalWaitsForMinutesAtMost() {
        for seed in 1...20 as ClosedRange<UInt64> {
            var schedule = PollSchedule(interval: .days(1), watchedInterval: .days(1))
            var dice = Dice(seed: seed)
            let entries = ["a", "b", "c"].map {
                Entry(id: $0, due: morning - .minutes(5), lastPoll: morning - .days(1))
            }
            schedule.restore(entries, now: morning, random: { dice.draw() })
            let dues = dues(schedule)
            expectEqual(Set(dues.map(\.id)), ["a", "b", "c"])
            expect(dues.allSatisfy { $0.seconds <= 240 }, "seed \(seed)")
        }
    }
}
