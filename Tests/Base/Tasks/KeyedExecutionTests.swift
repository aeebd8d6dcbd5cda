import Base
import Expectations

@Suite(.timeLimit(.minutes(10))) struct KeyedExecutionTests {
    @Test func operationsOfOneKeyRunOneAfterAnotherInOrder() async throws {
        let execution = KeyedExecution<String>()
        let running = Locked(0)
        let order = Locked<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        for index in 0..<50 {
            let (entered, continuation) = AsyncStream<Void>.makeStream()
            tasks.append(
                Task {
                    continuation.finish()
                    try await execution.run("a") {
                        let count = running.withLock { running in
                            running += 1
                            return running
                        }
                        expectEqual(count, 1)
                        await Task.yield()
                        order.withLock { $0.append(index) }
                        running.withLock { $0 -= 1 }
                    }
                }
            )
            for await _ in entered {}
        }
        for task in tasks { try await task.value }
        expectEqual(order.withLock(\.count), 50)
        await expectEqual(execution.keyCount, 0)
    }

    @Test func operationsOfOtherKeysDoNotWait() async throws {
        let execution = KeyedExecution<String>()
        let (gate, opens) = AsyncStream<Void>.makeStream()
        async let first: Void = execution.run("a") { for await _ in gate {} }
        let answer = try await execution.run("b") { 7 }
        expectEqual(answer, 7)
        opens.finish()
        try await first
    }

    @Test func failureIsTheCallersAloneAndHoldsUpNobody() async throws {
        struct Failure: Error {}
        let execution = KeyedExecution<String>()
        await #expect(throws: Failure.self) {
            try await execution.run("a") { throw Failure() }
        }
        try await expectEqual(execution.run("a") { 1 }, 1)
        await expectEqual(execution.keyCount, 0)
    }

    @Test func cancellationReachesAnOperationOnlyIfItMay() async throws {
        let execution = KeyedExecution<String>()
        for isCancellable in [true, false] {
            let (begun, beginning) = AsyncStream<Void>.makeStream()
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await execution.run("a", isCancellable: isCancellable) {
                    beginning.finish()
                    // Ends when it is opened, or when the operation is cancelled.
                    for await _ in gate {}
                    return Task.isCancelled
                }
            }
            for await _ in begun {}
            task.cancel()
            if !isCancellable { opening.finish() }
            try await expectEqual(task.value, isCancellable)
        }
    }
}
