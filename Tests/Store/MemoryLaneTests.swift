import Expectations
import GRDB
import Glibc
import SeededRandom
import StoreTesting

@testable import Store

/// Memory topics while a transaction waits for the disk.
@Suite("Memory topics beside a transaction", .timeLimit(.minutes(10)))
struct MemoryLaneTests {
    private let chat2 = Topic(trusted: "chat:2")

    /// A store that has used memory topics, its disk, and all that it announced since.
    private func withSlowStore(
        _ body: (HubStore, SlowDisk, CommitLog, _ directory: String) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            let disk = SlowDisk()
            let store = try openStore(
                directory,
                isDurable: isDurable,
                commit: { try disk.commit($0) }
            )
            _ = try await store.publish(event(chat, "reserves cursors"))
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            try await body(store, disk, log, directory)
            let cursors = log.publications.map(\.cursor)
            expect(cursors == cursors.sorted() && Set(cursors).count == cursors.count)
            try await store.close()
        }
    }

    @Test func theyAreAnnouncedBeforeTheTransactionThatWaits() async throws {
        try await withSlowStore { store, disk, log, _ in
            let result = try await disk.holding {
                try await store.publish(event(radar, "durable"))
            } while: {
                for number in 1...3 { _ = try await store.publish(event(chat, "\(number)")) }
                expectEqual(log.publications.map(text), ["1", "2", "3"])
                expectEqual(log.publications.map(\.offset), [2, 3, 4])
            }
            expect(result.isSuccess)
            _ = try await store.publish(event(chat, "4"))
            expectEqual(log.publications.map(text), ["1", "2", "3", "durable", "4"])
            expectEqual(log.publications.last?.offset, 5)
        }
    }

    @Test(.needsFile, arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR_FSYNC])
    func theyStayWhenTheTransactionFails(_ code: ResultCode) async throws {
        try await withSlowStore { store, disk, log, _ in
            let failure = DatabaseError(resultCode: code)
            let result = try await disk.holding(failure: failure) {
                let mixed = Change(events: [event(radar, "durable"), event(chat2, "with it")])
                return try await store.commit(mixed)
            } while: {
                _ = try await store.publish(event(chat, "beside"))
            }
            expect(!result.isSuccess)
            _ = try await store.publish(event(chat, "after"))
            _ = try await store.publish(event(chat2, "first"))
            _ = try await store.publish(event(radar, "again"))
            expectEqual(log.publications.map(text), ["beside", "after", "first", "again"])
            expectEqual(log.publications.map(\.offset), [2, 3, 1, 1])
        }
    }

    @Test func topicOfTheTransactionWaitsForItsEnd() async throws {
        try await withSlowStore { store, disk, log, _ in
            let chat = chat
            let waiting = Locked<[Task<EventOutcome, any Error>]>([])
            let result = try await disk.holding {
                let mixed = Change(events: [event(chat, "with it"), event(radar, "durable")])
                return try await store.commit(mixed)
            } while: {
                for number in 1...2 {
                    let task = Task { try await store.publish(event(chat, "behind \(number)")) }
                    waiting.withLock { $0.append(task) }
                    while store.statistics.writesWaiting < number { await Task.yield() }
                }
                _ = try await store.publish(event(chat2, "beside"))
                expectEqual(log.publications.map(text), ["beside"])
            }
            expect(result.isSuccess)
            for task in waiting.withLock({ $0 }) { _ = try await task.value }
            let texts = ["beside", "with it", "durable", "behind 1", "behind 2"]
            expectEqual(log.publications.map(text), texts)
            let offsets = log.publications.filter { $0.topic == chat }.map(\.offset)
            expectEqual(offsets, [2, 3, 4])
        }
    }

    @Test func changeForTwoTopicsWaitsForBoth() async throws {
        try await withSlowStore { store, disk, log, _ in
            let (chat, chat2) = (chat, chat2)
            let waiting = Locked<[Task<Void, any Error>]>([])
            _ = try await disk.holding {
                let mixed = Change(events: [event(chat, "with it"), event(radar, "durable")])
                return try await store.commit(mixed)
            } while: {
                let both = Change(events: [event(chat2, "both"), event(chat, "both")])
                let changes = [both, Change(events: [event(chat2, "behind both")])]
                for (index, change) in changes.enumerated() {
                    let task = Task { _ = try await store.commit(change) }
                    waiting.withLock { $0.append(task) }
                    while store.statistics.writesWaiting <= index { await Task.yield() }
                }
                expect(log.publications.isEmpty)
            }
            for task in waiting.withLock({ $0 }) { try await task.value }
            let texts = ["with it", "durable", "both", "both", "behind both"]
            expectEqual(log.publications.map(text), texts)
        }
    }

    @Test func publicationBehindARemovalIsNotRemoved() async throws {
        try await withSlowStore { store, disk, log, _ in
            let chat = chat
            let removals = Locked<[HistoryRemoval]>([])
            store.observe(\.removed) { removal in removals.withLock { $0.append(removal) } }
            let waiting = Locked<[Task<Void, any Error>]>([])
            _ = try await disk.holding {
                try await store.publish(event(radar, "durable"))
            } while: {
                let removing = Task { _ = try await store.removeHistory(of: chat) }
                waiting.withLock { $0.append(removing) }
                while store.statistics.writesWaiting < 1 { await Task.yield() }
                let publishing = Task { _ = try await store.publish(event(chat, "behind")) }
                waiting.withLock { $0.append(publishing) }
                while store.statistics.writesWaiting < 2 { await Task.yield() }
                expect(log.publications.isEmpty)
            }
            for task in waiting.withLock({ $0 }) { try await task.value }
            expectEqual(removals.withLock { $0.map(\.throughOffset) }, [1])
            expectEqual(log.publications.map(\.offset), [1, 2])
        }
    }

    @Test func flawedChangeLeavesNothingAndHarmsNoOther() async throws {
        try await withSlowStore { store, disk, log, _ in
            let (chat, chat2) = (chat, chat2)
            _ = try await disk.holding {
                try await store.publish(event(radar, "durable"))
            } while: {
                var keyless = event(chat2, "b")
                keyless.idempotencyKey = ""
                let flawed = Change(events: [event(chat, "a"), keyless])
                let error = await #expect(throws: StoreError.self) {
                    try await store.commit(flawed)
                }
                expectEqual(error?.code, .constraint)
                _ = try await store.publish(event(chat, "c"))
                _ = try await store.publish(event(chat2, "d"))
            }
            expectEqual(log.publications.map(text), ["c", "d", "durable"])
            expectEqual(log.publications.map(\.offset), [2, 1, 1])
        }
    }

    @Test func keysAndVersionsCountBesideATransaction() async throws {
        try await withSlowStore { store, disk, _, _ in
            var first = event(chat, "a")
            first.idempotencyKey = "key"
            first.version = EventVersion(number: 7)
            var again = event(chat, "b")
            again.idempotencyKey = "key"
            var older = event(chat, "c")
            older.version = EventVersion(number: 7)
            let epoch = store.memoryEpoch
            let failure = DatabaseError(resultCode: .SQLITE_FULL)
            let chat2 = chat2
            _ = try await disk.holding(failure: failure) {
                var keyed = event(chat2, "with the transaction")
                keyed.idempotencyKey = "key"
                return try await store.commit(Change(events: [keyed, event(radar, "durable")]))
            } while: {
                _ = try await store.publish(first)
                let position = Position(offset: 2, epoch: epoch)
                try await expectEqual(store.publish(again), .duplicate(position))
                try await expectEqual(store.publish(older), .stale(position))
            }
            let position = Position(offset: 2, epoch: epoch)
            try await expectEqual(store.publish(again), .duplicate(position))
            var free = event(chat2, "the key of what failed is free")
            free.idempotencyKey = "key"
            expectEqual([try await store.publish(free)].publications.map(\.offset), [1])
        }
    }

    @Test(.needsFile) func cursorsBesideATransactionAreNotGivenAgainAfterAKill() async throws {
        try await withSlowStore { store, disk, log, directory in
            _ = try await disk.holding {
                try await store.publish(event(radar, "durable"))
            } while: {
                _ = try await store.publish(event(chat, "beside"))
                try copyStore(directory, to: directory + "/killed")
            }
            let next = try openStore(directory + "/killed", isDurable: isDurable)
            expect(next.memoryCursorBase >= log.publications[0].cursor)
            try await next.close()
        }
    }

    @Test func topicThatBecameDurableGetsARow() async throws {
        try await withSlowStore { store, disk, log, _ in
            let chat = chat
            let waiting = Locked<[Task<EventOutcome, any Error>]>([])
            _ = try await disk.holding {
                let mixed = Change(events: [event(chat, "with it"), event(radar, "durable")])
                return try await store.commit(mixed)
            } while: {
                let task = Task { try await store.publish(event(chat, "durable by now")) }
                waiting.withLock { $0.append(task) }
                while store.statistics.writesWaiting < 1 { await Task.yield() }
                store.setDurability { _ in true }
            }
            for task in waiting.withLock({ $0 }) { _ = try await task.value }
            expectEqual(log.publications.map(text), ["with it", "durable", "durable by now"])
            let stored = try await store.loadAll().first { $0.topic == chat }
            expectEqual(stored?.publications.map(text), ["durable by now"])
        }
    }

    /// The writer and the lane in turn, as fast as they can: one order of cursors, no offset
    /// missing, and every caller's publications in the order of its calls.
    @Test func oneOrderWhateverTheDiskDoes() async throws {
        try await withDirectory { directory in
            let random = Locked(SeededGenerator(seed: 7))
            let fails = Locked(0)
            let store = try openStore(directory, isDurable: isDurable) { session in
                let number = random.withLock { Int.random(in: 0..<10, using: &$0) }
                for _ in 0..<(number * 500) { sched_yield() }
                if number == 0 {
                    fails.withLock { $0 += 1 }
                    throw DatabaseError(resultCode: .SQLITE_FULL)
                }
                try session.commit()
            }
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            let accepted = await withTaskGroup(of: [Publication].self) { group in
                for caller in 0..<6 {
                    group.addTask {
                        var accepted: [Publication] = []
                        for number in 0..<150 {
                            let own = Topic(trusted: "chat:\(caller)")
                            var events = [event(caller < 4 ? own : radar, "\(caller) \(number)")]
                            if number % 10 == caller { events.append(event(chat, "mixed")) }
                            if number % 15 == caller { events.append(event(news, "mixed")) }
                            let committed = try? await store.commit(Change(events: events))
                            accepted += committed?.publications ?? []
                        }
                        return accepted
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            expect(fails.withLock { $0 } > 0)
            let announced = log.publications
            expectEqual(Set(announced.map(\.cursor)), Set(accepted.map(\.cursor)))
            expectEqual(announced.count, accepted.count)
            expect(zip(announced, announced.dropFirst()).allSatisfy { $0.cursor < $1.cursor })
            for (topic, publications) in Dictionary(grouping: announced, by: \.topic) {
                let offsets = publications.map(\.offset)
                expectEqual(offsets, Array(1...UInt64(offsets.count)), "\(topic)")
            }
            try await store.close()
        }
    }
}
