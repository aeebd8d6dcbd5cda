import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Commits", .timeLimit(.minutes(10)))
struct CommitTests {
    @Test func changeGetsOffsetsPerTopicAndCursorsInItsOrder() async throws {
        try await withStore { store in
            let base = store.cursorBase
            let events = [event(radar, "a"), event(news, "b"), event(radar, "c", at: 5)]
            let committed = try await store.commit(Change(events: events))
            expectEqual(committed.publications.map(\.topic), [radar, news, radar])
            expectEqual(committed.publications.map(\.offset), [1, 1, 2])
            expectEqual(committed.publications.map(\.cursor), [base + 1, base + 2, base + 3])
            expectEqual(committed.publications.map(text), ["a", "b", "c"])
            expectEqual(committed.publications[2].time, startOfTests + .seconds(5))
        }
    }

    @Test func domainEventIsPublishedAsItsCloudEvent() {
        let domainEvent = Event(
            id: "1",
            type: "radar.refreshed",
            source: "/radar",
            subject: "1",
            time: startOfTests,
            data: Array("{}".utf8)
        )
        let event = TopicEvent(topic: radar, event: domainEvent)
        expectEqual(event.payload, domainEvent.cloudEvent())
        expectEqual(event.time, startOfTests)
    }

    @Test func emptyChangeIsCommittedAndTellsNobody() async throws {
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            let committed = try await store.commit(Change())
            expect(committed.publications.isEmpty)
            expect(log.publications.isEmpty)
            expectEqual(store.statistics.writesCommitted, 1)
        }
    }

    @Test func eachTransactionIsTimedAndEventsWithoutRowsAreNone() async throws {
        try await withStore(isDurable: { $0 == radar }) { store in
            let memory = Topic(trusted: "memory:1")
            // The first one has cursors reserved for all that follow.
            _ = try await store.commit(Change(events: [event(memory, "0")]))
            let durations = Locked<[Duration]>([])
            store.observe(\.transaction) { duration in durations.withLock { $0.append(duration) } }
            _ = try await store.commit(Change(events: [event(radar, "1")]))
            _ = try await store.commit(Change(events: [event(memory, "2")]))
            _ = try await store.commit(Change(events: [event(radar, "3")]))
            expectEqual(durations.withLock { $0.count }, 2)
            expect(durations.withLock { $0 }.allSatisfy { $0 > .zero })
        }
    }

    @Test func manyCallersGetOffsetsWithoutHolesAndTheHandlerHearsThemInOrder() async throws {
        let topics = (0..<7).map { Topic(trusted: "topic:\($0)") }
        let (callers, commitsEach) = (32, 40)
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        for number in 0..<commitsEach {
                            let topic = topics[(caller + number) % topics.count]
                            let change = Change(events: [event(topic, "\(caller)/\(number)")])
                            let committed = try await store.commit(change)
                            let isAnnounced = log.contains(committed.publications[0])
                            expect(isAnnounced, "the handler hears before the caller")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let announced = log.publications
            let count = UInt64(callers * commitsEach)
            let cursors = Array(store.cursorBase + 1...store.cursorBase + count)
            expectEqual(announced.map(\.cursor), cursors)
            for topic in topics {
                let offsets = announced.filter { $0.topic == topic }.map(\.offset)
                expectEqual(offsets, Array(1...UInt64(offsets.count)))
            }
            let stored = try await store.loadAll().flatMap(\.publications).sorted {
                $0.cursor < $1.cursor
            }
            expectEqual(stored, announced)
        }
    }

    @Test func writesOfOneCallerStayInOrder() async throws {
        try await withStore { store in
            try await store.commit((1...50).map { event(radar, "\($0)") })
            let stored = try await store.loadAll()[0].publications
            expectEqual(stored.map(text), (1...50).map { "\($0)" })
        }
    }

    @Test func whatWaitsForTheWriterSharesOneTransaction() async throws {
        try await withStore { store in
            let results = try await holdingWriter(of: store, queued: 20) {
                (1...20).map { number in
                    Task { try await store.commit(Change(events: [event(news, "\(number)")])) }
                }
            }
            let publications = try results.flatMap { try $0.get().publications }
            expectEqual(Set(publications.map(\.offset)), Set(1...20))
            expectEqual(store.statistics.transactions, 2)
            expectEqual(store.statistics.batchLengthMax, 20)
            expectEqual(store.statistics.publications, 21)
        }
    }

    @Test func batchIsLimited() async throws {
        try await withStore(limits: StoreLimits(batchWritesMax: 8)) { store in
            _ = try await holdingWriter(of: store, queued: 17) {
                (1...17).map { number in
                    Task { try await store.commit(Change(events: [event(news, "\(number)")])) }
                }
            }
            expectEqual(store.statistics.batchLengthMax, 8)
            expectEqual(store.statistics.transactions, 1 + 3)
        }
    }

    @Test func forgottenTopicsAreCountedOnFromTheFile() async throws {
        try await withStore(limits: StoreLimits(topicsCachedMax: 1)) { store in
            for round in 1...3 {
                for name in ["a", "b", "c"] {
                    let change = Change(events: [event(Topic(trusted: name), "\(round)")])
                    let committed = try await store.commit(change)
                    expectEqual(committed.publications[0].offset, UInt64(round))
                }
            }
        }
    }

    @Test func fullQueueRefusesAndTakesWritesAgainWhenThereIsRoom() async throws {
        let limits = StoreLimits(waitingWritesMax: 2, batchWritesMax: 2)
        try await withStore(limits: limits) { store in
            let results = try await holdingWriter(of: store, queued: 2) {
                (1...2).map { number in
                    Task { try await store.commit(Change(events: [event(news, "\(number)")])) }
                }
            } whileHeld: {
                let error = await #expect(throws: StoreError.self) {
                    try await store.commit(Change(events: [event(news, "refused")]))
                }
                expectEqual(error?.code, .queueFull)
                expectEqual(store.statistics.writesRefused, 1)
            }
            expect(results.allSatisfy { $0.failure == nil })
            let committed = try await store.commit(Change(events: [event(news, "later")]))
            expectEqual(committed.publications[0].offset, 3)
        }
    }

    @Test func changeAtTheLimitIsTakenAndOneByteMoreIsRefused() async throws {
        let limits = StoreLimits(changeBytesMax: 1000)
        try await withStore(limits: limits) { store in
            let payloadMax = 1000 - Change.rowBytes
            let fits = String(repeating: "x", count: payloadMax)
            _ = try await store.commit(Change(events: [event(news, fits)]))
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(Change(events: [event(news, fits + "x")]))
            }
            expectEqual(error?.code, .changeTooBig)
            expectEqual(error?.message, "change length 1001 over limit 1000")
        }
    }

    @Test func closedStoreRefusesAndCloseCanBeRepeated() async throws {
        try await withStore { store in
            try await store.close()
            try await store.close()
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(Change(events: [event(news, "late")]))
            }
            expectEqual(error?.code, .closed)
            expectEqual(store.statistics.writesRefused, 1)
        }
    }

    @Test func closeCarriesOutWhatWasAccepted() async throws {
        try await withDirectory { directory in
            let store = try openStore(directory)
            let closing = Locked<Task<Void, any Error>?>(nil)
            let results = try await holdingWriter(of: store, queued: 5) {
                (1...5).map { number in
                    Task { try await store.commit(Change(events: [event(news, "\(number)")])) }
                }
            } whileHeld: {
                let task = Task { try await store.close() }
                closing.withLock { $0 = task }
                while !store.queue.withLock({ $0.isClosed }) { await Task.yield() }
            }
            expect(results.allSatisfy { $0.failure == nil })
            try await closing.withLock { $0 }?.value
            let again = try openStore(directory)
            try await expectEqual(again.loadAll().map(\.topOffset), [1, 5])
            try await again.close()
        }
    }

    @Test func cancelledCallerGetsWhatWasCommitted() async throws {
        try await withStore { store in
            let waiting = Locked<Task<Committed, any Error>?>(nil)
            let results = try await holdingWriter(of: store, queued: 1) {
                let task = Task { try await store.commit(Change(events: [event(news, "a")])) }
                waiting.withLock { $0 = task }
                return [task]
            } whileHeld: {
                waiting.withLock { $0 }?.cancel()
            }
            try expectEqual(results[0].get().publications.map(\.offset), [1])
        }
    }

    @Test func writableStoreSaysSo() async throws {
        try await withStore { store in
            try await store.checkWritable()
            let left = try await store.onSession { try $0.integer("SELECT count(*) FROM probe") }
            expectEqual(left, 0)
            try await store.setQueryOnly(true)
            let error = await #expect(throws: StoreError.self) { try await store.checkWritable() }
            expectEqual(error?.code, .readOnly)
            try await store.setQueryOnly(false)
        }
    }

    /// A thousand pages of 4 KiB, and what the last commits have added before it was looked at.
    @Test(.needsFile) func longLogIsMovedIntoTheFile() async throws {
        try await withStore { store in
            let text = String(repeating: "x", count: 100_000)
            for _ in 0..<200 { _ = try await store.publish(event(news, text)) }
            try await store.commit([event(news, "behind the last checkpoint")])
            expect(store.fileLengths.log < 6 << 20)
            expect(store.fileLengths.database > 14 << 20)
        }
    }

    @Test(.needsFile) func checkpointEmptiesTheLog() async throws {
        try await withStore { store in
            try await store.commit([event(news, "a")])
            expect(store.fileLengths.log > 0)
            try await store.checkpoint()
            expectEqual(store.fileLengths.log, 0)
            expect(store.fileLengths.database > 0)
            let frames = try await store.pool.writeWithoutTransaction { database in
                try database.checkpoint(.passive).walFrameCount
            }
            expectEqual(frames, 0)
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
        }
    }
}

extension Result {
    /// The store's error, when it is one.
    var failure: StoreError? {
        switch self {
        case .success: nil
        case .failure(let error): error as? StoreError
        }
    }
}
