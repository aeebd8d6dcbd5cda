import Expectations
import StoreTesting

@testable import Store

/// Histories that are read with a limit of bytes.
@Suite("Histories: limits of bytes", .timeLimit(.minutes(10)))
struct HistoryBytesLimitTests {
    /// As a history counts an event of this payload.
    private func length(_ topic: Topic, _ payload: Int) -> Int { payload + topic.name.count + 64 }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func topicsOwnLimitLeavesOutTheOldest() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { _ in event(radar, text(1000)) })
            let limit = HistoryLimit(count: 9, age: nil, bytes: 3 * length(radar, 1000))
            let topic = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            expectEqual(topic.publications.map(\.offset), [3, 4, 5])
            expectEqual(topic.evictedOffset, 2)
            expectEqual(topic.evictedCursor, store.cursorBase + 2)
            expectEqual(topic.topOffset, 5)
            expect(topic.isCut)
            let one = HistoryLimit(count: 9, age: nil, bytes: 1)
            let newest = try await store.loadTopics(now: startOfTests) { _ in one }[0]
            expectEqual(newest.publications.map(\.offset), [5])
            expectEqual(newest.evictedOffset, 4)
        }
    }

    @Test func whatOtherLimitsLeaveOutIsNoCut() async throws {
        try await withStore { store in
            try await store.commit((1...5).map { _ in event(radar, text(1000)) })
            let limit = HistoryLimit(count: 3, age: nil, bytes: 3 * length(radar, 1000))
            let topic = try await store.loadTopics(now: startOfTests) { _ in limit }[0]
            expectEqual(topic.publications.count, 3)
            expect(!topic.isCut)
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
            expectEqual(deleted, 3)
            let topics = try await store.loadAll()
            expectEqual(topics[0].publications.map(\.offset), [4, 5])
            expectEqual(topics[0].evictedOffset, 3)
            expectEqual(topics[1].publications.count, 1)
        }
    }
}
