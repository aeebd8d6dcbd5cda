import Expectations

@testable import Radar

@Suite("PollSchedule: clocks that are set", .timeLimit(.minutes(10)))
struct PollScheduleClockTests {
    private let justWithin = PollSchedule.clockStepMax
    private let justPast = PollSchedule.clockStepMax + .milliseconds(1)

    /// Ten radars, due 1, 2, … 10 minutes after `morning`.
    private func tenRadars() -> PollSchedule {
        var schedule = PollSchedule.hourly()
        let entries = (1...10).map {
            PollSchedule.Entry(id: "\($0)", due: morning + .minutes($0), lastPoll: morning)
        }
        schedule.restore(entries, now: morning, random: { 0 })
        return schedule
    }

    @Test func clockSetForwardByDaysMakesNoFlood() {
        var schedule = tenRadars()
        let now = morning + .days(3)
        expectEqual(schedule.takeDue(now: now, countMax: 10), ["1"])
        expectEqual(schedule.lag(now: now), .zero)
        for minute in 1...9 {
            let ids = schedule.takeDue(now: now + .minutes(minute), countMax: 10)
            expectEqual(ids, ["\(minute + 1)"])
        }
    }

    @Test func clockSetBackByDaysStarvesNoRadar() {
        var schedule = tenRadars()
        let now = morning - .days(3)
        expectEqual(schedule.takeDue(now: now, countMax: 10), [])
        expectEqual(schedule.nextDue, now + .minutes(1))
        expectEqual(schedule.takeDue(now: now + .minutes(1), countMax: 10), ["1"])
    }

    @Test func smallStepsMoveNothing() {
        var schedule = tenRadars()
        _ = schedule.takeDue(now: morning - justWithin, countMax: 10)
        expectEqual(schedule.nextDue, morning + .minutes(1))
        expectEqual(
            schedule.takeDue(now: morning + .minutes(1) + justWithin, countMax: 10).count,
            3
        )
    }

    @Test func stepsOverTheLimitMoveEverything() {
        var back = tenRadars()
        _ = back.takeDue(now: morning - justPast, countMax: 10)
        expectEqual(back.nextDue, morning + .minutes(1) - justPast)
        var forward = tenRadars()
        let now = morning + .minutes(1) + justPast
        expectEqual(forward.takeDue(now: now, countMax: 10), ["1"])
    }

    @Test func clockThatGoesBackInSmallStepsIsFollowed() {
        var schedule = tenRadars()
        var now = morning
        for _ in 0..<60 {
            now = now - .minutes(1)
            _ = schedule.takeDue(now: now, countMax: 10)
        }
        let due = schedule.nextDue
        expectEqual(due.map { $0 >= now && $0 <= now + .minutes(3) }, true)
    }

    /// What is overdue while the caller comes and takes little is a lag, and no clock that was set.
    @Test func overdueRadarsOfACallerWhoComesStayOverdue() {
        var schedule = tenRadars()
        var now = morning
        for _ in 0..<30 {
            now = now + .minutes(1)
            _ = schedule.takeDue(now: now, countMax: 0)
        }
        expectEqual(schedule.lag(now: now), .minutes(29))
        expectEqual(schedule.takeDue(now: now, countMax: 10).count, 10)
    }

    @Test func longSleepUntilTheFirstIsDueIsNoJump() {
        var schedule = PollSchedule.waiting()
        let due = morning + .minutes(60)
        expectEqual(schedule.takeDue(now: due, countMax: 1), ["a"])
    }

    @Test func pollThatBeganInAnotherTimeIsFollowedByTheNextInThis() {
        var schedule = PollSchedule.polling()
        let now = morning - .days(3)
        let due = schedule.finish("a", now: now, random: 0.5)
        expectEqual(due, now + .minutes(60))
    }

    @Test func everyInputFollowsTheClock() {
        let now = morning - .days(3)
        var added = tenRadars()
        expectEqual(added.add("a", now: now, random: 0.5), now + .seconds(1))
        _ = added.begin("a")
        expectEqual(added.nextDue, now + .minutes(1))

        var postponed = tenRadars()
        postponed.postpone("1", until: now + .minutes(90), now: now)
        expectEqual(postponed.nextDue, now + .minutes(2))

        var finished = tenRadars()
        _ = finished.begin("1")
        _ = finished.finish("1", now: now, random: 0)
        expectEqual(finished.nextDue, now + .minutes(2))
    }

    @Test func radarsAreStillPulledAfterTheClockWasSetBack() {
        var schedule = PollSchedule.hourly()
        let entries = ["a", "b"].map {
            PollSchedule.Entry(id: $0, due: morning + .minutes(50), lastPoll: nil)
        }
        schedule.restore(entries, now: morning, random: { 0 })
        expectEqual(schedule.setWatched(["a"], now: morning, random: { 0 }).map(\.due), [morning])
        let now = morning - .days(3)
        let changed = schedule.setWatched(["a", "b"], now: now, random: { 0 })
        expectEqual(changed.map(\.due), [now + .seconds(1)])
    }

    @Test func lastPollIsRememberedInTheTimeThatIsNow() {
        var schedule = PollSchedule.waiting()
        let now = morning - .days(3)
        let changed = schedule.setWatched(["a"], now: now, random: { 0.5 })
        expectEqual(changed.map(\.due), [now + .minutes(6)])
    }
}
