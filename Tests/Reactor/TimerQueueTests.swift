import Expectations
import SeededRandom

@testable import Reactor

@Suite("TimerQueue", .timeLimit(.minutes(10)))
struct TimerQueueTests {
    @Test func nothingIsDueInAnEmptyQueue() {
        var queue = TimerQueue()
        let next = queue.next
        let due = queue.popDue(now: MonotonicInstant(nanoseconds: .max))
        expectNil(next)
        expectNil(due)
    }

    @Test func entryIsDueAtItsDeadlineAndNotBefore() {
        var queue = TimerQueue()
        queue.insert(entry(100, index: 7))
        let next = queue.next
        let before = queue.popDue(now: MonotonicInstant(nanoseconds: 99))
        let at = queue.popDue(now: MonotonicInstant(nanoseconds: 100))
        let after = queue.popDue(now: MonotonicInstant(nanoseconds: 101))
        expectEqual(next, MonotonicInstant(nanoseconds: 100))
        expectNil(before)
        expectEqual(at, entry(100, index: 7))
        expectNil(after)
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func entriesComeSoonestFirst(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        var waiting: [Int64] = []
        for now in stride(from: Int64(0), through: 2000, by: 20) {
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let deadline = now + Int64.random(in: 0...300, using: &random)
                queue.insert(entry(deadline, index: 0))
                waiting.append(deadline)
            }
            var due: [Int64] = []
            while let entry = queue.popDue(now: MonotonicInstant(nanoseconds: now)) {
                due.append(entry.deadline.nanoseconds)
            }
            expectEqual(due, waiting.filter { $0 <= now }.sorted(), "seed \(seed), now \(now)")
            waiting.removeAll { $0 <= now }
            let next = queue.next?.nanoseconds
            expectEqual(next, waiting.min(), "seed \(seed), now \(now)")
        }
    }

    private func entry(_ deadline: Int64, index: UInt32) -> TimerQueue.Entry {
        TimerQueue.Entry(
            deadline: MonotonicInstant(nanoseconds: deadline),
            index: index,
            generation: 1
        )
    }
}
