import Locking
import Testing

@testable import Store

@Suite("Queue of writes")
struct WriteQueueTests {
    private let limits = StoreLimits(
        waitingWritesMax: 3,
        waitingBytesMax: 100,
        changeBytesMax: 100,
        batchWritesMax: 2
    )

    @Test func firstWriteWakesTheWriterAndLaterOnesDoNot() async throws {
        try await withWrites([1, 1, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(names(writes, appendedTo: &queue) == ["wakes", "accepted", "accepted"])
            #expect(queue.count == 3)
            #expect(queue.lengthSum == 3)
        }
    }

    @Test func batchIsTakenInOrderAndAnEmptyBatchMakesTheWriterIdle() async throws {
        try await withWrites([1, 2, 3, 4]) { writes in
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

    @Test func writeOverTheLimitOfCountIsRefused() async throws {
        try await withWrites([0, 0, 0, 0]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(
                names(writes, appendedTo: &queue) == ["wakes", "accepted", "accepted", "queueFull"]
            )
            #expect(queue.count == 3)
        }
    }

    @Test func writeOverTheLimitOfBytesIsRefused() async throws {
        try await withWrites([60, 40, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(names(writes, appendedTo: &queue) == ["wakes", "accepted", "queueFull"])
            #expect(queue.lengthSum == 100)
        }
        try await withWrites([60, 41]) { writes in
            var queue = WriteQueue(limits: limits)
            #expect(names(writes, appendedTo: &queue) == ["wakes", "queueFull"])
        }
    }

    @Test func closedQueueRefusesButGivesOutWhatWaits() async throws {
        try await withWrites([1, 1]) { writes in
            var queue = WriteQueue(limits: limits)
            _ = queue.append(writes[0])
            let closes = [queue.close(), queue.close()]
            #expect(closes == [true, false])
            #expect(names([writes[1]], appendedTo: &queue) == ["closed"])
            #expect(batchLengths(&queue) == [1])
        }
    }

    private func names(_ writes: [WaitingWrite], appendedTo queue: inout WriteQueue) -> [String] {
        writes.map { queue.append($0).name }
    }

    private func batchLengths(_ queue: inout WriteQueue) -> [Int] {
        queue.takeBatch().map(\.length)
    }

    /// Makes writes of the given lengths; their continuations resume when `body` is through.
    private func withWrites(
        _ lengths: [Int],
        _ body: ([WaitingWrite]) throws -> Void
    ) async throws {
        let made = Locked<[WaitingWrite]>([])
        let waiters = lengths.map { length in
            Task {
                try await withCheckedThrowingContinuation { continuation in
                    made.withLock {
                        $0.append(
                            WaitingWrite(
                                length: length,
                                body: { _, _ in Written() },
                                continuation: continuation
                            )
                        )
                    }
                }
            }
        }
        while made.withLock({ $0.count }) < lengths.count { await Task.yield() }
        var unordered = made.withLock { $0 }
        let ordered = lengths.compactMap { length -> WaitingWrite? in
            guard let index = unordered.firstIndex(where: { $0.length == length }) else {
                return nil
            }
            return unordered.remove(at: index)
        }
        let outcome = Result { try body(ordered) }
        for write in ordered { write.continuation.resume(returning: Written()) }
        for waiter in waiters { _ = try await waiter.value }
        try outcome.get()
    }
}

extension WriteQueue.Acceptance {
    fileprivate var name: String {
        switch self {
        case .wakesWriter: "wakes"
        case .accepted: "accepted"
        case .refused(let code, _): code.rawValue
        }
    }
}
