import StoreTesting
import Testing

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
            #expect(names(writes, appendedTo: &queue) == ["wakes", "accepted", "accepted"])
            #expect(queue.count == 3)
            #expect(queue.lengthSum == 3)
        }
    }

    @Test func batchIsTakenInOrderAndAnEmptyBatchMakesTheWriterIdle() {
        withWrites([1, 2, 3, 4]) { writes in
            var queue = WriteQueue(limits: limits)
            for write in writes.prefix(3) { _ = queue.append(write) }
            #expect(batchLengths(&queue) == [1, 2])
            #expect(queue.lengthSum == 3)
            #expect(batchLengths(&queue) == [3])
            #expect(
                names([writes[3]], appendedTo: &queue) == ["accepted"],
                "the writer has not seen the end"
            )
            #expect(batchLengths(&queue) == [4])
            #expect(batchLengths(&queue) == [])
            #expect(names([writes[0]], appendedTo: &queue) == ["wakes"])
        }
    }

    @Test func writeOverTheLimitOfCountIsRefused() {
        withWrites([0, 0, 0, 0]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(
                names(writes, appendedTo: &queue) == ["wakes", "accepted", "accepted", "queueFull"]
            )
            #expect(queue.count == 3)
        }
    }

    @Test func writeOverTheLimitOfBytesIsRefused() {
        withWrites([60, 40, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(names(writes, appendedTo: &queue) == ["wakes", "accepted", "queueFull"])
            #expect(queue.lengthSum == 100)
        }
        withWrites([60, 41]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(names(writes, appendedTo: &queue) == ["wakes", "queueFull"])
        }
    }

    @Test func closedQueueRefusesButGivesOutWhatWaits() {
        withWrites([1, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            _ = queue.append(writes[0])
            let closes = [queue.close(), queue.close()]
            #expect(closes == [true, false])
            #expect(names([writes[1]], appendedTo: &queue) == ["closed"])
            #expect(batchLengths(&queue) == [1])
        }
    }

    @Test func oldestIsTheFirstThatIsNotCommitted() {
        withWrites([1, 1, 1]) { writes in
            let now = ContinuousClock.now
            var queue = WriteQueue(limits: limits)
            #expect(queue.oldest == nil)
            for (index, write) in writes.enumerated() {
                var write = write
                write.queued = now + .seconds(index)
                _ = queue.append(write)
            }
            #expect(queue.oldest == now)
            // The batch under way is not committed.
            #expect(batchLengths(&queue) == [1, 1])
            #expect(queue.oldest == now)
            #expect(batchLengths(&queue) == [1])
            #expect(queue.oldest == now + .seconds(2))
            #expect(batchLengths(&queue) == [])
            #expect(queue.oldest == nil)
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
