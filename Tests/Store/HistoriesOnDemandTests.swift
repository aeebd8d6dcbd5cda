import Expectations
import StoreTesting

@testable import Store
@testable import Topics

@Suite("Histories read on demand", .timeLimit(.minutes(10)))
struct HistoriesOnDemandTests {
    private func read(_ topic: Topic, count: Int = 10, bytes: Int = .max) -> HistoryRead {
        HistoryRead(topic: topic, limit: HistoryLimit(count: count, age: nil, bytes: bytes))
    }

    private func history(
        _ topic: Topic,
        _ store: HubStore,
        count: Int = 10,
        bytes: Int = .max
    ) async throws -> StoredHistory? {
        let read = read(topic, count: count, bytes: bytes)
        let found = try await store.histories([read], now: startOfTests)
        guard case .history(let history) = found[0] else { return nil }
        return history
    }

    @Test func topicsComeInTheOrderOfTheRequest() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1"), event(news, "2"), event(radar, "3")])
            let reads = [read(news), read(chat), read(radar, count: 1)]
            let found = try await store.histories(reads, now: startOfTests)
            guard case .history(let first) = found[0], case .nothing(0) = found[1],
                case .history(let last) = found[2]
            else {
                Issue.record("\(found)")
                return
            }
            expectEqual(first.publications.map(text), ["2"])
            expectEqual(first.topOffset, 1)
            expectEqual(last.publications.map(text), ["3"])
            expectEqual(last.topOffset, 2)
            expectEqual(last.evictedOffset, 1)
            expectEqual(last.evictedCursor, store.cursorBase + 1)
            expectEqual(last.throughCursor, store.cursorBase + 3)
            expect(!last.isCut, "the limit of count is no loss of bytes")
        }
    }

    /// More topics than one statement reads, some of them longer than it reads of each.
    @Test func manyTopicsHaveTheirOwnPublications() async throws {
        try await withStore { store in
            let topics = (0..<2 * NewestPublications.topicsMax + 1).map {
                Topic(trusted: "topic:\($0)")
            }
            let rowsMax = NewestPublications.rowsMax
            var events = topics.map { event($0, $0.name) }
            for (topic, count) in [(topics[0], rowsMax), (topics[100], rowsMax + 1)] {
                events += (1..<count).map { event(topic, "\(topic.name) \($0)") }
            }
            let large = String(repeating: "x", count: NewestPublications.bytesMax)
            events += [event(topics[1], large), event(topics[1], "last")]
            _ = try await store.commit(Change(events: events))
            let reads = topics.reversed().map { read($0, count: 1000) }
            let found = try await store.histories(reads, now: startOfTests)
            for (read, found) in zip(reads, found) {
                guard case .history(let history) = found else {
                    Issue.record("nothing of \(read.topic)")
                    continue
                }
                let expected = events.filter { $0.topic == read.topic }.map(\.payload)
                expectEqual(history.publications.map(\.payload), expected)
                expectEqual(history.topOffset, UInt64(expected.count))
            }
        }
    }

    @Test func historyIsCutByItsLimitOfBytes() async throws {
        try await withStore { store in
            try await store.commit((0..<4).map { event(radar, "\($0)") })
            let length = try await require(history(radar, store)).publications[0].wireLength
            let whole = try await require(history(radar, store, bytes: 4 * length))
            expectEqual(whole.publications.count, 4)
            expect(!whole.isCut)
            let cut = try await require(history(radar, store, bytes: 4 * length - 1))
            expectEqual(cut.publications.count, 3)
            expect(cut.isCut)
        }
    }

    /// The loops have to be past it, although it is gone.
    @Test func erasedNewestCountsForTheCursor() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1", by: "b"), event(radar, "2", by: "a")])
            _ = try await store.commit(Change(erasures: [erasure(radar, "a")]))
            let found = try await require(history(radar, store))
            expectEqual(found.publications.map(text), ["1"])
            expectEqual(found.topOffset, 2)
            expectEqual(found.throughCursor, store.cursorBase + 2)
        }
    }

    @Test func removedHistoryKeepsItsPlace() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1"), event(radar, "2")])
            try await store.removeHistory(of: radar)
            let found = try await require(history(radar, store))
            expect(found.publications.isEmpty)
            expectEqual(found.topOffset, 2)
            expectEqual(found.evictedCursor, store.cursorBase + 2)
            expectEqual(found.throughCursor, store.cursorBase + 2)
        }
    }

    @Test func forgottenTopicHasTheCursorOfItsNamespace() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1"), event(radar, "2")])
            try await store.removeHistory(of: radar)
            _ = try await store.trimPublications(now: startOfTests) { _ in nil }
            _ = try await store.forgetTopics(
                now: startOfTests + .seconds(7 * 86_400),
                quietTime: { _ in .seconds(1) },
                unused: { $0 }
            )
            let reads = [read(radar), read(Topic(trusted: "radar:2")), read(news)]
            let found = try await store.histories(reads, now: startOfTests)
            let cursors = found.map { found -> UInt64? in
                if case .nothing(let cursor) = found { cursor } else { nil }
            }
            expectEqual(cursors, [store.cursorBase + 2, store.cursorBase + 2, 0])
        }
    }

    @Test func changedTopicsAreThoseWithLaterPublications() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1"), event(news, "2"), event(radar, "3")])
            func changed(after cursor: UInt64) async throws -> [Topic] {
                let base = store.cursorBase
                return try await store.loadTopics(
                    changedAfter: base + cursor,
                    now: startOfTests
                ) { _ in HistoryLimit(count: 10, age: nil) }.map(\.topic)
            }
            try await expectEqual(changed(after: 0), [radar, news])
            try await expectEqual(changed(after: 2), [radar])
            try await expectEqual(changed(after: 3), [])
            try await store.removeHistory(of: radar)
            _ = try await store.trimPublications(now: startOfTests) { _ in nil }
            try await expectEqual(
                changed(after: 2),
                [radar],
                "those that were trimmed since count too"
            )
        }
    }

    @Test func changedTopicsHaveOnlyLaterPublications() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1"), event(radar, "2"), event(radar, "3")])
            for (count, texts, evicted) in [(9, ["2", "3"], 0), (1, ["3"], 2)] {
                let topics = try await store.loadTopics(
                    changedAfter: store.cursorBase + 1,
                    now: startOfTests
                ) { _ in HistoryLimit(count: count, age: nil) }
                expectEqual(topics.map { $0.publications.map(text) }, [texts])
                expectEqual(topics.first?.topOffset, 3)
                expectEqual(topics.first?.evictedOffset, UInt64(evicted))
            }
        }
    }

    @Test func newestCursorIsThatOfTheNewestPublication() async throws {
        try await withStore { store in
            try await expectEqual(store.newestCursor(), store.cursorBase)
            try await store.commit([event(radar, "1"), event(news, "2")])
            try await expectEqual(store.newestCursor(), store.cursorBase + 2)
        }
    }

    @Test func topicsAreListedPageByPage() async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.commit([event(radar, "1"), event(news, "2"), event(radar, "3")])
            try await store.commit([event(chat, "4")])
            let first = try await store.listTopics(afterRow: 0, count: 1)
            expectEqual(first.topics.map(\.topic), [radar])
            expectEqual(first.topics.map(\.position), [Position(offset: 2, epoch: store.epoch)])
            let next = try require(first.next)
            let second = try await store.listTopics(afterRow: next, count: 9)
            expectEqual(second.topics.map(\.topic), [news])
            expectNil(second.next)
        }
    }
}
