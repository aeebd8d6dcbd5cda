import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Trimming publications", .timeLimit(.minutes(10)))
struct TrimmingTests {
    @Test(arguments: [0, 1, 3, 9, 10, 11])
    func countKeepsTheNewest(_ count: Int) async throws {
        try await withStore { store in
            try await store.commit((1...10).map { event(radar, "\($0)") })
            let limit = HistoryLimit(count: count, age: nil)
            let deleted = try await store.trimPublications(now: startOfTests) { _ in limit }
            let missing = max(0, 10 - count)
            expectEqual(deleted, missing)
            let topic = try await store.loadAll()[0]
            expectEqual(topic.publications.map(\.offset), (1...10).suffix(count).map { UInt64($0) })
            expectEqual(topic.topOffset, 10)
            expectEqual(
                topic.evictedCursor,
                (missing == 0 ? 0 : store.cursorBase + UInt64(missing))
            )
        }
    }

    @Test func ageDeletesWhatIsOlderAndNotWhatIsExactlyAsOld() async throws {
        try await withStore { store in
            try await store.commit([0, 10, 20].map { event(radar, "\($0)", at: $0) })
            let limit = HistoryLimit(count: 100, age: .seconds(10))
            let now = startOfTests + .seconds(20)
            try await expectEqual(store.trimPublications(now: now) { _ in limit }, 1)
            let later = now + .milliseconds(1)
            try await expectEqual(store.trimPublications(now: later) { _ in limit }, 1)
            try await expectEqual(store.loadAll()[0].publications.map(text), ["20"])
        }
    }

    @Test func topicThatCannotBeReadDoesNotKeepTheOthers() async throws {
        try await withStore { store in
            let notices = Locked<[StoreNotice]>([])
            store.setNoticeHandler { notice in notices.withLock { $0.append(notice) } }
            try await store.commit([event(radar, "a"), event(radar, "b")])
            try await store.commit((1...4).map { event(news, "\($0)") })
            try await store.onSession { session in
                try session.run("UPDATE topic SET name = 'no topic' WHERE name = ?", [radar.name])
            }
            let deleted = try await store.trimPublications(now: startOfTests) { _ in
                HistoryLimit(count: 1, age: nil)
            }
            expectEqual(deleted, 3)
            expect(notices.withLock { $0 }.contains { $0.isOfTopic(1) })
            let found = try await store.history(of: news, count: 9)
            expectEqual(found?.publications.map(\.offset), [4])
            let first = try await store.listTopics(afterRow: 0, count: 1)
            expect(first.topics.isEmpty)
            let rest = try await store.listTopics(afterRow: first.next ?? 9, count: 9)
            expectEqual(rest.topics.map(\.topic), [news])
        }
    }

    @Test func quietTopicIsDeletedBesideOneThatCannotBeRead() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "a"), event(news, "b")])
            try await store.onSession { session in
                try session.run("UPDATE topic SET name = '' WHERE name = ?", [radar.name])
            }
            try await store.trimPublications(now: startOfTests) { _ in nothing }
            let later = startOfTests + .seconds(30 * 86_400)
            let deleted = try await store.forgetTopics(
                now: later,
                quietTime: { _ in .seconds(1) },
                unused: { $0 }
            )
            expectEqual(deleted, 1)
        }
    }

    @Test(.needsFile) func publicationWithDamagedColumnsDoesNotKeepTheOthers() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { event(radar, "\($0)", at: $0) })
            try await store.onSession { session in
                try session.database.execute(
                    sql: """
                        PRAGMA ignore_check_constraints = ON;
                        UPDATE publication SET time = -1 WHERE topic_offset = 2;
                        """
                )
            }
            let limit = HistoryLimit(count: 100, age: .seconds(2))
            let now = startOfTests + .seconds(6)
            try await expectEqual(store.trimPublications(now: now) { _ in limit }, 3)
        }
    }

    @Test func topicWithoutLimitIsLeftAlone() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "a"), event(news, "b")])
            let deleted = try await store.trimPublications(now: startOfTests) {
                $0 == news ? nothing : nil
            }
            expectEqual(deleted, 1)
            try await expectEqual(store.loadAll().map(\.publications.count), [1, 0])
        }
    }

    @Test(.needsFile) func noTransactionOfALongTrimIsLong() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 10)) { store in
            let events = (0..<7).flatMap { topic in
                (0..<35).map { event(Topic(trusted: "topic:\(topic)"), "\($0)") }
            }
            _ = try await store.commit(Change(events: events))
            let log = DeletionLog()
            store.pool.add(transactionObserver: log)
            let limit = HistoryLimit(count: 2, age: nil)
            let deleted = try await store.trimPublications(now: startOfTests) { _ in limit }
            expectEqual(deleted, 7 * 33)
            let transactions = log.transactions.filter { $0 > 0 }
            expectEqual(transactions, Array(repeating: 10, count: 23) + [1])
            for topic in try await store.loadAll() {
                expectEqual(topic.topOffset, 35)
                expectEqual(topic.publications.map(text), ["33", "34"])
            }
        }
    }

    @Test(.needsFile) func publisherWaitsForOneTransactionOfATrimAtMost() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 10)) { store in
            _ = try await store.commit(Change(events: (0..<100).map { event(radar, "\($0)") }))
            let log = DeletionLog()
            let waits = Locked<[Int]>([])
            // A publisher comes while each transaction of the trim is being committed, and waits
            // for the one after it if they come together.
            log.onDeletion = {
                let before = log.deletionCount
                let change = Change(state: [StateRow(domain: "d", key: "k", value: [1])])
                store.commit(change) { result in
                    expect(result.isSuccess)
                    waits.withLock { $0.append(log.deletionCount - before) }
                }
            }
            store.pool.add(transactionObserver: log)
            try await store.trimPublications(now: startOfTests) { _ in nothing }
            try await store.checkWritable()
            expectEqual(waits.withLock { $0 }.count, 10)
            expect(waits.withLock { $0 }.allSatisfy { (0...1).contains($0) })
            // It knows the log and the store.
            log.onDeletion = {}
        }
    }

    @Test func moreTopicsThanOneSnapshotTakesAreAllTrimmed() async throws {
        try await withStore { store in
            let events = (0..<600).map { event(Topic(trusted: "topic:\($0)"), "only") }
            _ = try await store.commit(Change(events: events))
            let deleted = try await store.trimPublications(now: startOfTests) { _ in
                nothing
            }
            expectEqual(deleted, 600)
            try await expect(store.loadAll().allSatisfy { $0.topOffset == 1 })
        }
    }

    @Test func topicTrimmedToNothingCountsOnAfterRestart() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "a"), event(radar, "b")])
            let deleted = try await first.trimPublications(now: startOfTests) { _ in nothing }
            expectEqual(deleted, 2)
            try await first.close()

            let second = try openStore(directory)
            let topic = try await second.loadAll()[0]
            expectEqual(topic.topOffset, 2)
            expectEqual(topic.evictedCursor, second.cursorBase + 2)
            expect(topic.publications.isEmpty)
            let committed = try await second.commit(Change(events: [event(radar, "c")]))
            expectEqual(committed.publications[0].offset, 3)
            expectEqual(committed.publications[0].cursor, second.cursorBase + 3)
            try await second.close()
        }
    }

    @Test func commitsDuringATrimAreKept() async throws {
        try await withStore(limits: StoreLimits(trimRowsMax: 5)) { store in
            try await store.commit((1...100).map { event(radar, "\($0)") })
            async let trimmed = store.trimPublications(now: startOfTests) { _ in
                HistoryLimit(count: 10, age: nil)
            }
            try await store.commit((101...130).map { event(radar, "\($0)") })
            let deleted = try await trimmed
            let topic = try await store.loadAll()[0]
            expectEqual(topic.topOffset, 130)
            expectEqual(topic.publications.count, 130 - deleted)
            expect((90...120).contains(deleted))
            expectEqual(topic.publications.map(text), (deleted + 1...130).map { "\($0)" })
        }
    }
}

private let nothing = HistoryLimit(count: 0, age: nil)

/// Counts the publications that each transaction deleted. Called on the writer's queue.
private final class DeletionLog: TransactionObserver, @unchecked Sendable {
    private let counts = Locked<[Int]>([])
    private var count = 0
    /// Set before the log is added; called at the end of each transaction that deleted
    /// publications.
    var onDeletion: () -> Void = {}

    var transactions: [Int] { counts.withLock { $0 } }

    /// Transactions that deleted publications.
    var deletionCount: Int { transactions.count { $0 > 0 } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if case .delete(tableName: "publication") = eventKind { true } else { false }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        count += 1
    }

    /// Not `databaseDidCommit`: GRDB does not notice the end of the COMMIT, which goes around it.
    func databaseWillCommit() {
        let count = count
        counts.withLock { $0.append(count) }
        self.count = 0
        if count > 0 { onDeletion() }
    }

    func databaseDidCommit(_ database: Database) {}

    func databaseDidRollback(_ database: Database) {
        count = 0
    }
}

extension StoreNotice {
    fileprivate func isOfTopic(_ id: Int64) -> Bool {
        if case .damaged(.topic(id, _), _) = self { true } else { false }
    }
}
