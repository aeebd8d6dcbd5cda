import Base
import Expectations

@Suite("Alarm", .timeLimit(.minutes(10)))
struct AlarmTests {
    /// Sleeps until its task is cancelled.
    private static let forever: @Sendable () async throws -> Void = {
        try await Task.sleep(for: .seconds(86_400))
    }

    @Test func ringBeforeTheWaitIsNotLost() async {
        let alarm = Alarm()
        alarm.ring()
        await alarm.wait(orUntil: AlarmTests.forever)
    }

    @Test func ringWakesTheWaitingTask() async {
        let alarm = Alarm()
        async let waiting: Void = alarm.wait(orUntil: AlarmTests.forever)
        alarm.ring()
        await waiting
    }

    @Test func timerWakesTheWaitingTask() async {
        await Alarm().wait(orUntil: {})
    }

    @Test func cancelledTaskDoesNotWait() async {
        let alarm = Alarm()
        let task = Task { await alarm.wait(orUntil: AlarmTests.forever) }
        task.cancel()
        await task.value
    }

    /// What an `AsyncStream` in its place does not do.
    @Test func waitAfterATimerWaitsForTheNextRing() async {
        let alarm = Alarm()
        await alarm.wait(orUntil: {})
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let task = Task {
            await alarm.wait(orUntil: {
                entering.finish()
                try await Task.sleep(for: .seconds(86_400))
            })
            return true
        }
        // Its timer has begun, and nothing but the ring ends the wait.
        for await _ in entered {}
        alarm.ring()
        await expect(task.value)
    }
}
