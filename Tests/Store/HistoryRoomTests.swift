import PubSub
import StoreTesting
import Testing
import Timekeeping

@testable import Store

/// Histories that are read with a limit of bytes, each and all together.
@Suite("Histories: room", .timeLimit(.minutes(10)))
struct HistoryRoomTests {
    /// As a history counts an event of this payload.
    private func length(_ topic: Topic, _ payload: Int) -> Int { payload + topic.name.count + 64 }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func topicsOwnLimitLeavesOutTheOldest() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { _ in event(radar, text(1000)) })
            let limit = HistoryLimit(count: 9, age: nil, bytes: 3 * length(radar, 1000))
            let topic = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            #expect(topic.publications.map(\.offset) == [3, 4, 5])
            #expect(topic.evictedOffset == 2)
            #expect(topic.evictedCursor == store.cursorBase + 2)
            #expect(topic.topOffset == 5)
            #expect(topic.cut == .limit)
            let one = HistoryLimit(count: 9, age: nil, bytes: 1)
            let newest = try await store.loadTopics(now: startOfTests) { _ in one }[0]
            #expect(newest.publications.map(\.offset) == [5])
        }
    }

    @Test func whatOtherLimitsLeaveOutIsNoCut() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { _ in event(radar, text(1000)) })
            let limit = HistoryLimit(count: 3, age: nil, bytes: 3 * length(radar, 1000))
            let topic = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            #expect(topic.publications.count == 3)
            #expect(topic.cut == nil)
        }
    }

    @Test func largestTopicsLeaveOutTheirOldestForLackOfRoom() async throws {
        try await withStore { store in
            let small = Topic(trusted: "topic:small")
            let large = (0..<4).map { Topic(trusted: "topic:\($0)") }
            var events: [TopicEvent] = []
            for topic in large { events += (0..<100).map { _ in event(topic, text(1000)) } }
            events += (0..<3).map { _ in event(small, text(1000)) }
            try await store.commit(events)
            let room = HistoryRoom(bytesMax: 100_000, publicationOverhead: 500)
            let topics = try await store.loadTopics(now: startOfTests, room: room) { _ in unlimited
            }
            #expect(topics.count == 5)
            var sum = 0
            for topic in topics {
                sum += topic.publications.reduce(0) { $0 + $1.wireLength + 500 }
                #expect(topic.publications.last?.offset == topic.topOffset)
                let first = topic.publications[0].offset
                #expect(topic.evictedOffset == first - 1)
                let isSmall = topic.topic == small
                #expect((topic.cut == nil) == isSmall)
                #expect(isSmall ? topic.publications.count == 3 : topic.publications.count >= 10)
            }
            #expect(sum <= 100_000)
            #expect(sum >= 60_000)
        }
    }

    @Test func whatFitsIsWhole() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { _ in event(radar, text(1000)) })
            let room = HistoryRoom(bytesMax: 5 * length(radar, 1000))
            let topics = try await store.loadTopics(now: startOfTests, room: room) { _ in unlimited
            }
            #expect(topics[0].publications.count == 5)
            #expect(topics[0].cut == nil)
        }
    }

    @Test func evictedRowsAreDeleted() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { event(radar, "\($0)") })
            try await store.commit([event(news, "kept")])
            let deleted = try await store.trimPublications(
                now: startOfTests,
                evicted: [radar: 3, news: 0]
            ) { _ in unlimited }
            #expect(deleted == 3)
            let topics = try await store.loadAll()
            #expect(topics[0].publications.map(\.offset) == [4, 5])
            #expect(topics[0].evictedOffset == 3)
            #expect(topics[1].publications.count == 1)
        }
    }
}
