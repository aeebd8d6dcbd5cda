import Expectations

@testable import Base

@Suite("Values of tasks until a deadline", .timeLimit(.minutes(10)))
struct TaskDeadlineTests {
    /// Waits until it is cancelled.
    private static let never: @Sendable () async throws -> Void = {
        let (stream, end) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        end.finish()
        throw CancellationError()
    }

    @Test func valueComesBeforeTheTimerEnds() async {
        let task = Task<Int, Never> { 7 }
        await expectEqual(task.value(until: Self.never), 7)
    }

    @Test func taskContinuesAfterTheTimer() async {
        let (gate, open) = AsyncStream<Never>.makeStream()
        let task = Task<Int, Never> {
            for await _ in gate {}
            return 7
        }
        await expectNil(task.value(until: {}))
        expect(!task.isCancelled)
        open.finish()
        await expectEqual(task.value(until: Self.never), 7)
    }

    @Test func callerThatIsCancelledLeavesTheTaskAlone() async {
        let (gate, open) = AsyncStream<Never>.makeStream()
        let task = Task<Int, Never> {
            for await _ in gate {}
            return 7
        }
        let caller = Task { await task.value(until: Self.never) }
        caller.cancel()
        await expectNil(caller.value)
        expect(!task.isCancelled)
        open.finish()
        await expectEqual(task.value, 7)
    }

    @Test func timerIsCancelledWhenTheValueHasCome() async {
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let task = Task<Int, Never> { 7 }
        let value = await task.value {
            defer {
                ended.yield(Task.isCancelled)
                ended.finish()
            }
            try await Self.never()
        }
        expectEqual(value, 7)
        await expectEqual(ends.first { _ in true }, true)
    }
}
