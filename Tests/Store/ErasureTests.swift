import Expectations
import StoreTesting

@testable import Store

/// A topic that outlives the process, and one that does not.
private let homes = [radar, chat]

func event(_ topic: Topic, _ text: String, by actor: String) -> TopicEvent {
    var event = event(topic, text)
    event.tags = ["by": actor, "type": "told"]
    return event
}

func erasure(_ topic: Topic, _ actor: String) -> Erasure {
    Erasure(topic: topic, tag: "by", value: actor)
}

@Suite("Erasing publications", .timeLimit(.minutes(10)))
struct ErasureTests {
    private func erase(_ erasures: Erasure..., in store: HubStore) async throws {
        _ = try await store.commit(Change(erasures: erasures))
    }

    @Test func publicationsAreGoneAndOffsetsStay() async throws {
        try await withStore { store in
            try await store.commit([
                event(radar, "1", by: "a"), event(radar, "2", by: "b"),
                event(news, "3", by: "a"), event(radar, "4", by: "a"), event(radar, "5"),
            ])
            try await erase(erasure(radar, "a"), in: store)
            let topics = try await store.loadAll()
            expectEqual(topics.map { $0.publications.map(text) }, [["2", "5"], ["3"]])
            expectEqual(topics[0].publications.map(\.offset), [2, 4])
            expectEqual(topics[0].topOffset, 4)
            expectEqual(topics[0].evictedOffset, 0)
            expectEqual(topics[0].evictedCursor, 0)
            try expectEqual(store.rowCounts()["publication"], 3)
        }
    }

    @Test func tagHasToBeTheOneAndItsValueTheWholeOfIt() async throws {
        try await withStore { store in
            var events = ["a", "aa", "", "\u{E9}", "e\u{301}"].map { event(radar, $0, by: $0) }
            // The value stands among the tags, but not behind this one.
            events.append(event(radar, "key", by: "x"))
            events[5].tags = ["a": "by", "of": "a"]
            try await store.commit(events + [event(radar, "none")])
            try await erase(erasure(radar, "a"), in: store)
            try await erase(erasure(radar, "e\u{301}"), erasure(radar, "told"), in: store)
            let left = try await store.loadAll()[0].publications.map(text)
            expectEqual(
                left.map { Array($0.utf8) },
                ["aa", "", "\u{E9}", "key", "none"].map { Array($0.utf8) }
            )
            try await erase(erasure(radar, ""), in: store)
            try await expectEqual(store.loadAll()[0].publications.count, 4)
        }
    }

    @Test(arguments: homes)
    func erasureFollowsTheEventsOfItsChangeAndIsToldBehindThem(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(topic, "1", by: "a")])
            let change = Change(
                events: [event(topic, "2", by: "a"), event(topic, "3", by: "b")],
                state: [StateRow(domain: "d", key: "k", value: [1])],
                erasures: [erasure(topic, "a"), erasure(topic, "x")]
            )
            let committed = try await store.commit(change)
            expectEqual(committed.publications.map(text), ["2", "3"])
            try await store.commit([event(topic, "4", by: "a")])
            expectEqual(heard.withLock { $0 }, ["1", "23", "erased a x", "4"])
            guard topic == radar else { return }
            try await expectEqual(store.loadAll()[0].publications.map(text), ["3", "4"])
        }
    }

    @Test func changesOfOneTransactionAreToldInTheirOrder() async throws {
        try await withStore { store in
            let heard = Locked<[String]>([])
            let log = CommitLog()
            listen(to: store, into: heard) { publications in
                guard publications.map(text) == ["holds"] else { return false }
                log.holdingHandler(publications)
                return true
            }
            // What waits while the writer is held becomes one transaction.
            store.commit(Change(events: [event(news, "holds")])) { _ in }
            while log.publications.isEmpty { await Task.yield() }
            let changes = [
                Change(events: [event(radar, "1", by: "a")]),
                Change(events: [event(radar, "2", by: "a")], erasures: [erasure(radar, "a")]),
                Change(events: [event(radar, "3", by: "a")]),
                Change(
                    events: [event(radar, "4")],
                    removedHistories: [radar],
                    erasures: [erasure(radar, "b")]
                ),
                Change(events: [event(radar, "5", by: "a")]),
            ]
            for change in changes { store.commit(change) { _ in } }
            log.open()
            try await store.checkWritable()
            expectEqual(
                heard.withLock { $0 },
                [
                    "12", "erased a", "34", "radar:1 through 4", "erased b", "5",
                ]
            )
            try await expectEqual(store.loadAll().last?.publications.map(text), ["5"])
        }
    }

    @Test func erasureIsToldThoughTheFileHasNothingOfIt() async throws {
        try await withStore { store in
            let heard = listen(to: store)
            try await erase(erasure(radar, "a"), in: store)
            expectEqual(heard.withLock { $0 }, ["erased a"], "a hub may keep what was trimmed here")
            try expectEqual(store.rowCounts()["topic"], 0)
        }
    }

    /// Webhooks that tell of such a topic have rows.
    @Test func erasureInMemoryAloneIsATransaction() async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(chat, "1", by: "a")])
            let before = store.statistics.transactions
            try await erase(erasure(chat, "a"), in: store)
            expectEqual(store.statistics.transactions, before + 1)
            expectEqual(heard.withLock { $0 }, ["1", "erased a"])
        }
    }

    @Test func erasuresAndWhatTheyHaveDeletedAreCounted() async throws {
        try await withStore(isDurable: isDurable) { store in
            try await store.commit([
                event(radar, "1", by: "a"), event(radar, "2", by: "b"), event(radar, "3", by: "a"),
                event(chat, "4", by: "a"),
            ])
            try await erase(erasure(radar, "a"), erasure(radar, "x"), in: store)
            expectEqual(store.statistics.erasures, 2)
            expectEqual(store.statistics.publicationsErased, 2)
            try await erase(erasure(chat, "a"), in: store)
            expectEqual(store.statistics.erasures, 3)
            expectEqual(
                store.statistics.publicationsErased,
                2,
                "without a row there is none to count"
            )
        }
    }

    @Test(arguments: homes)
    func changeThatFailsErasesNothing(_ topic: Topic) async throws {
        try await withStore(isDurable: isDurable) { store in
            let heard = listen(to: store)
            try await store.commit([event(topic, "1", by: "a")])
            // The store refuses a row without a name; the erasure of another change goes on.
            let refused = Change(
                state: [StateRow(domain: "", key: "k", value: [1])],
                erasures: [erasure(topic, "a")]
            )
            await #expect(throws: StoreError.self) { try await store.commit(refused) }
            expectEqual(heard.withLock { $0 }, ["1"])
            guard topic == radar else { return }
            try await expectEqual(store.loadAll()[0].publications.map(text), ["1"])
        }
    }

    @Test func erasureStaysWhenANeighbourOfItsTransactionFails() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1", by: "a"), event(radar, "2", by: "b")])
            try await store.onSession { session in
                let results = store.testWriter.commit(
                    [
                        .change(Change(erasures: [erasure(radar, "a")])),
                        .statements { session in
                            try session.run("DELETE FROM publication")
                            throw StoreError(.other, "fails", path: "")
                        },
                    ],
                    in: session
                )
                expectEqual(results.map(\.isSuccess), [true, false])
            }
            try await expectEqual(store.loadAll()[0].publications.map(text), ["2"])
        }
    }

    @Test func failingFileErasesNothing() async throws {
        try await withStore { store in
            let heard = listen(to: store)
            try await store.commit([event(radar, "1", by: "a")])
            try await store.setQueryOnly(true)
            let change = Change(erasures: [erasure(radar, "a")])
            let error = await #expect(throws: StoreError.self) { try await store.commit(change) }
            expectEqual(error?.code, .readOnly)
            try await store.setQueryOnly(false)
            expectEqual(heard.withLock { $0 }, ["1"])
            try await expectEqual(store.loadAll()[0].publications.map(text), ["1"])
        }
    }

    @Test func tagsThatCannotBeReadEraseNothing() async throws {
        try await withStore { store in
            try await store.commit([event(radar, "1", by: "a"), event(radar, "2", by: "a")])
            _ = try await store.write { database in
                // One text, where keys and values have to alternate.
                try database.run("UPDATE publication SET tags = x'0261' WHERE topic_offset = 2")
                return Written()
            }
            let change = Change(erasures: [erasure(radar, "a")])
            let error = await #expect(throws: StoreError.self) { try await store.commit(change) }
            expectEqual(error?.code, .corrupt)
            try expectEqual(store.rowCounts()["publication"], 2)
        }
    }

    @Test func keysAndVersionsOutliveTheirPublication() async throws {
        try await withStore { store in
            var first = event(radar, "1", by: "a")
            first.idempotencyKey = "k"
            first.version = EventVersion(number: 7)
            _ = try await store.publish(first)
            try await erase(erasure(radar, "a"), in: store)
            let place = Position(offset: 1, epoch: store.epoch)
            try await expectEqual(store.publish(first), .duplicate(place))
            first.idempotencyKey = nil
            try await expectEqual(store.publish(first), .stale(place))
        }
    }

    /// What the handlers are told, in order.
    private func listen(to store: HubStore) -> Locked<[String]> {
        let heard = Locked<[String]>([])
        listen(to: store, into: heard) { _ in false }
        return heard
    }

    /// - Parameter takes: publications that are not noted.
    private func listen(
        to store: HubStore,
        into heard: Locked<[String]>,
        _ takes: @escaping @Sendable ([Publication]) -> Bool
    ) {
        store.observe(\.committed) { publications in
            guard !takes(publications) else { return }
            heard.withLock { $0.append(publications.map(text).joined()) }
        }
        store.observe(\.removed) { removal in
            heard.withLock { $0.append("\(removal.topic) through \(removal.throughOffset)") }
        }
        store.observe(\.erased) { erasures in
            heard.withLock {
                $0.append((["erased"] + erasures.map(\.value)).joined(separator: " "))
            }
        }
    }
}
