import Expectations

@testable import Loops
@testable import Reactor

@Suite("HistoryWaits", .timeLimit(.minutes(10)))
struct HistoryWaitsTests {
    private let a = Topic(trusted: "n:a")
    private let b = Topic(trusted: "n:b")

    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func ready(_ numbers: HistoryWaits.Number...) -> [HistoryWaits.Ready] {
        numbers.map { HistoryWaits.Ready(number: $0) }
    }

    @Test func readEndsTheWaitOfAllThatNeedTheTopic() {
        var waits = HistoryWaits()
        let numbers = (1...3).map { waits.add([(a, .read)], until: instant($0)) }
        expectEqual(waits.nextDeadline, instant(1))
        let others = waits.end(b, .read(through: 5), at: 5)
        expectEqual(others, [])
        let all = waits.end(a, .read(through: 5), at: 5)
        expectEqual(all, numbers.map { HistoryWaits.Ready(number: $0) })
        expectNil(waits.nextDeadline)
        let again = waits.end(a, .read(through: 5), at: 5)
        expectEqual(again, [])
    }

    @Test func workWaitsForAllItsTopics() {
        var waits = HistoryWaits()
        let number = waits.add([(a, .read), (b, .read)], until: instant(1))
        let first = waits.end(a, .read(through: 5), at: 5)
        expectEqual(first, [])
        let second = waits.end(b, .read(through: 5), at: 5)
        expectEqual(second, ready(number))
    }

    @Test func loopHasToReachWhatWasRead() {
        var waits = HistoryWaits()
        let number = waits.add([(a, .read), (b, .cursor(7))], until: instant(1))
        let early = waits.end(a, .read(through: 6), at: 5)
        expectEqual(early, [])
        let first = waits.advance(to: 6)
        expectEqual(first, [], "the other topic is not reached")
        let second = waits.advance(to: 7)
        expectEqual(second, ready(number))
        let third = waits.advance(to: 8)
        expectEqual(third, [])
    }

    @Test func failureEndsTheWaitOfAllThatNeedTheTopic() {
        var waits = HistoryWaits()
        let first = waits.add([(a, .read), (b, .read)], until: instant(1))
        let second = waits.add([(b, .read)], until: instant(1))
        let failed = waits.end(a, .failed, at: 5)
        expectEqual(failed, [HistoryWaits.Ready(number: first, hasFailed: true)])
        let left = waits.end(b, .read(through: 5), at: 5)
        expectEqual(left, ready(second))
    }

    @Test func deadlineEndsTheWait() {
        var waits = HistoryWaits()
        let first = waits.add([(a, .read)], until: instant(1))
        let second = waits.add([(a, .read)], until: instant(2))
        let due = (0...2).map { waits.takeOverdue(now: instant($0)) }
        expectEqual(
            due,
            [
                [], [HistoryWaits.Ready(number: first, hasFailed: true)],
                [HistoryWaits.Ready(number: second, hasFailed: true)],
            ]
        )
        let late = waits.end(a, .read(through: 5), at: 5)
        expectEqual(late, [])
    }

    @Test func topicIsReleasedWhenNoWorkNeedsIt() {
        var waits = HistoryWaits()
        let first = waits.add([(a, .read), (b, nil)], until: instant(1))
        let second = waits.add([(a, .read)], until: instant(1))
        expectEqual(waits.count, 2)
        let released = [waits.finish(first), waits.finish(second), waits.finish(second)]
        expectEqual(released, [[b], [a], []])
        expectEqual(waits.count, 0)
        let late = waits.end(a, .read(through: 5), at: 5)
        expectEqual(late, [], "finished work is not ready")
    }
}
