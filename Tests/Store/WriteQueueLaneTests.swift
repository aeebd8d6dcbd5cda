import Expectations
import StoreTesting

@testable import Store

/// The lane of the queue: what it takes while a transaction waits, and what waits for the transaction.
@Suite("Queue of writes, beside a transaction", .timeLimit(.minutes(10)))
struct WriteQueueLaneTests {
    private static let a = Topic(trusted: "chat:a")
    private static let b = Topic(trusted: "chat:b")
    private let limits = StoreLimits(batchWritesMax: 2)

    /// A write that publishes one event to each topic, all of them in memory.
    private func beside(_ topics: Topic..., bytes length: Int = 1) -> WaitingWrite {
        let change = Change(events: topics.map { event($0, "e") })
        return waiting(.change(change), length)
    }

    private func file(claiming topics: Topic..., bytes length: Int = 1) -> WaitingWrite {
        let change = Change(events: [event(radar, "e")] + topics.map { event($0, "e") })
        return waiting(.change(change), length)
    }

    private func waiting(_ write: Write, _ length: Int) -> WaitingWrite {
        WaitingWrite(
            length: length,
            write: write,
            lane: write.lane(isDurable),
            completion: { _ in }
        )
    }

    /// A queue whose writer is in a transaction of `writes`.
    private func queue(inTransactionOf writes: WaitingWrite...) -> WriteQueue {
        var queue = WriteQueue(limits: limits)
        for write in writes { _ = queue.append(write) }
        _ = queue.takeBatch()
        return queue
    }

    private func lengths(_ writes: [WaitingWrite]) -> [Int] { writes.map(\.length) }

    @Test func onlyEventsOfMemoryTopicsAreForTheLane() {
        let erasure = Erasure(topic: Self.a, tag: "t", value: "v")
        let others: [Change] = [
            Change(),
            Change(events: [event(radar, "e")]),
            Change(events: [event(Self.a, "e"), event(radar, "e")]),
            Change(
                events: [event(Self.a, "e")],
                state: [StateRow(domain: "d", key: "k", value: [])]
            ),
            Change(events: [event(Self.a, "e")], removedHistories: [Self.a]),
            Change(events: [event(Self.a, "e")], erasures: [erasure]),
        ]
        for change in others { expect(!Write.change(change).lane(isDurable).isBeside) }
        expect(beside(Self.a, Self.b).isBeside)
        expect(!Write.historyRemoval(Self.a).lane(isDurable).isBeside)
        expect(!Write.composed { _ in ComposedChange(change: Change()) }.lane(isDurable).isBeside)
    }

    @Test func openLaneIsWokenOnceAndTakesWhatComes() {
        var queue = queue(inTransactionOf: file())
        let opens = queue.openLane(cursors: 10, published: [])
        expect(!opens, "nothing waits")
        expectEqual(queue.append(beside(Self.a, bytes: 5)).name, "lane")
        expectEqual(queue.append(beside(Self.a, bytes: 6)).name, "accepted")
        expectEqual(lengths(queue.takeBeside()), [5, 6])
        expectEqual(
            queue.append(beside(Self.a, bytes: 7)).name,
            "accepted",
            "it has not gone to rest"
        )
        expectEqual(lengths(queue.takeBeside()), [7])
        expect(queue.takeBeside().isEmpty)
        expectEqual(queue.lengthSum, 0)
        expectEqual(queue.append(beside(Self.a)).name, "lane")
        let wasRunning = queue.closeLane()
        expect(wasRunning)
        expect(queue.takeBeside().isEmpty, "closed")
        expectEqual(queue.count, 1)
    }

    @Test func laneThatOpensTakesWhatWaits() {
        var queue = queue(inTransactionOf: file())
        for length in 1...3 { _ = queue.append(beside(Self.a, bytes: length)) }
        let opens = queue.openLane(cursors: 10, published: [])
        expect(opens)
        expectEqual(lengths(queue.takeBeside()), [1, 2], "no more than a batch")
        expectEqual(lengths(queue.takeBeside()), [3])
        expect(queue.takeBeside().isEmpty)
        let wasRunning = queue.closeLane()
        expect(!wasRunning)
    }

    @Test func laneGivesOutNoMoreCursorsThanThereAreAndNothingOvertakes() {
        var queue = queue(inTransactionOf: file())
        _ = queue.openLane(cursors: 2, published: [])
        expectEqual(queue.append(beside(Self.a, bytes: 1)).name, "lane")
        expectEqual(queue.append(beside(Self.b, Self.a, bytes: 2)).name, "accepted")
        expectEqual(lengths(queue.takeBeside()), [1])
        expect(queue.takeBeside().isEmpty, "two cursors, and one is left")
        expectEqual(queue.append(beside(Self.a, bytes: 3)).name, "accepted")
        expectEqual(queue.closeLane(), false)
        expectEqual(lengths(queue.takeBatch()), [2, 3])
    }

    @Test func exactlyTheLastCursorIsGivenOut() {
        var queue = queue(inTransactionOf: file())
        _ = queue.openLane(cursors: 2, published: [])
        expectEqual(queue.append(beside(Self.b, Self.a, bytes: 2)).name, "lane")
        expectEqual(lengths(queue.takeBeside()), [2])
    }

    @Test func topicsThatTheTransactionHasPublishedToWait() {
        var queue = queue(inTransactionOf: file())
        _ = queue.append(beside(Self.a, bytes: 1))
        _ = queue.append(beside(Self.b, bytes: 2))
        _ = queue.openLane(cursors: 10, published: [Self.a])
        expectEqual(lengths(queue.takeBeside()), [2])
        expect(queue.takeBeside().isEmpty)
        expectEqual(queue.append(beside(Self.b, Self.a, bytes: 3)).name, "accepted")
        expectEqual(queue.append(beside(Self.b, bytes: 4)).name, "accepted", "behind it")
        _ = queue.closeLane()
        expectEqual(queue.count, 3)
        expectEqual(queue.lengthSum, 8)
        expectEqual(lengths(queue.takeBatch()), [1, 3])
        expectEqual(lengths(queue.takeBatch()), [4])
        expect(queue.takeBatch().isEmpty)
    }

    @Test func topicsThatAWriteForTheFileClaimsWaitForItsBatch() {
        var queue = queue(inTransactionOf: file(claiming: Self.a))
        _ = queue.openLane(cursors: 10, published: [])
        expectEqual(queue.append(beside(Self.a, bytes: 2)).name, "accepted")
        expectEqual(queue.append(beside(Self.b, bytes: 3)).name, "lane")
        expectEqual(lengths(queue.takeBeside()), [3])
        expect(queue.takeBeside().isEmpty)
        _ = queue.closeLane()
        expectEqual(lengths(queue.takeBatch()), [2])
        expectEqual(queue.append(beside(Self.a, bytes: 4)).name, "accepted", "behind its topic")
        expectEqual(lengths(queue.takeBatch()), [4])
        expect(queue.takeBatch().isEmpty)
        expectEqual(queue.append(beside(Self.a)).name, "wakes", "the topic is free")
        let last = queue.takeBatch()
        expect(last.count == 1 && last[0].isBeside)
    }

    @Test func memoryTopicsAndTheFileTakeTurns() {
        var queue = WriteQueue(limits: limits)
        for length in 1...3 { _ = queue.append(file(bytes: 10 + length)) }
        for length in 1...5 { _ = queue.append(beside(Self.a, bytes: length)) }
        let batches = (0..<6).map { _ in lengths(queue.takeBatch()) }
        expectEqual(batches, [[1, 2], [11, 12], [3, 4], [13], [5], []])
    }

    @Test func whatCameBeforeAClaimGoesFirst() {
        var queue = WriteQueue(limits: limits)
        for length in 1...3 { _ = queue.append(beside(Self.a, bytes: length)) }
        _ = queue.append(file(claiming: Self.a, bytes: 4))
        _ = queue.append(beside(Self.b, bytes: 5))
        let batches = (0..<5).map { _ in lengths(queue.takeBatch()) }
        expectEqual(batches, [[1, 2], [3, 5], [4], [], []])
    }

    @Test func whatIsDurableByNowGoesToTheFileFirst() {
        var queue = queue(inTransactionOf: file())
        _ = queue.append(file(bytes: 1))
        _ = queue.append(beside(Self.a, bytes: 2))
        _ = queue.openLane(cursors: 10, published: [])
        let taken = queue.takeBeside()
        queue.putBack(taken)
        _ = queue.closeLane()
        expectEqual(queue.lengthSum, 3)
        let batch = queue.takeBatch()
        expectEqual(lengths(batch), [2, 1])
        expectEqual(batch.map(\.isBeside), [false, false])
    }

    @Test func allThatWaitsCountsForTheLimits() {
        let limits = StoreLimits(
            waitingWritesMax: 3,
            waitingBytesMax: 100,
            changeBytesMax: 100,
            batchWritesMax: 2
        )
        var queue = WriteQueue(limits: limits)
        _ = queue.append(file())
        _ = queue.takeBatch()
        _ = queue.openLane(cursors: 10, published: [Self.a])
        for write in [file(), beside(Self.b), beside(Self.a)] { _ = queue.append(write) }
        expectEqual(queue.append(beside(Self.b)).name, "queueFull")
        _ = queue.takeBeside()
        expectEqual(queue.append(beside(Self.b, bytes: 99)).name, "queueFull")
        expect(queue.append(beside(Self.b, bytes: 98)).name != "queueFull")
        expectEqual(queue.lengthSum, 100)
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
