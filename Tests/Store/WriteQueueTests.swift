import Expectations
import StoreTesting

@testable import Store

@Suite("Queue of writes", .timeLimit(.minutes(10)))
struct WriteQueueTests {
    private let limits = StoreLimits(
        waitingWritesMax: 3,
        waitingBytesMax: 100,
        changeBytesMax: 100,
        batchWritesMax: 2
    )

    @Test func firstWriteWakesTheWriterAndLaterOnesDoNot() {
        withWrites([1, 1, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            expectEqual(names(writes, appendedTo: &queue), ["wakes", "accepted", "accepted"])
            expectEqual(queue.count, 3)
            expectEqual(queue.lengthSum, 3)
        }
    }

    @Test func batchIsTakenInOrderAndAnEmptyBatchMakesTheWriterIdle() {
        withWrites([1, 2, 3, 4]) { writes in
            var queue = WriteQueue(limits: limits)
            for write in writes.prefix(3) { _ = queue.append(write) }
            expectEqual(batchLengths(&queue), [1, 2])
            expectEqual(queue.lengthSum, 3)
            expectEqual(batchLengths(&queue), [3])
            expectEqual(
                names([writes[3]], appendedTo: &queue),
                ["accepted"],
                "the writer has not seen the end"
            )
            expectEqual(batchLengths(&queue), [4])
            expectEqual(batchLengths(&queue), [])
            expectEqual(names([writes[0]], appendedTo: &queue), ["wakes"])
        }
    }

    @Test func writeOverTheLimitOfCountIsRefused() {
        withWrites([0, 0, 0, 0]) { writes in
            var queue = WriteQueue(limits: limits)
            expectEqual(
                names(writes, appendedTo: &queue),
                ["wakes", "accepted", "accepted", "queueFull"]
            )
            expectEqual(queue.count, 3)
        }
    }

    @Test func writeOverTheLimitOfBytesIsRefused() {
        withWrites([60, 40, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            expectEqual(names(writes, appendedTo: &queue), ["wakes", "accepted", "queueFull"])
            expectEqual(queue.lengthSum, 100)
        }
        withWrites([60, 41]) { writes in
            var queue = WriteQueue(limits: limits)
            expectEqual(names(writes, appendedTo: &queue), ["wakes", "queueFull"])
        }
    }

    @Test func closedQueueRefusesButGivesOutWhatWaits() {
        withWrites([1, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            _ = queue.append(writes[0])
            let closes = [queue.close(), queue.close()]
            expectEqual(closes, [true, false])
            expectEqual(names([writes[1]], appendedTo: &queue), ["closed"])
            expectEqual(batchLengths(&queue), [1])
        }
    }

    @Test func oldestIsTheFirstThatIsNotCommitted() {
        withWrites([1, 1, 1]) { writes in
            let now = ContinuousClock.now
            var queue = WriteQueue(limits: limits)
            expectNil(queue.oldest)
            for (index, write) in writes.enumerated() {
                var write = write
                write.queued = now + .seconds(index)
                _ = queue.append(write)
            }
            expectEqual(queue.oldest, now)
            // The batch under way is not committed.
            expectEqual(batchLengths(&queue), [1, 1])
            expectEqual(queue.oldest, now)
            expectEqual(batchLengths(&queue), [1])
            expectEqual(queue.oldest, now + .seconds(2))
            expectEqual(batchLengths(&queue), [])
            expectNil(queue.oldest)
        }
    }

    private func names(_ writes: [WaitingWrite], appendedTo queue: inout WriteQueue) -> [String] {
        writes.map { queue.append($0).name }
    }

    private func batchLengths(_ queue: inout WriteQueue) -> [Int] {
        queue.takeBatch().map(\.length)
    }

    /// Writes of the given lengths.
    private func withWrites(_ lengths: [Int], _ body: ([WaitingWrite]) -> Void) {
        body(
            lengths.map {
                WaitingWrite(length: $0, write: .change(Change()), completion: { _ in })
            }
        )
    }
}

extension WriteQueue.Acceptance {
    fileprivate var name: String {
        switch self {
        case .wakesWriter: "wakes"
        case .wakesLane: "lane"
        case .accepted: "accepted"
        case .refused(let code, _): code.rawValue
        }
    }
}
