import Expectations
import StoreTesting

@testable import Store

@Suite("Webhook outbox: what is erased", .timeLimit(.minutes(10)))
struct OutboxErasureTests {
    private func told(
        _ id: String,
        by actor: String,
        in topics: [Topic] = [radar],
        to endpoint: String = "endpoint-1",
        at seconds: Int = 0
    ) -> NewDelivery {
        var delivery = delivery(id, to: endpoint, at: seconds)
        delivery.topics = topics
        delivery.tags = ["by": actor]
        return delivery
    }

    /// Message ids of all there are, the oldest first.
    private func log(_ store: HubStore, _ endpoint: String = "endpoint-1") async throws -> [String]
    {
        try await store.deliveries(of: endpoint, limit: 99).map(\.messageID).reversed()
    }

    private func erase(_ erasures: Erasure..., in store: HubStore) async throws {
        _ = try await store.commit(Change(erasures: erasures))
    }

    private func end(_ row: StoredDelivery, in store: HubStore) async throws {
        let status = DeliveryStatus.delivered(at: startOfTests)
        let record = DeliveryRecord(
            deliveryID: row.id,
            status: status,
            attempts: 1,
            statusCode: 200,
            state: []
        )
        try await store.record(record)
    }

    @Test func whatWaitsAndWhatHasEndedIsGoneFromTheListAndIsNotSentAgain() async throws {
        try await withStore { store in
            let rows = [
                told("1", by: "a"), told("2", by: "a"), told("3", by: "b"),
                told("4", by: "a", in: [news]), told("5", by: "a", to: "endpoint-2"),
                delivery("6"),
            ]
            _ = try await store.commit(Change(deliveries: rows))
            let pending = try await store.pendingDeliveries(perEndpoint: 9)
            try await end(pending[0], in: store)
            _ = store.takeOutboxChanges()
            try await erase(erasure(radar, "a"), in: store)
            try await expectEqual(log(store), ["3", "4", "6"])
            try await expectEqual(log(store, "endpoint-2"), [])
            expectEqual(store.takeOutboxChanges().erased, [pending[1].id, pending[4].id])
            expectEqual(store.takeOutboxChanges(), OutboxChanges(), "told once")
            let time = startOfTests
            let again = try await store.redeliver(
                to: "endpoint-1",
                createdFrom: time,
                through: time,
                now: time,
                rowsMax: 9
            )
            expectEqual(again, 0)
            try await expect(!store.redeliver(pending[0].id, to: "endpoint-1", now: time))
            try expectEqual(store.rowCounts()["delivery_tag"], 2)
        }
    }

    /// An endpoint may hear of an act through several people.
    @Test func messageStaysUntilItIsErasedInEveryTopicThatItTellsOf() async throws {
        try await withStore { store in
            let rows = [told("1", by: "a", in: [radar, news]), told("2", by: "a")]
            _ = try await store.commit(Change(deliveries: rows))
            try await erase(erasure(radar, "a"), in: store)
            try await expectEqual(log(store), ["1"])
            try await erase(erasure(radar, "a"), in: store)
            try await expectEqual(log(store), ["1"])
            try await erase(erasure(news, "a"), in: store)
            try await expectEqual(log(store), [])
        }
    }

    @Test func tagAndValueAreComparedByTheirBytes() async throws {
        try await withStore { store in
            let actors = ["a", "A", "aa", "", "\u{E9}", "e\u{301}", "a\u{0}", "a\u{0}b"]
            _ = try await store.commit(
                Change(deliveries: actors.enumerated().map { told("\($0)", by: $1) })
            )
            let other = Erasure(topic: radar, tag: "of", value: "a")
            try await erase(erasure(radar, "a"), erasure(radar, "e\u{301}"), other, in: store)
            try await expectEqual(log(store), ["1", "2", "3", "4", "6", "7"])
            try await erase(erasure(radar, ""), erasure(radar, "a\u{0}b"), in: store)
            try await expectEqual(log(store), ["1", "2", "4", "6"])
        }
    }

    @Test func messagesOfTheChangeItselfAreErasedToo() async throws {
        try await withStore { store in
            let change = Change(
                deliveries: [told("1", by: "a"), told("2", by: "b")],
                erasures: [erasure(radar, "a")]
            )
            _ = try await store.commit(change)
            try await expectEqual(log(store), ["2"])
        }
    }

    @Test func topicInMemoryAloneIsErasedLikeAnyOther() async throws {
        try await withStore(isDurable: isDurable) { store in
            _ = try await store.commit(Change(deliveries: [told("1", by: "a", in: [chat])]))
            try await erase(erasure(chat, "a"), in: store)
            try await expectEqual(log(store), [])
        }
    }

    @Test func changeThatFailsErasesNoMessage() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [told("1", by: "a")]))
            _ = store.takeOutboxChanges()
            let refused = Change(
                deliveries: [told("1", by: "x")],
                erasures: [erasure(radar, "a")]
            )
            await #expect(throws: StoreError.self) { try await store.commit(refused) }
            try await expectEqual(log(store), ["1"])
            expectEqual(store.takeOutboxChanges(), OutboxChanges())
            try await erase(erasure(radar, "a"), in: store)
            try await expectEqual(log(store), [])
        }
    }

    @Test func deliveriesOfEarlierReleasesAreFoundWithoutTags() async throws {
        try await withStore { store in
            var (byTopic, bySubject) = (delivery("1"), delivery("2"))
            byTopic.topic = radar
            bySubject.subject = "r1"
            var (other, named) = (delivery("3"), delivery("4"))
            other.topic = news
            other.subject = "r1"
            named.subject = radar.name
            // A backend chose the subject of its event, which is no topic.
            var free = delivery("5")
            free.subject = "order 5"
            _ = try await store.commit(
                Change(deliveries: [byTopic, bySubject, other, named, free])
            )
            try expectEqual(store.rowCounts()["delivery_tag"], 0)
            let ids = try await store.pendingDeliveries(perEndpoint: 9).map(\.id)
            _ = store.takeOutboxChanges()
            try await store.eraseDeliveries(of: [radar], subjects: ["r1"])
            try await expectEqual(log(store), ["3", "5"])
            expectEqual(store.takeOutboxChanges().erased, [ids[0], ids[1], ids[3]])
            try await store.eraseDeliveries { $0 == news }
            try await expectEqual(log(store), ["5"])
        }
    }

    @Test(arguments: [[radar, news], [news, radar]])
    func messageThatStaysLosesTheTopic(topics: [Topic]) async throws {
        try await withStore { store in
            var told = told("1", by: "a", in: topics)
            told.topic = topics[0]
            _ = try await store.commit(Change(deliveries: [told]))
            try await store.eraseDeliveries { $0 == radar }
            try await expectEqual(log(store), ["1"])
            let names = try await store.onSession { session in
                try session.rows("SELECT topic FROM delivery") { try $0[0] as String? }
                    + session.rows("SELECT topic FROM delivery_tag") { try $0[0] as String? }
            }
            expectEqual(names, [news.name, news.name])
            try await store.eraseDeliveries { $0 == news }
            try await expectEqual(log(store), [])
        }
    }

    @Test func tagsGoWithTheirMessage() async throws {
        try await withStore { store in
            let rows = [told("1", by: "a", in: [radar, news]), told("2", by: "a")]
            _ = try await store.commit(Change(deliveries: rows))
            try expectEqual(store.rowCounts()["delivery_tag"], 3)
            try await end(try await store.pendingDeliveries(perEndpoint: 1)[0], in: store)
            try await store.trimDeliveries(finishedBefore: startOfTests + .seconds(1))
            try expectEqual(store.rowCounts()["delivery_tag"], 1)
            try await store.removeDeliveries(of: "endpoint-1")
            try expectEqual(store.rowCounts()["delivery_tag"], 0)
        }
    }

    @Test func senderIsToldWhoseQueuesHaveChangedAndHow() async throws {
        try await withStore { store in
            _ = try await store.commit(Change(deliveries: [delivery("1"), delivery("2", to: "b")]))
            try await store.commit(NoTables.self) { _ in
                (Change(deliveries: [delivery("3", to: "c")]), ())
            }
            expectEqual(store.takeOutboxChanges().grown, ["endpoint-1", "b", "c"])
            expectEqual(store.takeGrownQueues(by: 1).sorted(), ["b", "c", "endpoint-1"])
            _ = try? await store.commit(Change(deliveries: [delivery("1")]))
            expectEqual(store.takeOutboxChanges(), OutboxChanges(), "it is there already")
            let row = try await store.pendingDeliveries(perEndpoint: 1)[0]
            try await end(row, in: store)
            _ = try await store.redeliver(row.id, to: "endpoint-1", now: startOfTests)
            expectEqual(store.takeOutboxChanges().reordered, ["endpoint-1"])
        }
    }
}
