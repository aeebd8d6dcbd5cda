import Base
import Expectations

@Suite("Hub clock: sleeps through changes", .timeLimit(.minutes(10)))
struct HubClockTests {
    private static let start = Timestamp(iso8601: "2024-12-09T16:00:00Z")!

    /// The time of a process that passes only by `pass`, and sleeps that last until they are ended
    /// or cancelled.
    private final class Process: Sendable {
        let passed = Locked(Duration.zero)
        /// The lengths of the sleeps, in their order.
        let sleeps: AsyncStream<Duration>
        private let began: AsyncStream<Duration>.Continuation
        private let last = Locked<Alarm?>(nil)

        init() { (sleeps, began) = AsyncStream<Duration>.makeStream() }

        func clock(speed: Double = 1) -> HubClock {
            let anchor = Timestamp(milliseconds: 0)
            return HubClock(
                .recording(start: HubClockTests.start, speed: speed, anchor: anchor),
                wall: { [passed] in anchor + passed.withLock { $0 } },
                timer: ProcessTimer { [began, last] duration in
                    let alarm = Alarm()
                    last.withLock { $0 = alarm }
                    began.yield(duration)
                    await alarm.wait()
                    try Task.checkCancellation()
                }
            )
        }

        func pass(_ duration: Duration) { passed.withLock { $0 += duration } }

        func endSleep() { last.withLock { $0 }?.ring() }
    }

    private let process = Process()
    private let hour = Duration.seconds(3600)

    @Test func sleepLastsUntilTheClockShowsItsEnd() async throws {
        let clock = process.clock(speed: 60)
        async let sleep: Void = clock.sleep(hour)
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), .seconds(60))
        process.pass(.seconds(60))
        process.endSleep()
        try await sleep
        expectEqual(clock.now, Self.start + hour)
    }

    @Test func sleepThatEndsEarlyGoesOn() async throws {
        let clock = process.clock(speed: 60)
        async let sleep: Void = clock.sleep(hour)
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), .seconds(60))
        process.pass(.seconds(59))
        process.endSleep()
        await expectEqual(sleeps.next(), .seconds(1))
        process.pass(.seconds(1))
        process.endSleep()
        try await sleep
    }

    @Test func higherSpeedShortensASleep() async throws {
        let clock = process.clock()
        async let sleep: Void = clock.sleep(.seconds(600))
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), .seconds(600))
        process.pass(.seconds(240))
        try clock.change(ClockChange(speed: 360))
        await expectEqual(sleeps.next(), .seconds(1))
        process.pass(.seconds(1))
        process.endSleep()
        try await sleep
    }

    @Test func jumpBeyondItsEndEndsASleep() async throws {
        let clock = process.clock()
        async let sleep: Void = clock.sleep(hour)
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), hour)
        try clock.change(ClockChange(time: Self.start + hour))
        try await sleep
    }

    @Test func pauseHoldsASleepUntilTheClockContinues() async throws {
        let clock = process.clock()
        async let sleep: Void = clock.sleep(hour)
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), hour)
        process.pass(.seconds(600))
        try clock.change(ClockChange(isPaused: true))
        // More than the hour: while the clock stands still, no sleep begins.
        process.pass(.seconds(7200))
        process.endSleep()
        try clock.change(ClockChange(isPaused: false))
        await expectEqual(sleeps.next(), .seconds(3000))
        process.pass(.seconds(3000))
        process.endSleep()
        try await sleep
        expectEqual(clock.now, Self.start + hour)
    }

    @Test func jumpEndsASleepOfAPausedClock() async throws {
        let clock = process.clock()
        try clock.change(ClockChange(isPaused: true))
        // A sleep that begins after a jump ends with the next one.
        let jumps = Task { [hour] in
            while !Task.isCancelled {
                _ = try? clock.change(ClockChange(time: clock.now + hour))
                await Task.yield()
            }
        }
        try await clock.sleep(hour)
        jumps.cancel()
    }

    @Test(arguments: [true, false])
    func cancelledSleepThrows(isPaused: Bool) async throws {
        let clock = process.clock()
        try clock.change(ClockChange(isPaused: isPaused))
        let task = Task { [hour] in try await clock.sleep(hour) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func sleepOfNothingIsStillAPauseOfTheProcess() async throws {
        let clock = process.clock(speed: 100_000)
        async let sleep: Void = clock.sleep(.zero)
        var sleeps = process.sleeps.makeAsyncIterator()
        await expectEqual(sleeps.next(), .milliseconds(10))
        process.endSleep()
        try await sleep
    }

    @Test func readingHasTheStateOfTheClock() throws {
        let clock = process.clock(speed: 60)
        process.pass(.seconds(1))
        let reading = try clock.change(ClockChange(isPaused: true, speed: 10))
        expectEqual(reading, clock.reading)
        expectEqual(reading.time, Self.start + .seconds(60))
        expectEqual(reading.speed, 10)
        expect(reading.isPaused)
        expect(clock.isRecording)
    }

    @Test func checkRefusesLikeTheChange() throws {
        let clock = process.clock()
        let change = ClockChange(time: Self.start - .milliseconds(1))
        let refusal = ClockRefusal.past(Self.start - .milliseconds(1), now: Self.start)
        #expect(throws: refusal) { try clock.check(change) }
        #expect(throws: refusal) { try clock.change(change) }
        try clock.check(ClockChange(speed: 5))
        expectEqual(clock.reading.speed, 1)
    }

    @Test func wallClockIsNotChanged() throws {
        let clock = HubClock(.wall)
        expect(!clock.isRecording)
        expectEqual(clock.reading.speed, 1)
        for change in [ClockChange(isPaused: true), ClockChange()] {
            #expect(throws: ClockRefusal.wallClock) { try clock.check(change) }
            #expect(throws: ClockRefusal.wallClock) { try clock.change(change) }
        }
    }

    @Test func steadyWallBeginsAtTheWallClock() {
        let before = HubClock.wall
        let steady = HubClock.makeSteadyWall()
        expect(steady() >= before)
    }
}
