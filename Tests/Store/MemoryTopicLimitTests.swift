import Expectations
import StoreTesting

@testable import Store

/// Who may create how many topics that are kept only in memory.
@Suite("Memory topics: bounds for namespaces and publishers", .timeLimit(.minutes(10)))
struct MemoryTopicLimitTests {
    private func client(_ user: String) -> EventSource { .client(.user(user)) }

    /// An event that creates `chat:{name}`, or publishes to it.
    private func event(_ name: String, from source: EventSource) -> TopicEvent {
        TopicEvent(
            topic: Topic(trusted: "chat:\(name)"),
            time: startOfTests,
            payload: Array("1".utf8),
            source: source
        )
    }

    private func refusal(_ store: HubStore, _ event: TopicEvent) async throws -> TopicRefusal? {
        if case .refused(let refusal) = try await store.publish(event) { return refusal }
        return nil
    }

    private func withLimits(
        _ limits: MemoryTopicLimits,
        table: StoreLimits = StoreLimits(),
        _ body: (HubStore) async throws -> Void
    ) async throws {
        try await withStore(isDurable: { _ in false }, limits: table) { store in
            store.setMemoryLimits { topic in
                topic.namespace == "chat" ? limits : MemoryTopicLimits()
            }
            try await body(store)
        }
    }

    @Test func clientsLeaveATenthOfTheNamespaceToTheServerAPI() async throws {
        try await withLimits(MemoryTopicLimits(topicsMax: 10)) { store in
            for number in 1...9 {
                let event = event("\(number)", from: client("\(number)"))
                let refused = try await refusal(store, event)
                expectNil(refused)
            }
            try await expectEqual(
                refusal(store, event("10", from: client("10"))),
                TopicRefusal(.namespace, limit: 9)
            )
            try await expectNil(refusal(store, event("1", from: client("10"))), "is there")
            try await expectNil(refusal(store, event("10", from: .serverAPI)))
            try await expectEqual(
                refusal(store, event("11", from: .serverAPI)),
                TopicRefusal(.namespace, limit: 10)
            )
            let error = await #expect(throws: StoreError.self) {
                try await store.publish(event("11", from: .hub))
            }
            expectEqual(error?.code, .tooManyTopics)
            let other = TopicEvent(
                topic: Topic(trusted: "game:1"),
                time: startOfTests,
                payload: [],
                source: client("1")
            )
            try await expectNil(refusal(store, other), "another namespace")
            expectEqual(store.statistics.topicsRefused, [.namespace: 2])
        }
    }

    @Test func clientsLeaveATenthOfTheTableToTheServerAPI() async throws {
        try await withLimits(MemoryTopicLimits(), table: StoreLimits(memoryTopicsMax: 10)) {
            store in
            for number in 1...9 {
                _ = try await store.publish(event("\(number)", from: client("\(number)")))
            }
            try await expectEqual(
                refusal(store, event("10", from: client("10"))),
                TopicRefusal(.table, limit: 9)
            )
            try await expectNil(refusal(store, event("10", from: .serverAPI)))
            try await expectEqual(
                refusal(store, event("11", from: .serverAPI)),
                TopicRefusal(.table, limit: 10)
            )
        }
    }

    @Test(arguments: [EventPublisher.user("kari"), .network(7)])
    func publisherHasABoundOfItsOwn(_ publisher: EventPublisher) async throws {
        try await withLimits(MemoryTopicLimits(perPublisherMax: 2)) { store in
            let own = EventSource.client(publisher)
            for name in ["1", "2"] {
                let refused = try await refusal(store, event(name, from: own))
                expectNil(refused)
            }
            try await expectEqual(
                refusal(store, event("3", from: own)),
                TopicRefusal(.publisher, limit: 2)
            )
            try await expectNil(refusal(store, event("3", from: client("ola"))))
            try await expectNil(refusal(store, event("3", from: own)), "ola's")
            try await expectNil(refusal(store, event("4", from: .client(.network(8)))))
            for number in 5...9 {
                try await expectNil(refusal(store, event("\(number)", from: .serverAPI)))
            }
            expectEqual(store.statistics.topicsRefused, [.publisher: 1])
        }
    }

    /// The other clients of the turn, and the other publications of a batch, are not to suffer.
    @Test func otherEventsOfTheChangeArePublished() async throws {
        try await withLimits(MemoryTopicLimits(perPublisherMax: 1)) { store in
            let log = CommitLog()
            store.observe(\.committed) { log.append($0) }
            let change = Change(events: [
                event("1", from: client("kari")), event("2", from: client("kari")),
                event("3", from: client("ola")),
            ])
            let outcomes = try await store.commit(change).outcomes
            expectEqual(outcomes[1], .refused(TopicRefusal(.publisher, limit: 1)))
            expectEqual(outcomes.publications.map(\.topic.name), ["chat:1", "chat:3"])
            expectEqual(log.publications, outcomes.publications)
            let cursors = log.publications.map(\.cursor)
            expectEqual(cursors[1], cursors[0] + 1, "no cursor for what was refused")
        }
    }

    @Test func forgottenTopicGivesItsPlaceBack() async throws {
        try await withLimits(MemoryTopicLimits(perPublisherMax: 1)) { store in
            _ = try await store.publish(event("1", from: client("kari")))
            let forgotten = try await store.forgetTopics(
                now: startOfTests + .seconds(1000),
                quietTime: { _ in .seconds(10) },
                unused: { $0 }
            )
            expectEqual(forgotten, 1)
            try await expectNil(refusal(store, event("2", from: client("kari"))))
            try await expectEqual(
                refusal(store, event("3", from: client("kari"))),
                TopicRefusal(.publisher, limit: 1)
            )
        }
    }

    @Test func topicOfAFailedChangeTakesNoPlace() async throws {
        try await withLimits(MemoryTopicLimits(perPublisherMax: 1)) { store in
            var bad = event("2", from: .hub)
            bad.idempotencyKey = ""
            let change = Change(events: [event("1", from: client("kari")), bad])
            await #expect(throws: StoreError.self) { try await store.commit(change) }
            let refused = try await refusal(store, event("3", from: client("kari")))
            expectNil(refused)
        }
    }

    @Test func otherLimitsHoldForTopicsThatComeThen() async throws {
        try await withLimits(MemoryTopicLimits(perPublisherMax: 1)) { store in
            _ = try await store.publish(event("1", from: client("kari")))
            store.setMemoryLimits { _ in MemoryTopicLimits(perPublisherMax: 2) }
            try await expectNil(refusal(store, event("2", from: client("kari"))))
            store.setMemoryLimits { _ in MemoryTopicLimits(perPublisherMax: 1) }
            try await expectNil(refusal(store, event("2", from: client("kari"))), "is there")
            try await expect(refusal(store, event("3", from: client("kari"))) != nil)
        }
    }
}
