import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Topics in memory alone", .timeLimit(.minutes(10)))
struct MemoryTopicsTests {
    @Test func eventsGetOffsetsAndCursorsInOneOrderWithAllOthers() async throws {
        try await withStore(isDurable: isDurable) { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            let topics = [chat, radar, chat, news, chat]
            let events = topics.map { event($0, "e") }
            let published = try await store.commit(Change(events: events)).publications
            expectEqual(published.map(\.topic), topics)
            expectEqual(published.map(\.offset), [1, 1, 2, 1, 3])
            let base = store.cursorBase
            expectEqual(published.map(\.cursor), (base + 1...base + 5).map { $0 })
            expectEqual(log.publications, published)
        }
    }

    @Test func eventsLeaveNoRow() async throws {
        try await withStore(isDurable: isDurable) { store in
            var keyed = event(chat, "a")
            keyed.idempotencyKey = "k"
            keyed.version = EventVersion(number: 1)
            _ = try await store.publish(keyed)
            let counts = try store.rowCounts()
            expect(counts.values.allSatisfy { $0 == 0 }, "\(counts)")
            try await expect(store.loadAll().isEmpty)
            let history = try await store.history(of: chat, count: 5)
            expectNil(history)
        }
    }

    @Test func batchOfOnlySuchEventsMakesNoTransaction() async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(event(chat, "reserves a block of cursors"))
            let length = store.fileLengths.log
            let before = store.statistics.transactions
            for number in 0..<100 { _ = try await store.publish(event(chat, "\(number)")) }
            var passing = event(radar, "durable, but outside of the history")
            passing.keepsHistory = false
            _ = try await store.publish(passing)
            expectEqual(store.statistics.transactions, before)
            expectEqual(store.fileLengths.log, length)
            _ = try await store.publish(event(radar, "durable"))
            expectEqual(store.statistics.transactions, before + 1)
        }
    }

    @Test(.needsFile) func cursorsAreNeverGivenTwiceThoughTheProcessIsKilled() async throws {
        try await withDirectory { directory in
            var last: UInt64 = 0
            var path = directory
            for life in 1...4 {
                let store = try openStore(path, isDurable: isDurable)
                expect(store.memoryCursorBase >= last)
                for topic in [chat, radar, chat] {
                    let outcome = try await store.publish(event(topic, "\(life)"))
                    let publication = [outcome].publications[0]
                    expect(publication.cursor > max(last, store.memoryCursorBase))
                    last = publication.cursor
                }
                let copy = directory + "/killed-\(life)"
                try copyStore(path, to: copy)
                try await store.close()
                path = copy
            }
        }
    }

    @Test func cursorsAreReservedAgainWhenABlockIsSpent() async throws {
        try await withStore(isDurable: isDurable) { store in
            let result = try await store.onSession { session in
                let writer = store.testWriter
                func commit(_ change: Change) -> WrittenBatch {
                    writer.commit([.change(change)], isDurable: isDurable, in: session)
                }
                func reserved() throws -> Int? {
                    try session.integer("SELECT cursors_reserved FROM hub")
                }
                let one = Change(events: [event(chat, "a")])
                let first = commit(one).hasTransaction
                let block = try require(reserved())
                try require(block == Int(store.cursorBase + 1 + TopicCounters.reservedBlock))
                let left = block - Int(store.cursorBase) - 1
                let many = Change(events: Array(repeating: event(chat, "b"), count: left))
                let second = commit(many).hasTransaction
                try expectEqual(reserved(), block)
                let third = commit(one).hasTransaction
                try expect(require(reserved()) > block)
                return [first, second, third]
            }
            expectEqual(result, [true, false, true])
        }
    }

    @Test func epochIsAnotherOneInEveryProcess() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory, newEpoch: "one")
            let epochs = (first.epoch, first.memoryEpoch)
            try await first.close()
            let second = try openStore(directory, newEpoch: "two")
            expectEqual(second.epoch, epochs.0)
            expect(second.memoryEpoch != epochs.1)
            expect(epochs.0 != epochs.1, "a topic may change its home, and its offsets with it")
            try await second.close()
        }
    }

    @Test func mixedChangeIsAllOrNothing() async throws {
        try await withStore(isDurable: isDurable) { store in
            let events = [event(chat, "a"), event(radar, "b")]
            let flawed = Flaw.emptyKey.added(to: Change(events: events))
            let error = await #expect(throws: StoreError.self) { try await store.commit(flawed) }
            expectEqual(error?.code, .constraint)
            let published = try await store.commit(Change(events: events)).publications
            expectEqual(published.map(\.offset), [1, 1])
            expectEqual(published.map(\.cursor), [store.cursorBase + 1, store.cursorBase + 2])
        }
    }

    @Test(.needsFile) func eventsInMemoryGoOnWhileTheFileFails() async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.publish(event(chat, "a"))
            try await store.setQueryOnly(true)
            let writes: [Write] = [chat, radar, chat].map {
                .change(Change(events: [event($0, "b")]))
            }
            let batch = try await store.pool.writeWithoutTransaction { database in
                let writer = store.testWriter
                let session = SQLSession(database)
                try database.execute(sql: "PRAGMA query_only = OFF")
                _ = writer.commit([writes[0]], isDurable: isDurable, in: session)
                try database.execute(sql: "PRAGMA query_only = ON")
                return writer.commit(writes, isDurable: isDurable, in: session)
            }
            expectEqual(batch.results.map(\.isSuccess), [true, false, true])
            let outcomes = batch.results.flatMap { (try? $0.get().outcomes) ?? [] }
            expectEqual(outcomes.publications.map(\.offset), [2, 3], "no gap for what failed")
            let cursors = outcomes.publications.map(\.cursor)
            expectEqual(cursors[1], cursors[0] + 1)
            let own = try await store.publish(event(chat, "c"))
            expectEqual([own].publications.map(\.offset), [2])
            try await store.setQueryOnly(false)
        }
    }

    @Test func firstPublicationNeedsNoFileOnceCursorsAreReserved() async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.reserveCursors()
            try await store.setQueryOnly(true)
            let outcome = try await store.publish(event(chat, "a"))
            expectEqual([outcome].publications.map(\.offset), [1])
            await #expect(throws: StoreError.self) { try await store.publish(event(radar, "b")) }
            try await store.setQueryOnly(false)
        }
    }

    @Test func cursorsAreReservedOnlyWhenHalfOfThemAreGone() async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.reserveCursors()
            let transactions = store.statistics.transactions
            try await store.reserveCursors()
            _ = try await store.publish(event(chat, "a"))
            expectEqual(store.statistics.transactions, transactions)
            let counts = try await store.onSession { session in
                var counters = store.testWriter.counters
                try counters.reserve(in: session)
                let half = Int(TopicCounters.reservedBlock / 2)
                let before = counters.hasReserved(half)
                for _ in 0...half { _ = try counters.nextCursorWithoutRow(in: session) }
                return [before, counters.hasReserved(half)]
            }
            expectEqual(counts, [true, false])
        }
    }

    @Test func topicOverTheLimitIsRefusedAndOthersGoOn() async throws {
        let limits = StoreLimits(memoryTopicsMax: 2)
        try await withStore(isDurable: isDurable, limits: limits) { store in
            let names = ["chat:1", "chat:2", "chat:3"].map { Topic(trusted: $0) }
            _ = try await store.publish(event(names[0], "a"))
            let change = Change(events: [event(names[1], "b"), event(names[2], "c")])
            let error = await #expect(throws: StoreError.self) { try await store.commit(change) }
            expectEqual(error?.code, .tooManyTopics)
            expectEqual(error?.message, "2 topics in memory, the limit")
            let second = try await store.publish(event(names[1], "d"))
            expectEqual([second].publications.map(\.offset), [1], "the change was taken back whole")
            let first = try await store.publish(event(names[0], "e"))
            expectEqual([first].publications.map(\.offset), [2])
            _ = try await store.publish(event(radar, "durable topics do not count"))
        }
    }

    @Test func topicThatChangesItsHomeCountsOnInEach() async throws {
        try await withStore { store in
            var offsets: [UInt64] = []
            for isDurable in [true, false, false, true, false] {
                store.setDurability { _ in isDurable }
                let outcome = try await store.publish(event(radar, "e"))
                offsets += [outcome].publications.map(\.offset)
            }
            expectEqual(offsets, [1, 1, 2, 2, 3])
            try await expect(store.loadAll().isEmpty, "the topic is in memory")
            store.setDurability { _ in true }
            try await expectEqual(store.loadAll().map(\.topOffset), [2])
        }
    }
}

@Suite("Counters of topics in memory", .timeLimit(.minutes(10)))
struct MemoryTopicCountersTests {
    private var topics = MemoryTopics(
        limits: StoreLimits(idempotencyWindow: .seconds(10), idempotencyKeysMax: 3)
    )

    private func time(_ seconds: Int) -> Timestamp { startOfTests + .seconds(seconds) }

    @Test mutating func rollBackReturnsToTheMark() {
        _ = topics.next(of: chat, at: time(0), cursor: 1, beginning: 0)
        topics.remember("a", in: chat, offset: 1, at: time(0))
        topics.set(EventVersion(number: 1), of: chat, at: time(0))
        let mark = topics.mark
        let second = topics.next(of: chat, at: time(20), cursor: 2, beginning: 9)
        expectEqual(second.topOffset, 2)
        expectEqual(second.beginning, 0, "only the first one begins an epoch")
        topics.remember("a", in: chat, offset: 2, at: time(20))
        topics.remember("b", in: chat, offset: 2, at: time(20))
        topics.set(EventVersion(number: 2), of: chat, at: time(20))
        topics.rollBack(to: mark)
        expectEqual(topics[chat].topOffset, 1)
        expectEqual(topics[chat].topCursor, 1)
        expectEqual(topics[chat].time, time(0))
        expectEqual(topics[chat].version, EventVersion(number: 1))
        expectEqual(topics.offset(of: "a", in: chat, at: time(0)), 1)
        expectNil(topics.offset(of: "b", in: chat, at: time(0)))
        expectEqual(topics.keyCount, 1)
    }

    @Test mutating func forgottenTopicIsThereAgainAfterARollBack() {
        let other = Topic(trusted: "chat:2")
        _ = topics.next(of: chat, at: time(0), cursor: 1, beginning: 0)
        _ = topics.next(of: other, at: time(1), cursor: 2, beginning: 0)
        let mark = topics.mark
        topics.forget(chat)
        topics.forget(Topic(trusted: "chat:unknown"))
        expectNil(topics.row(of: chat))
        _ = topics.next(of: chat, at: time(2), cursor: 3, beginning: 2)
        expectEqual(topics[chat].beginning, 2)
        topics.rollBack(to: mark)
        expectEqual(topics[chat].topCursor, 1)
        expectEqual(topics[chat].beginning, 0)
        expectEqual(topics[other].topCursor, 2)
    }

    @Test mutating func quietTopicsAreThoseWithoutAnEventSince() {
        for number in 0..<4 {
            let topic = Topic(trusted: "chat:\(number)")
            _ = topics.next(of: topic, at: time(number), cursor: UInt64(number), beginning: 0)
        }
        let kept = Topic(trusted: "chat:0")
        let quiet = topics.quietTopics(latest: time(9)) { topic in
            topic == kept ? nil : startOfTests + .seconds(2)
        }
        expectEqual(quiet, [QuietTopic(topic: Topic(trusted: "chat:1"), before: time(2))])
        expectEqual(topics.quietTopics(latest: time(1)) { _ in .init(milliseconds: .max) }.count, 1)
    }

    @Test mutating func oldestKeysAreForgottenByCountAndAge() {
        for number in 0..<5 {
            topics.remember("\(number)", in: chat, offset: 1, at: time(number))
        }
        topics.beginTransaction()
        expectEqual(topics.keyCount, 3)
        topics.remember("late", in: chat, offset: 1, at: time(14))
        topics.beginTransaction()
        expectEqual(topics.keyCount, 2, "one was 10 s old, the limit")
        expectEqual(topics.offset(of: "4", in: chat, at: time(14)), 1)
        expectNil(topics.offset(of: "4", in: chat, at: time(15)))
    }

    @Test mutating func keyThatWasRememberedAgainOutlivesItsFirstPlace() {
        topics.remember("a", in: chat, offset: 1, at: time(0))
        topics.remember("b", in: chat, offset: 2, at: time(9))
        topics.remember("a", in: chat, offset: 3, at: time(11))
        topics.beginTransaction()
        expectEqual(topics.keyCount, 2)
        expectEqual(topics.offset(of: "a", in: chat, at: time(11)), 3)
    }
}
