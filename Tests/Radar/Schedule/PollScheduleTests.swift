import Expectations

@testable import Radar

extension PollSchedule {
    /// Polled every hour, every six minutes when watched.
    static func hourly() -> PollSchedule {
        PollSchedule(interval: .minutes(60), watchedInterval: .minutes(6))
    }

    /// With radar `a`, polled for the first time at `morning`, which waits for its second poll at
    /// `morning` + 54 min or after `random`.
    static func waiting(random: Double = 1) -> PollSchedule {
        var schedule = PollSchedule.hourly()
        schedule.restore(
            [Entry(id: "a", due: morning + .minutes(60), lastPoll: morning)],
            now: morning,
            random: { random }
        )
        return schedule
    }

    /// With radar `a` in flight.
    static func polling() -> PollSchedule {
        var schedule = waiting()
        let hasBegun = schedule.begin("a")
        expect(hasBegun)
        return schedule
    }
}

@Suite("PollSchedule: every input in every state", .timeLimit(.minutes(10)))
struct PollScheduleTests {
    @Test func emptyScheduleHasNothingToDo() {
        var schedule = PollSchedule.hourly()
        expectNil(schedule.nextDue)
        expectEqual(schedule.count, 0)
        expectEqual(schedule.inFlight, 0)
        expectEqual(schedule.lag(now: morning), .zero)
        expectEqual(schedule.takeDue(now: morning, countMax: 10), [])
    }

    @Test func unknownRadarIsNeitherBegunNorFinishedNorPostponed() {
        var schedule = PollSchedule.waiting()
        schedule.remove("b")
        expectEqual(schedule.begin("b"), false)
        expectNil(schedule.finish("b", now: morning, random: 0))
        expectNil(schedule.postpone("b", until: morning, now: morning))
        expectEqual(schedule.count, 1)
        expectEqual(schedule.nextDue, morning + .minutes(60))
    }

    @Test(arguments: [(0.0, 0), (0.5, 1000), (0.9, 1800)] as [(Double, Int)])
    func radarThatWasMadeIsDueWithinTwoSeconds(random: Double, milliseconds: Int) {
        var schedule = PollSchedule.hourly()
        let due = schedule.add("a", now: morning, random: random)
        expectEqual(due, morning + .milliseconds(milliseconds))
        expectEqual(schedule.nextDue, due)
        expectEqual(schedule.count, 1)
        expectEqual(schedule.inFlight, 0)
    }

    @Test func radarIsAddedOnce() async {
        await #expect(processExitsWith: .failure) {
            var schedule = PollSchedule.hourly()
            _ = schedule.add("a", now: morning, random: 0)
            _ = schedule.add("a", now: morning, random: 0)
        }
    }

    @Test func scheduleIsRestoredOnce() async {
        await #expect(processExitsWith: .failure) {
            var schedule = PollSchedule.waiting()
            schedule.restore([], now: morning, random: { 0 })
        }
    }

    @Test func removedRadarIsNotTaken() {
        var schedule = PollSchedule.waiting()
        schedule.remove("a")
        expectEqual(schedule.count, 0)
        expectNil(schedule.nextDue)
        expectEqual(schedule.takeDue(now: morning + .minutes(60), countMax: 1), [])
    }

    @Test func radarThatIsDueIsTakenOnce() {
        var schedule = PollSchedule.waiting()
        let due = morning + .minutes(60)
        expectEqual(schedule.takeDue(now: due - .milliseconds(1), countMax: 1), [])
        expectEqual(schedule.takeDue(now: due, countMax: 1), ["a"])
        expectEqual(schedule.takeDue(now: due, countMax: 1), [])
        expectEqual(schedule.begin("a"), false)
        expectEqual(schedule.inFlight, 1)
        expectEqual(schedule.count, 1)
    }

    @Test func noMoreAreTakenThanAskedForAndTheLongestOverdueFirst() {
        var schedule = PollSchedule.hourly()
        for (index, id) in ["c", "a", "b"].enumerated() {
            _ = schedule.add(id, now: morning, random: Double(index) / 4)
        }
        let now = morning + .seconds(2)
        expectEqual(schedule.takeDue(now: now, countMax: 0), [])
        expectEqual(schedule.takeDue(now: now, countMax: 2), ["c", "a"])
        expectEqual(schedule.lag(now: now), .seconds(1))
        expectEqual(schedule.takeDue(now: now, countMax: 2), ["b"])
        expectEqual(schedule.lag(now: now), .zero)
    }

    @Test func radarThatWaitsIsBegunByHandAndNotTakenThen() {
        var schedule = PollSchedule.polling()
        expectEqual(schedule.inFlight, 1)
        expectNil(schedule.nextDue)
        expectEqual(schedule.takeDue(now: morning + .minutes(60), countMax: 1), [])
        expectEqual(schedule.begin("a"), false)
    }

    @Test(arguments: [(0.0, 54), (0.5, 60), (1.0, 66)] as [(Double, Int)])
    func nextPollIsDueAnIntervalAfterTheEndOfTheLast(random: Double, minutes: Int) {
        var schedule = PollSchedule.polling()
        let ended = morning + .minutes(7)
        let due = schedule.finish("a", now: ended, random: random)
        expectEqual(due, ended + .minutes(minutes))
        expectEqual(schedule.nextDue, due)
        expectEqual(schedule.inFlight, 0)
    }

    @Test(arguments: [(0.0, 6), (0.5, 33), (1.0, 60)] as [(Double, Int)])
    func secondPollIsDueWithinAnIntervalAfterTheFirst(random: Double, minutes: Int) {
        var schedule = PollSchedule.hourly()
        _ = schedule.add("a", now: morning, random: 0)
        expectEqual(schedule.takeDue(now: morning, countMax: 1), ["a"])
        let due = schedule.finish("a", now: morning, random: random)
        expectEqual(due, morning + .minutes(minutes))
    }

    /// The store stood still before the question: its answer has only just come.
    @Test func pollThatTookLongerThanItsIntervalIsNotFollowedByTheNextAtOnce() {
        var schedule = PollSchedule.polling()
        let now = morning + .minutes(100)
        let due = now + .minutes(60)
        expectEqual(schedule.finish("a", now: now, random: 0.5), due)
        expect(
            schedule.setWatched(["a"], now: now, random: { 0.5 }).map(\.due).allSatisfy { $0 > now }
        )
        expectEqual(schedule.takeDue(now: now, countMax: 1), [])
    }

    @Test func finishOfARadarThatIsNotInFlightChangesNothing() {
        var schedule = PollSchedule.waiting()
        expectNil(schedule.finish("a", now: morning, random: 0))
        expectEqual(schedule.nextDue, morning + .minutes(60))
    }

    @Test func finishOfARadarThatWasRemovedMeanwhileIsNoNextPoll() {
        var schedule = PollSchedule.polling()
        schedule.remove("a")
        expectEqual(schedule.inFlight, 0)
        expectNil(schedule.finish("a", now: morning, random: 0))
        expectEqual(schedule.count, 0)
        expectNil(schedule.nextDue)
    }

    @Test func postponedRadarWaitsAgainAndItsTurnIsStillToCome() {
        var schedule = PollSchedule.polling()
        let until = morning + .minutes(3)
        let due = schedule.postpone("a", until: until, now: morning)
        expectEqual(due, until)
        expectEqual(schedule.inFlight, 0)
        expectEqual(schedule.takeDue(now: until, countMax: 1), ["a"])
        expectEqual(schedule.finish("a", now: until, random: 0.5), until + .minutes(60))
    }

    @Test func radarPostponedWhileItWaitsIsDueLater() {
        var schedule = PollSchedule.waiting()
        let until = morning + .minutes(90)
        schedule.postpone("a", until: until, now: morning)
        expectEqual(schedule.nextDue, until)
        expectEqual(schedule.count, 1)
    }

    @Test func radarPostponedToThePastIsDueNow() {
        var schedule = PollSchedule.polling()
        let due = schedule.postpone("a", until: morning - .minutes(1), now: morning)
        expectEqual(due, morning)
    }

    @Test func radarsPostponedToOneInstantFollowEachOther() {
        var schedule = PollSchedule.hourly()
        for id in ["a", "b", "c", "d"] { _ = schedule.add(id, now: morning, random: 0) }
        let until = morning + .minutes(3)
        let midnight = morning + .minutes(14 * 60)
        let dues = [("a", until), ("b", midnight), ("c", until), ("d", midnight)].map {
            schedule.postpone($0, until: $1, now: morning)
        }
        expectEqual(dues, [until, midnight, until + .seconds(1), midnight + .seconds(1)])
    }

    @Test func instantsThatAreOverMakeRoomForOthers() {
        var schedule = PollSchedule.polling()
        let midnight = morning + .minutes(14 * 60)
        var now = morning
        schedule.postpone("a", until: midnight, now: now)
        for _ in 0..<1000 {
            now = now + .seconds(10)
            schedule.postpone("a", until: now + .seconds(20), now: now)
        }
        let due = schedule.postpone("a", until: midnight, now: now)
        expectEqual(due, midnight + .seconds(1), "still known")
        // More instants to come than are kept: a radar may then share one, and still waits for it.
        for second in 1...1000 {
            let until = now + .minutes(1) + .seconds(second)
            expectEqual(schedule.postpone("a", until: until, now: now), until)
        }
    }

    @Test func radarsOfALargeHubFollowEachOtherMoreClosely() {
        var schedule = PollSchedule.hourly()
        for id in 0..<7200 { _ = schedule.add("\(id)", now: morning, random: 0) }
        let until = morning + .minutes(3)
        let dues = (0..<3).map { schedule.postpone("\($0)", until: until, now: morning) }
        // Two polls in a second, and beside them three quarters of that.
        expectEqual(dues, [0, 667, 1334].map { until + .milliseconds($0) })
    }

    @Test func watchedIntervalIsNeverTheLongerOne() {
        let schedule = PollSchedule(interval: .minutes(5), watchedInterval: .minutes(10))
        expectEqual(schedule.watchedInterval, .minutes(5))
    }

    @Test func intervalsArePositive() async {
        await #expect(processExitsWith: .failure) {
            _ = PollSchedule(interval: .zero, watchedInterval: .minutes(1))
        }
        await #expect(processExitsWith: .failure) {
            _ = PollSchedule(interval: .minutes(1), watchedInterval: .zero)
        }
    }
}
