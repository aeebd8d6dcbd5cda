import Expectations
import StoreTesting

@testable import Store

@Suite("Times of publications", .timeLimit(.minutes(10)))
struct TimeOrderTests {
    private func seconds(_ publications: [Publication]) -> [Int64] {
        publications.map { ($0.time.milliseconds - startOfTests.milliseconds) / 1000 }
    }

    @Test func publicationBehindALaterOneGetsItsTime() async throws {
        try await withStore { store in
            let committed = try await store.commit(
                Change(events: [100, 40, 90, 130].map { event(radar, "\($0)", at: $0) })
            )
            expectEqual(seconds(committed.publications), [100, 100, 100, 130])
            let stored = try await store.loadAll()[0]
            expectEqual(
                stored.publications.sorted { $0.offset < $1.offset },
                committed.publications
            )
        }
    }

    @Test func timesGoOnAfterARestartAndAfterATrim() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "a", at: 7200)])
            try await first.trimPublications(now: startOfTests) { _ in HistoryLimit.none }
            try await first.close()
            let second = try openStore(directory)
            let behind = try await second.commit(Change(events: [event(radar, "b", at: 0)]))
            expectEqual(seconds(behind.publications), [7200])
            try await second.close()
            let third = try openStore(directory)
            let again = try await third.commit(Change(events: [event(radar, "c", at: 60)]))
            expectEqual(seconds(again.publications), [7200])
            try await third.close()
        }
    }

    /// What a history's limit of age must not lose.
    @Test func freshPublicationsStayThoughTheClockWasBehindForAMoment() async throws {
        try await withDirectory { directory in
            let first = try openStore(directory)
            try await first.commit([event(radar, "a", at: 7200), event(radar, "b", at: 7201)])
            try await first.commit([event(radar, "behind", at: 1)])
            try await first.close()
            let second = try openStore(directory)
            let limit = HistoryLimit(count: 100, age: .seconds(600))
            let now = startOfTests + .seconds(7260)
            try await expectEqual(second.trimPublications(now: now) { _ in limit }, 0)
            let topics = try await second.loadTopics(changedAfter: 0, now: now) { _ in limit }
            expectEqual(topics[0].publications.count, 3)
            try await second.close()
        }
    }

    @Test func topicsInMemoryHaveTheSameOrder() async throws {
        try await withStore(isDurable: isDurable) { store in
            let committed = try await store.commit(
                Change(events: [50, 10].map { event(chat, "\($0)", at: $0) })
            )
            expectEqual(seconds(committed.publications), [50, 50])
        }
    }

    @Test func otherTopicsHaveTheirOwnTimes() async throws {
        try await withStore { store in
            let committed = try await store.commit(
                Change(events: [event(radar, "a", at: 50), event(news, "b", at: 10)])
            )
            expectEqual(seconds(committed.publications), [50, 10])
        }
    }
}
