import Expectations
import StoreTesting

@testable import Store

/// A topic that outlives the process, and one that does not.
private let homes = [radar, chat]

@Suite("A change that removes histories", .timeLimit(.minutes(10)))
struct ChangeWithRemovalTests {
    @Test(arguments: homes)
    func removalFollowsTheEventsOfItsChangeAndTakesThemAlong(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(topic, "a")])
            let change = Change(
                events: [event(topic, "b"), event(news, "n")],
                state: [StateRow(domain: "radar", key: "1", value: [1])],
                removedHistories: [topic]
            )
            let committed = try await store.commit(change)
            expectEqual(committed.publications.map(text), ["b", "n"])
            try await store.commit([event(topic, "c")])
            expectEqual(heard.withLock { $0 }, ["a", "bn", "\(topic) through 2", "c"])
            try await expectEqual(store.state(domain: "radar").map(\.key), ["1"])
            guard topic == radar else { return }
            let stored = try await require(store.history(of: radar, count: 9))
            expectEqual(stored.publications.map(text), ["c"])
            expectEqual(stored.publications.map(\.offset), [3])
            expectEqual(stored.evictedCursor, store.cursorBase + 2)
        }
    }

    @Test func changesOfOneTransactionAreToldInTheirOrder() async throws {
        try await withStore { store in
            let heard = Locked<[String]>([])
            let log = CommitLog()
            store.observe(\.committed) { publications in
                if publications.map(text) == ["holds"] { return log.holdingHandler(publications) }
                heard.withLock { $0.append(publications.map(text).joined()) }
            }
            store.observe(\.removed) { removal in
                heard.withLock { $0.append("\(removal.topic) through \(removal.throughOffset)") }
            }
            // What waits while the writer is held becomes one transaction.
            store.commit(Change(events: [event(news, "holds")])) { _ in }
            while log.publications.isEmpty { await Task.yield() }
            let changes = [
                Change(events: [event(radar, "a")]), Change(events: [event(radar, "b")]),
                Change(events: [event(radar, "c")], removedHistories: [radar, news]),
                Flaw.emptyKey.added(to: Change(removedHistories: [radar])),
                Change(events: [event(radar, "d")]),
                Change(removedHistories: [radar]),
            ]
            for change in changes { store.commit(change) { _ in } }
            log.open()
            try await store.checkWritable()
            expectEqual(
                heard.withLock { $0 },
                [
                    "abc", "radar:1 through 3", "news:global through 1", "d", "radar:1 through 4",
                ]
            )
        }
    }

    @Test func topicWithoutAHistoryIsNotTold() async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            let never = Topic(trusted: "never")
            try await store.commit([event(radar, "a")])
            // The second time there is nothing left.
            let change = Change(removedHistories: [never, radar, radar])
            let committed = try await store.commit(change)
            expect(committed.outcomes.isEmpty)
            expectEqual(heard.withLock { $0 }, ["a", "radar:1 through 1"])
        }
    }

    @Test func removalOfADurableHistoryAloneIsATransaction() async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.commit([event(radar, "a")])
            let before = store.statistics.transactions
            _ = try await store.commit(Change(removedHistories: [chat, radar]))
            expectEqual(store.statistics.transactions, before + 1)
        }
    }

    @Test func historiesInMemoryAloneAreRemovedWithoutATransaction() async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(chat, "a")])
            let before = store.statistics.transactions
            let change = Change(events: [event(chat, "b")], removedHistories: [chat])
            _ = try await store.commit(change)
            expectEqual(store.statistics.transactions, before)
            expectEqual(heard.withLock { $0 }, ["a", "b", "chat:1 through 2"])
        }
    }

    @Test(arguments: homes)
    func changeThatFailsRemovesNothing(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(topic, "a")])
            let change = Flaw.emptyKey.added(to: Change(removedHistories: [topic]))
            await #expect(throws: StoreError.self) { try await store.commit(change) }
            expectEqual(heard.withLock { $0 }, ["a"])
            guard topic == radar else { return }
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
        }
    }

    @Test func failingFileRemovesNothing() async throws {
        try await withStore { store in
            let heard = listen(to: store)
            try await store.commit([event(radar, "a")])
            try await store.setQueryOnly(true)
            let error = await #expect(throws: StoreError.self) {
                try await store.commit(Change(removedHistories: [radar]))
            }
            expectEqual(error?.code, .readOnly)
            try await store.setQueryOnly(false)
            expectEqual(heard.withLock { $0 }, ["a"])
            try await expectEqual(store.loadAll()[0].publications.map(text), ["a"])
        }
    }

    /// What the handlers are told, in order.
    private func listen(to store: HubStore) -> Locked<[String]> {
        let heard = Locked<[String]>([])
        store.observe(\.committed) { publications in
            heard.withLock { $0.append(publications.map(text).joined()) }
        }
        store.observe(\.removed) { removal in
            heard.withLock { $0.append("\(removal.topic) through \(removal.throughOffset)") }
        }
        return heard
    }
}
