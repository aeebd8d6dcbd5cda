import Base
import Expectations

@Suite("Serial execution", .timeLimit(.minutes(10)))
struct SerialExecutionTests {
    private struct Failure: Error, Equatable {
        var number: Int
    }

    @Test func resultIsThatOfTheOperation() async throws {
        try await expectEqual(SerialExecution().run { 42 }, 42)
    }

    @Test func errorGoesToItsCallerAndTheNextOperationRuns() async throws {
        let execution = SerialExecution()
        await #expect(throws: Failure(number: 1)) {
            try await execution.run { throw Failure(number: 1) }
        }
        try await expectEqual(execution.run { 2 }, 2)
    }

    @Test func operationBeginsWhenTheOneBeforeHasEnded() async throws {
        let execution = SerialExecution()
        let log = Locked<[String]>([])
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await execution.run {
                log.withLock { $0.append("first begins") }
                beginning.yield()
                for await _ in gate {}
                log.withLock { $0.append("first ends") }
            }
        }
        for await _ in begun { break }
        let second = Task {
            try await execution.run { log.withLock { $0.append("second") } }
        }
        // The second has every chance to overtake.
        for _ in 0..<1000 { await Task.yield() }
        opening.finish()
        try await first.value
        try await second.value
        expectEqual(log.withLock { $0 }, ["first begins", "first ends", "second"])
    }

    @Test func operationsNeverOverlapWhateverTheyWaitFor() async throws {
        let execution = SerialExecution()
        let running = Locked(0)
        let overlaps = Locked(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await execution.run {
                        let before = running.withLock { running in
                            defer { running += 1 }
                            return running
                        }
                        if before != 0 { overlaps.withLock { $0 += 1 } }
                        for _ in 0..<(number % 5) { await Task.yield() }
                        running.withLock { $0 -= 1 }
                        return number
                    }
                }
            }
            var numbers: Set<Int> = []
            for try await number in group { numbers.insert(number) }
            expectEqual(numbers.count, 200)
        }
        expectEqual(overlaps.withLock { $0 }, 0)
    }

    @Test func operationIsCarriedOutThoughItsCallerIsCancelled() async throws {
        let execution = SerialExecution()
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await execution.run { Task.isCancelled }
        }
        try await expectEqual(caller.value, false)
    }
}
