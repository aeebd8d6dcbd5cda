import Base
import Expectations

@Suite("Clock of a recording", .timeLimit(.minutes(10)))
struct RecordingClockTests {
    private static let anchor = Timestamp(milliseconds: 1_000_000)
    private static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!

    private static func running(_ speed: Double = 60) -> RecordingClock {
        RecordingClock(start: start, speed: speed, anchor: anchor)
    }

    /// Paused ten seconds after the anchor, ten minutes after the start.
    private static func paused() throws -> RecordingClock {
        var clock = running()
        try clock.change(ClockChange(isPaused: true), wall: after(10))
        return clock
    }

    private static func after(_ seconds: Int64) -> Timestamp { anchor + .seconds(seconds) }
    private static func at(_ minutes: Int64) -> Timestamp { start + .seconds(60 * minutes) }
    private typealias Suite = RecordingClockTests

    // MARK: Running

    @Test func runningClockIsAsFastAsItsSpeed() {
        let clock = Suite.running()
        expectEqual(clock.now(wall: Suite.after(10)), Suite.at(10))
        expect(!clock.isPaused)
    }

    @Test func timeOfTheProcessBeforeTheAnchorCountsAsTheAnchor() {
        expectEqual(Suite.running().now(wall: Suite.after(-10)), Suite.start)
    }

    @Test func pauseHoldsTheTimeAtWhichItBegins() throws {
        let clock = try Suite.paused()
        expect(clock.isPaused)
        for seconds: Int64 in [10, 11, 10_000] {
            expectEqual(clock.now(wall: Suite.after(seconds)), Suite.at(10))
        }
    }

    @Test(arguments: [0.001, 1, 60, 360, 100_000])
    func changeOfSpeedDoesNotMoveTheTime(speed: Double) throws {
        var clock = Suite.running()
        try clock.change(ClockChange(speed: speed), wall: Suite.after(10))
        expectEqual(clock.now(wall: Suite.after(10)), Suite.at(10))
        let second = clock.now(wall: Suite.after(11)) - Suite.at(10)
        expectEqual(second, .milliseconds(Int64(1000 * speed)))
        expectEqual(clock.speed, speed)
    }

    @Test func manyChangesOfSpeedDoNotMoveTheTime() throws {
        var clock = Suite.running(1)
        for step: Int64 in 1...1000 {
            let speed = step.isMultiple(of: 2) ? 1.0 : 3
            try clock.change(ClockChange(speed: speed), wall: Suite.after(step))
        }
        // 1 s at speed 1 before the first change; then in turn 1 s at speed 3 and 1 s at speed 1.
        expectEqual(clock.now(wall: Suite.after(1000)), Suite.start + .seconds(1 + 500 * 3 + 499))
    }

    @Test func runningClockJumpsAndRunsOn() throws {
        var clock = Suite.running()
        try clock.change(ClockChange(time: Suite.at(100)), wall: Suite.after(10))
        expectEqual(clock.now(wall: Suite.after(10)), Suite.at(100))
        expectEqual(clock.now(wall: Suite.after(11)), Suite.at(101))
    }

    @Test func runningClockThatContinuesIsUnchanged() throws {
        var clock = Suite.running()
        try clock.change(ClockChange(isPaused: false), wall: Suite.after(10))
        expectEqual(clock.now(wall: Suite.after(20)), Suite.at(20))
    }

    // MARK: Paused

    @Test func continuedClockRunsFromWhereItStoodAtItsSpeed() throws {
        var clock = try Suite.paused()
        try clock.change(ClockChange(isPaused: false), wall: Suite.after(500))
        expect(!clock.isPaused)
        expectEqual(clock.now(wall: Suite.after(500)), Suite.at(10))
        expectEqual(clock.now(wall: Suite.after(501)), Suite.at(11))
    }

    @Test func pausedClockStaysPausedWithAnotherSpeed() throws {
        var clock = try Suite.paused()
        try clock.change(ClockChange(speed: 360), wall: Suite.after(20))
        expectEqual(clock.now(wall: Suite.after(30)), Suite.at(10))
        try clock.change(ClockChange(isPaused: false), wall: Suite.after(40))
        expectEqual(clock.now(wall: Suite.after(41)), Suite.at(16))
    }

    @Test func pausedClockJumpsAndStaysPaused() throws {
        var clock = try Suite.paused()
        try clock.change(ClockChange(time: Suite.at(90)), wall: Suite.after(20))
        expect(clock.isPaused)
        expectEqual(clock.now(wall: Suite.after(30)), Suite.at(90))
    }

    @Test func pausedClockThatIsPausedAgainIsUnchanged() throws {
        var clock = try Suite.paused()
        try clock.change(ClockChange(isPaused: true), wall: Suite.after(20))
        expectEqual(clock.now(wall: Suite.after(30)), Suite.at(10))
    }

    @Test(arguments: [true, false])
    func allPartsOfAChangeHappenAtOnce(wasPaused: Bool) throws {
        var clock = wasPaused ? try Suite.paused() : Suite.running()
        let change = ClockChange(isPaused: false, speed: 120, time: Suite.at(50))
        try clock.change(change, wall: Suite.after(20))
        expectEqual(clock.now(wall: Suite.after(21)), Suite.at(52))
    }

    // MARK: Refusals

    @Test(arguments: [true, false])
    func jumpIntoThePastIsRefusedAndChangesNothing(isPaused: Bool) throws {
        var clock = isPaused ? try Suite.paused() : Suite.running()
        let (before, time) = (clock, Suite.at(10) - .milliseconds(1))
        #expect(throws: ClockRefusal.past(time, now: Suite.at(10))) {
            let change = ClockChange(isPaused: !isPaused, speed: 2, time: time)
            try clock.change(change, wall: Suite.after(10))
        }
        expectEqual(clock, before)
    }

    @Test func jumpToTheTimeItselfIsAllowed() throws {
        var clock = Suite.running()
        try clock.change(ClockChange(time: Suite.at(10)), wall: Suite.after(10))
        expectEqual(clock.now(wall: Suite.after(10)), Suite.at(10))
    }

    @Test func jumpIntoThePastCanBeAllowed() throws {
        var clock = try Suite.paused()
        let change = ClockChange(time: Suite.at(-10))
        try clock.change(change, wall: Suite.after(20), allowsBack: true)
        expectEqual(clock.now(wall: Suite.after(20)), Suite.at(-10))
    }

    @Test(arguments: [1, -1])
    func jumpIsAtMostAsLongAsTheLimit(direction: Int64) throws {
        var clock = try Suite.paused()
        let limit = RecordingClock.jumpMax * Int(direction)
        let allowed = Suite.at(10) + limit
        let beyond = allowed + .milliseconds(direction)
        #expect(throws: ClockRefusal.tooFar(beyond, now: Suite.at(10))) {
            try clock.change(ClockChange(time: beyond), wall: Suite.after(20), allowsBack: true)
        }
        try clock.change(ClockChange(time: allowed), wall: Suite.after(20), allowsBack: true)
        expectEqual(clock.now(wall: Suite.after(20)), allowed)
    }

    @Test(arguments: [0, 0.0009, 100_001, -1, .infinity, .nan])
    func otherSpeedsAreRefused(speed: Double) {
        var clock = Suite.running()
        let before = clock
        #expect(throws: ClockRefusal.self) {
            try clock.change(ClockChange(speed: speed), wall: Suite.after(10))
        }
        expectEqual(clock, before)
    }

    @Test func changeOfNothingIsRefused() {
        var clock = Suite.running()
        #expect(throws: ClockRefusal.nothing) {
            try clock.change(ClockChange(), wall: Suite.after(10))
        }
    }

    @Test func refusalsContainTheValueAndTheExpectation() {
        let (time, now) = (Suite.start, Suite.at(1))
        expectEqual(
            [
                ClockRefusal.wallClock, .nothing, .speed(0), .past(time, now: now),
                .tooFar(time, now: now),
            ].map(\.description),
            [
                "the hub uses the wall clock; only the clock of a recording can be changed",
                "nothing to change, expected paused, speed or time",
                "speed is 0.0, expected a number from 0.001 to 100000",
                "time is 2024-12-09T16:00:00.000Z, before the clock's 2024-12-09T16:01:00.000Z, "
                    + "and it never runs back",
                "time is 2024-12-09T16:00:00.000Z, more than 31 days from the clock's "
                    + "2024-12-09T16:01:00.000Z",
            ]
        )
    }

    // MARK: Waiting

    @Test func waitOfARunningClockIsAsShortAsItIsFast() {
        let clock = Suite.running()
        expectEqual(clock.wait(until: Suite.at(30), wall: Suite.after(10)), .time(.seconds(20)))
    }

    @Test func waitIsShorterAfterAChangeOfSpeed() throws {
        var clock = Suite.running(1)
        expectEqual(clock.wait(until: Suite.at(10), wall: Suite.after(0)), .time(.seconds(600)))
        try clock.change(ClockChange(speed: 300), wall: Suite.after(0))
        expectEqual(clock.wait(until: Suite.at(10), wall: Suite.after(0)), .time(.seconds(2)))
    }

    @Test func waitEndsWithAJump() throws {
        var clock = Suite.running(1)
        try clock.change(ClockChange(time: Suite.at(10)), wall: Suite.after(0))
        expectEqual(clock.wait(until: Suite.at(10), wall: Suite.after(0)), .time(.zero))
    }

    @Test func pausedClockWaitsForAChangeExceptForThePast() throws {
        let clock = try Suite.paused()
        expectEqual(clock.wait(until: Suite.at(11), wall: Suite.after(90)), .change)
        expectEqual(clock.wait(until: Suite.at(10), wall: Suite.after(90)), .time(.zero))
    }

    @Test func clockWithoutSpeedWaitsForAChange() {
        expectEqual(Suite.running(0).wait(until: Suite.at(1), wall: Suite.after(9)), .change)
    }
}
