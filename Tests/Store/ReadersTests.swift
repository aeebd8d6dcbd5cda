import Dispatch
import Expectations
import GRDB
import StoreTesting

@testable import Store

/// Reads on a pool of one thread. The hub has such a pool on a machine with one core.
@Suite("Readers on a pool of one thread", .needsFile, .timeLimit(.minutes(10)))
struct ReadersTests {
    /// Two reads hold both readers, and their callers need the thread to go on. The third read
    /// begins on this thread in the moment in which the other two end.
    @Test func readThatBeginsWhileBothReadersAreHeldEnds() async throws {
        try await withStore { store in
            try await store.commit([event(news, "a")])
            let gate = Gate()
            let reads = (0..<2).map { _ in
                Task(executorPreference: OneThread.executor) {
                    try await store.reading { _ in gate.pass() }
                }
            }
            let third = Task(executorPreference: OneThread.executor) {
                await gate.waitUntilReached(by: 2)
                gate.open()
                return try await store.loadTopics(now: startOfTests) { _ in unlimited }
            }
            try await expectEqual(third.value.map(\.topic), [news])
            for read in reads { try await read.value }
        }
    }

    /// A read has answered before its snapshot ends, so a store can be closed in between.
    @Test func closingWaitsForSnapshotsThatAreStillOpen() async throws {
        try await withStore { store in
            try await store.commit([event(news, "a")])
            let gate = Gate()
            store.pool.asyncRead { database in
                _ = try? Int.fetchOne(database.get(), sql: "SELECT count(*) FROM publication")
                gate.pass()
            }
            await gate.waitUntilReached(by: 1)
            try await store.commit([event(news, "b")])
            let closing = Task { try await store.close() }
            // It is closed for writes first, and empties the log behind those that came before.
            while (try? await store.commit([event(news, "c")])) != nil { await Task.yield() }
            await store.onWriter { _, _ in }
            gate.open()
            try await closing.value
        }
    }

    @Test func storeIsOpenedAndClosedWithoutBlockingTheThread() async throws {
        try await withDirectory { directory in
            let task = Task(executorPreference: OneThread.executor) {
                let order = Locked<[String]>([])
                // Queued behind this task: it runs as soon as the task gives the thread free.
                let other = Task(executorPreference: OneThread.executor) {
                    order.withLock { $0.append("other") }
                }
                let store = try await HubStore.opened(
                    StoreOptions(path: directory + "/varde.sqlite"),
                    wall: startOfTests,
                    newEpoch: "epoch-1"
                )
                order.withLock { $0.append("opened") }
                await other.value
                try await store.close()
                return order.withLock { $0 }
            }
            let order = try await task.value
            expectEqual(order, ["other", "opened"])
        }
    }
}

/// Runs tasks as a cooperative pool of one thread does.
private final class OneThread: TaskExecutor {
    static let executor = OneThread()
    private let queue = DispatchQueue(label: "one-thread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Holds threads until it is opened, and reports how many it holds.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let passing = AsyncStream<Void>.makeStream()
    private let heldCount = Locked(0)

    /// Blocks the thread until the gate is open.
    func pass() {
        heldCount.withLock { $0 += 1 }
        passing.continuation.yield()
        semaphore.wait()
    }

    func waitUntilReached(by count: Int) async {
        var seen = 0
        for await _ in passing.stream {
            seen += 1
            if seen == count { return }
        }
    }

    func open() {
        for _ in 0..<heldCount.withLock({ $0 }) { semaphore.signal() }
    }
}
