import Expectations

@testable import Radar

@Suite("PollSchedule: radars that are watched", .timeLimit(.minutes(10)))
struct PollScheduleWatchingTests {
    private func watch(
        _ ids: Set<String>,
        in schedule: inout PollSchedule,
        now: Timestamp = morning,
        random: Double = 0.5
    ) -> [String: Timestamp] {
        let changed = schedule.setWatched(ids, now: now, random: { random })
        return Dictionary(uniqueKeysWithValues: changed.map { ($0.id, $0.due) })
    }

    @Test(arguments: [(0.0, 324), (0.5, 360), (1.0, 396)] as [(Double, Int)])
    func becomingWatchedPullsToTheWatchedInterval(random: Double, seconds: Int) {
        var schedule = PollSchedule.waiting()
        let due = morning + .seconds(seconds)
        expectEqual(watch(["a"], in: &schedule, random: random), ["a": due])
        expectEqual(schedule.nextDue, due)
    }

    @Test func becomingWatchedNeverPullsBeforeNow() {
        var schedule = PollSchedule.waiting()
        let now = morning + .minutes(30)
        expectEqual(watch(["a"], in: &schedule, now: now), ["a": now])
        expectEqual(schedule.takeDue(now: now, countMax: 1), ["a"])
    }

    @Test func radarThatIsDueEarlierKeepsItsTime() {
        var schedule = PollSchedule.waiting()
        schedule.postpone("a", until: morning + .minutes(2), now: morning)
        expectEqual(watch(["a"], in: &schedule), [:])
        expectEqual(schedule.nextDue, morning + .minutes(2))
    }

    @Test func stayingWatchedAndBeingWatchedNoMoreChangeNothing() {
        var schedule = PollSchedule.waiting()
        _ = watch(["a"], in: &schedule)
        expectEqual(watch(["a"], in: &schedule, random: 0), [:])
        expectEqual(watch([], in: &schedule), [:])
        expectEqual(schedule.nextDue, morning + .minutes(6))
    }

    @Test func watchedRadarIsPolledByTheWatchedInterval() {
        var schedule = PollSchedule.polling()
        expectEqual(watch(["a"], in: &schedule), [:], "in flight")
        expectEqual(schedule.finish("a", now: morning, random: 0.5), morning + .minutes(6))
        _ = watch([], in: &schedule)
        expectEqual(schedule.begin("a"), true)
        expectEqual(schedule.finish("a", now: morning, random: 0.5), morning + .minutes(60))
    }

    @Test func radarsThatAreNotKnownMayBeWatched() {
        var schedule = PollSchedule.waiting()
        expectEqual(watch(["b"], in: &schedule), [:])
        expectEqual(schedule.add("b", now: morning, random: 0), morning)
        expectEqual(schedule.takeDue(now: morning, countMax: 1), ["b"])
        expectEqual(
            schedule.finish("b", now: morning, random: 1),
            morning + .minutes(6),
            "watched since before it was made"
        )
    }

    @Test func radarThatWasNeverPolledIsPulledToNow() {
        var schedule = PollSchedule.hourly()
        let entry = PollSchedule.Entry(id: "a", due: morning + .minutes(50), lastPoll: nil)
        schedule.restore([entry], now: morning, random: { 0 })
        expectEqual(watch(["a"], in: &schedule), ["a": morning])
    }

    @Test func manyThatBecomeWatchedAtOnceFollowEachOther() {
        let entries = (0..<100).map {
            PollSchedule.Entry(id: "\($0)", due: morning + .minutes(50), lastPoll: nil)
        }
        var schedule = PollSchedule.hourly()
        schedule.restore(entries, now: morning, random: { 0 })
        let first = watch(Set((0..<50).map { "\($0)" }), in: &schedule)
        let second = watch(Set((0..<100).map { "\($0)" }), in: &schedule)
        let offsets = (first.values.sorted() + second.values.sorted()).map { $0 - morning }
        expectEqual(offsets, (0..<100).map { .seconds($0) })
    }

    @Test func oneHundredRadarsAreWatchedInTheSameOrderEveryTime() {
        let ids = Set((0..<100).map { "radar \($0)" })
        let runs = (0..<2).map { _ in
            var dice = Dice(seed: 1)
            var schedule = PollSchedule.hourly()
            schedule.restore(
                ids.sorted().map { .init(id: $0, due: morning + .minutes(50), lastPoll: morning) },
                now: morning,
                random: { 0 }
            )
            let changed = schedule.setWatched(ids, now: morning, random: { dice.draw() })
            return changed.map { "\($0.id) \($0.due.milliseconds)" }
        }
        expectEqual(runs[0].count, 100)
        expectEqual(runs[0], runs[1])
        expectEqual(runs[0].first?.hasPrefix("radar 0 "), true)
    }
}
