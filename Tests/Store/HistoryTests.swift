import Expectations
import StoreTesting

@testable import Store

@Suite("Reading histories back", .timeLimit(.minutes(10)))
struct HistoryTests {
    @Test(arguments: [0, 1, 4, 5, 6])
    func countKeepsTheNewestAndTellsTheCursorBelow(_ count: Int) async throws {
        try await withStore { store in
            try await store.commit((1...5).map { event(radar, "\($0)") })
            let limit = HistoryLimit(count: count, age: nil)
            let topics = try await store.loadTopics(now: startOfTests) { _ in limit }
            let topic = try require(topics.first)
            expectEqual(topics.count, 1)
            expectEqual(topic.topOffset, 5)
            expectEqual(topic.publications.map(\.offset), (1...5).suffix(count).map { UInt64($0) })
            let missing = UInt64(max(0, 5 - count))
            expectEqual(topic.evictedCursor, (missing == 0 ? 0 : store.cursorBase + missing))
        }
    }

    @Test func ageLeavesOutWhatIsOlderAndNotWhatIsExactlyAsOld() async throws {
        try await withStore { store in
            try await store.commit([0, 10, 20].map { event(radar, "\($0)", at: $0) })
            let limit = HistoryLimit(count: 10, age: .seconds(10))
            let now = startOfTests + .seconds(20)
            let atLimit = try await store.loadTopics(now: now) { _ in limit }
            expectEqual(atLimit[0].publications.map(text), ["10", "20"])
            expectEqual(atLimit[0].evictedCursor, store.cursorBase + 1)
            let later = try await store.loadTopics(now: now + .milliseconds(1)) { _ in limit }
            expectEqual(later[0].publications.map(text), ["20"])
            expectEqual(later[0].evictedCursor, store.cursorBase + 2)
        }
    }

    @Test func topicWithoutLimitIsLeftOutAndCountsOn() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "a"), event(news, "b")])
            let topics = try await store.loadTopics(now: startOfTests) {
                $0 == news ? unlimited : nil
            }
            expectEqual(topics.map(\.topic), [news])
            let committed = try await store.commit(Change(events: [event(radar, "c")]))
            expectEqual(committed.publications[0].offset, 2)
        }
    }

    /// PostgreSQL reads topics with few and short publications many at a time.
    @Test(arguments: [0, 1, 15, 16, 17, 100])
    func manyTopicsAreLoadedAsOneByOne(count: Int) async throws {
        try await withStore { store in
            let topics = try (0..<70).map { try Topic("load:\($0)") }
            for (number, topic) in topics.enumerated() {
                // Without publications, too: an erased one leaves a topic.
                let events = (0...number % 19).map { index in
                    var event = event(topic, String(repeating: "a", count: number * 300))
                    event.tags = ["kind": index.isMultiple(of: 5) ? "erased" : "kept"]
                    return event
                }
                try await store.commit(Change(events: events))
                let erasure = Erasure(topic: topic, tag: "kind", value: "erased")
                if number.isMultiple(of: 3) { try await store.commit(Change(erasures: [erasure])) }
            }
            try await store.removeHistory(of: topics[18])
            let limit = HistoryLimit(count: count, age: nil)
            let together = try await store.loadTopics(now: startOfTests) { _ in limit }
            var single: [StoredTopic?] = []
            for topic in topics { single.append(try await store.history(of: topic, count: count)) }
            expectEqual(together, single)
            let counts: [UInt64] = (0..<70).map { UInt64($0 % 19) + 1 }
            expectEqual(together.map(\.topOffset), counts)
        }
    }

    @Test func historyOfOneTopicIsItsNewestPublications() async throws {
        try await withStore { store in
            try await store.commit(
                (1...5).map { event($0.isMultiple(of: 2) ? news : radar, "\($0)") }
            )
            let history = try await require(store.history(of: radar, count: 2))
            expectEqual(history.publications.map(text), ["3", "5"])
            expectEqual(history.topOffset, 3)
            expectEqual(history.evictedCursor, store.cursorBase + 1)
        }
    }

    @Test func emptyPayloadAndOddBytesComeBackUnchanged() async throws {
        try await withStore { store in
            let payloads: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 7, count: 70_000)]
            let events = payloads.map {
                TopicEvent(topic: radar, time: startOfTests, payload: $0)
            }
            _ = try await store.commit(Change(events: events))
            try await expectEqual(store.loadAll()[0].publications.map(\.payload), payloads)
        }
    }

    @Test func restoredHistoryAnswersAsTheFormerOneDid() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { event(radar, "\($0)") })
            let limit = HistoryLimit(count: 3, age: nil)
            let topic = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            let history = try TopicHistory(
                epoch: store.epoch,
                limit: limit,
                topOffset: topic.topOffset,
                evictedOffset: topic.evictedOffset,
                evictedCursor: topic.evictedCursor,
                publications: topic.publications
            )
            let complete = history.recover(since: Position(offset: 2, epoch: store.epoch))
            expectEqual(complete, .complete(topic.publications))
            let gap = history.recover(since: Position(offset: 1, epoch: store.epoch))
            expectEqual(gap, .gap(available: topic.publications, missing: 2...2))
        }
    }

    @Test func oldestPublicationIsTheOneOfTheLowestCursor() async throws {
        try await withStore { store in
            let none = try await store.oldestPublication()
            expectNil(none)
            try await store.commit([event(news, "a", at: 7), event(radar, "b", at: 3)])
            let oldest = try await store.oldestPublication()
            expectEqual(oldest, startOfTests + .seconds(7))
        }
    }
}
