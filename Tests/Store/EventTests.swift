import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("What an event carries", .timeLimit(.minutes(10)))
struct EventTests {
    private var full: TopicEvent {
        TopicEvent(
            topic: radar,
            time: startOfTests,
            payload: Array("{}".utf8),
            tags: ["severity": "5", "place": "Tromsø"],
            info: ClientInfo(user: "ada", client: "c1", topicInfo: Array("[]".utf8)),
            allowsDelta: true
        )
    }

    @Test func tagsInfoAndDeltaArePublishedAndReadBack() async throws {
        try await withStore { store in
            let events = [full, event(radar, "plain")]
            let published = try await store.commit(Change(events: events)).publications
            expectEqual(published[0].tags, full.tags)
            expectEqual(published[0].info, full.info)
            expect(published[0].allowsDelta)
            expect(published[1].tags.isEmpty)
            expectNil(published[1].info)
            try await expectEqual(store.loadAll()[0].publications, published)
            let history = try await require(store.history(of: radar, count: 2))
            expectEqual(history.publications, published)
        }
    }

    @Test func theyCountForTheLengthOfTheChange() {
        let plain = Change(events: [TopicEvent(topic: radar, time: startOfTests, payload: [1])])
        var keyed = full
        keyed.idempotencyKey = "1234"
        expectEqual(plain.length, Change.rowBytes + 1)
        // The payload, four texts of tags, user and client, what the token said, the key.
        let texts = 2 + (8 + 1 + 5 + 7) + (3 + 2) + 2 + 4
        expectEqual(Change(events: [keyed]).length, Change.rowBytes + texts)
    }

    @Test func eventOutsideTheHistoryHasACursorAndNoRow() async throws {
        try await withStore { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            var passing = full
            passing.keepsHistory = false
            let events = [event(radar, "a"), passing, event(radar, "b")]
            let published = try await store.commit(Change(events: events)).publications
            let base = store.cursorBase
            expectEqual(published.map(\.offset), [1, 0, 2])
            expectEqual(published.map(\.cursor), [base + 1, base + 2, base + 3])
            expectEqual(published[1].tags, full.tags)
            expectEqual(log.publications, published)
            try await expectEqual(store.loadAll()[0].publications.map(\.offset), [1, 2])
        }
    }

    @Test func committedSaysOfEachEventWhatBecameOfIt() async throws {
        try await withStore { store in
            var first = event(radar, "a")
            first.idempotencyKey = "k"
            var old = event(news, "b")
            old.version = EventVersion(number: 0)
            var new = old
            new.version?.number = 1
            let change = Change(events: [first, new, first, old])
            let committed = try await store.commit(change)
            let publications = committed.publications
            let epoch = TopicEpoch(store: store.epoch, beginning: 0)
            expectEqual(
                committed.outcomes,
                [
                    .published(publications[0], epoch), .published(publications[1], epoch),
                    .duplicate(Position(offset: 1, epoch: store.epoch)),
                    .stale(Position(offset: 1, epoch: store.epoch)),
                ]
            )
            expectEqual(store.statistics.publications, 2)
            expectEqual(store.statistics.duplicates, 1)
            expectEqual(store.statistics.stale, 1)
        }
    }
}
