import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import Duties

/// A store that a follower takes over while others publish into it.
private struct TakenOver {
    static let alertsTopic = Topic(trusted: "orders:1:alerts")

    let store: HubStore
    let budget = MemoryBudget()
    let metrics = DomainMetrics()
    /// Commits of which no follower has been told yet.
    private let untold = Locked<[[Publication]]>([])

    init(_ store: HubStore) {
        self.store = store
        store.observe(\.committed) { [untold] committed in untold.withLock { $0.append(committed) }
        }
    }

    func follower(isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true }) async throws
        -> TopicAlertsFollower
    {
        let book = AlertBook(
            configured: try [nil, "kari"].map { owner in
                let rule = try AlertRule(
                    name: "large",
                    topics: "orders:*",
                    when: AlertExpression("total >= 100"),
                    severity: .info,
                    owner: owner
                )
                return (Configuration.Alert(), rule)
            },
            namespaces: NamespaceRules([Configuration.Namespace("orders")])
        )
        var holdings = AlertHoldings()
        _ = holdings.restore(
            alerts: try await store.alertStates(),
            fields: try await store.state(domain: FollowedTopics.domain)
                + store.state(domain: FollowedTopics.userDomain),
            cursors: try await store.state(domain: FollowedTopics.cursorDomain),
            book: book
        )
        return TopicAlertsFollower(
            book: book,
            owned: [],
            restored: holdings,
            store: store,
            clock: HubClock(.wall),
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            budget: budget,
            isDurable: isDurable,
            logger: silentLogger
        )
    }

    func load() async throws -> [StoredTopic] {
        try await store.loadTopics(now: HubClock.wall) { _ in HistoryLimit(count: 1000, age: nil) }
    }

    /// Commits a publication that crosses the threshold, if the one before it did the opposite.
    func publish(_ total: Int) async throws {
        let event = TopicEvent(
            topic: Topic(trusted: "orders:1"),
            time: Timestamp(milliseconds: 0),
            payload: Array(#"{"total":\#(total)}"#.utf8)
        )
        _ = try await store.commit(Change(events: [event]))
    }

    /// Tells a follower of the oldest commits, or nobody.
    func tell(_ follower: TopicAlertsFollower?, first count: Int = .max) {
        let commits = untold.withLock { untold in
            defer { untold.removeFirst(min(count, untold.count)) }
            return untold.prefix(count)
        }
        for commit in commits { follower?.note(commit) }
    }

    /// The types of the alerts of a topic, in order.
    func told(on topic: String = "orders:1:alerts") async throws -> [String] {
        let stored = try await store.history(of: Topic(trusted: topic), count: 1000)
        return (stored?.publications ?? []).map { publication in
            let fields = try? JSONReader.fields(of: publication.payload[...])
            let type = fields?.first { $0.key == "type" }.flatMap { JSONReader.string($0.value) }
            return type.map { String($0.split(separator: ".").last ?? "") } ?? ""
        }
    }
}

@Suite("Alerts of any topic: a follower that begins beside commits", .timeLimit(.minutes(10)))
struct FollowerTakeoverTests {
    private func crossings(_ count: Int) -> [String] {
        (0..<count).map { $0.isMultiple(of: 2) ? "raised" : "cleared" }
    }

    /// Every publication crosses the threshold, so one that is missed or evaluated twice shows. The
    /// commits before and after the snapshot are told of in every order to one another.
    @Test(arguments: 0...3, 0...4)
    func everyPublicationIsEvaluatedOnce(before: Int, late: Int) async throws {
        try await withTemporaryStore { store in
            let hub = TakenOver(store)
            let first = try await hub.follower()
            await first.resume(with: try await hub.load())
            var count = 0
            func publish(_ times: Int) async throws {
                for _ in 0..<times {
                    try await hub.publish(count.isMultiple(of: 2) ? 150 : 1)
                    count += 1
                }
            }
            try await publish(3)
            hub.tell(first)
            await first.catchUp()
            // Nobody leads.
            hub.tell(nil)
            try await publish(2)
            hub.tell(nil)
            // The second one begins.
            let second = try await hub.follower()
            second.collect()
            try await publish(before)
            let topics = try await hub.load()
            try await publish(2)
            // Of the commits so far, some are told of only after the topics have been taken.
            hub.tell(second, first: max(0, before + 2 - late))
            await second.resume(with: topics)
            try await publish(1)
            hub.tell(second)
            await second.catchUp()
            try await expectEqual(hub.told(), crossings(count))
            try await expectEqual(hub.told(on: "alerts:kari"), crossings(count))
            let text = try await hub.metrics.registry.exposition()
            for owner in ["operator", "user"] {
                for reason in AlertCounts.PassedOver.allCases {
                    let labels = ["reason": reason.rawValue, "owner": owner]
                    expectEqual(text.value("hub_alert_passed_over_total", labels), 0)
                }
            }
        }
    }

    /// The snapshot has none of its publications.
    @Test func publicationToATopicInMemoryIsEvaluatedAlthoughLaterOnesAreStored() async throws {
        try await withTemporaryStore { store in
            let hub = TakenOver(store)
            let first = try await hub.follower()
            await first.resume(with: [])
            try await hub.publish(1)
            hub.tell(first)
            await first.catchUp()
            let follower = try await hub.follower { $0.name != "orders:1" }
            follower.collect()
            try await hub.publish(150)
            hub.tell(follower)
            // As if the topic was in memory: another one is newer in the store.
            let event = TopicEvent(
                topic: Topic(trusted: "orders:2"),
                time: Timestamp(milliseconds: 0),
                payload: Array("{}".utf8)
            )
            _ = try await store.commit(Change(events: [event]))
            let topics = try await hub.load().filter { $0.topic.name == "orders:2" }
            await follower.resume(with: topics)
            hub.tell(follower)
            await follower.catchUp()
            try await expectEqual(hub.told(), ["raised"])
        }
    }

    @Test func memoryIsGivenBack() async throws {
        try await withTemporaryStore { store in
            let hub = TakenOver(store)
            let follower = try await hub.follower()
            await follower.resume(with: [])
            try await hub.publish(150)
            hub.tell(follower)
            await follower.catchUp()
            try await hub.publish(1)
            hub.tell(follower)
            expect(hub.budget.held > 0)
            follower.release()
            expectEqual(hub.budget.held, 0)
        }
    }
}
