import Alerts
import JSONText
import Locking
import Logging
import PubSub
import Store
import Testing
import Timekeeping

@testable import HubServer

/// A store, what is published into it, and a follower beside it.
private struct FollowedHub {
    static let alertsTopic = Topic(trusted: "orders:1:alerts")

    let store: HubStore
    let book: AlertBook
    let metrics = MetricsBoard()
    let log: AsyncStream<StreamedLog.Line>
    let told = Locked<[String]>([])
    private let commits: AsyncStream<Void>
    private let follower: TopicAlertsFollower

    init(
        _ store: HubStore,
        waitingMax: Int = TopicAlertsFollower.waitingMax,
        boardsMax: Int = TopicAlerts.boardsMax,
        rules: [AlertRule]
    ) {
        self.store = store
        book = AlertBook(
            configured: rules.map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules([])
        )
        let (logger, log) = StreamedLog.make()
        self.log = log
        let follower = TopicAlertsFollower(
            book: book,
            owned: [],
            restored: TopicAlerts(boardsMax: boardsMax),
            store: store,
            clock: HubClock(.wall),
            outbox: OutboxRouter(endpoints: [], wake: {}),
            metrics: metrics,
            waitingMax: waitingMax,
            logger: logger
        )
        self.follower = follower
        let (commits, committed) = AsyncStream<Void>.makeStream()
        self.commits = commits
        store.setCommitHandler { [told] publications in
            follower.note(publications)
            let types = publications.filter { $0.topic.name.hasSuffix(":alerts") }.map {
                $0.topic.name + " " + (eventType(in: $0.payload) ?? "")
            }
            told.withLock { $0 += types }
            if !types.isEmpty { committed.yield() }
        }
    }

    /// One commit, with a publication for each.
    func publish(_ totals: Int..., on topic: String = "orders:1") async throws {
        let events = totals.map {
            TopicEvent(
                topic: Topic(trusted: topic),
                time: Timestamp(milliseconds: 0),
                payload: Array(#"{"total":\#($0)}"#.utf8)
            )
        }
        _ = try await store.commit(Change(events: events))
    }

    /// Runs the follower beside `body`. What was told during it is kept and counted when it returns.
    func following(_ body: () async throws -> Void) async throws {
        let task = Task { await follower.run() }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        task.cancel()
        await task.value
        try outcome.get()
    }

    /// Returns when so many alerts were told.
    func untilTold(_ count: Int) async {
        if told.withLock({ $0.count }) >= count { return }
        _ = await commits.first { _ in told.withLock { $0.count } >= count }
    }

    func exposition() async throws -> Exposition { try await metrics.exposition(store) }
}

private func eventType(in payload: [UInt8]) -> String? {
    let fields = try? JSONReader.fields(of: payload[...])
    return fields?.first { $0.key == "type" }.flatMap { JSONReader.string($0.value) }
}

@Suite("Alerts of any topic: the follower", .timeLimit(.minutes(10)))
struct TopicAlertsFollowerTests {
    private let raised = "orders:1:alerts orders.alert.raised"
    private let cleared = "orders:1:alerts orders.alert.cleared"

    private var large: AlertRule {
        get throws {
            try AlertRule(
                name: "large",
                topics: "orders:*",
                when: AlertExpression("total >= 100"),
                severity: .warning,
                escalations: [
                    AlertEscalation(severity: .critical, when: AlertExpression("total >= 500"))
                ]
            )
        }
    }

    private func passedOver(_ hub: FollowedHub, _ reason: String) async throws -> Double? {
        try await hub.exposition().value("hub_alert_passed_over_total", ["reason": reason])
    }

    @Test func asManyAsMayWaitAreAllLookedAt() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, waitingMax: 4, rules: [try large])
            try await hub.publish(150, 1, 150, 1)
            try await hub.following { await hub.untilTold(4) }
            #expect(hub.told.withLock { $0 } == [raised, cleared, raised, cleared])
            #expect(try await passedOver(hub, "waiting") == 0)
        }
    }

    @Test func oneMoreThanMayWaitCostsTheOldestAndIsTold() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, waitingMax: 4, rules: [try large])
            try await hub.publish(150, 1, 150, 1, 150)
            try await hub.following { await hub.untilTold(3) }
            #expect(hub.told.withLock { $0 } == [raised, cleared, raised], "the last one stands")
            #expect(try await passedOver(hub, "waiting") == 1)
            let line = await hub.log.first { $0.level == .warning }
            #expect(line?.metadata == ["count": "1", "reason": "waiting"])
        }
    }

    /// Were the newest passed over, the alert would stand until the topic speaks again.
    @Test func alertWhoseEndCameInACrowdIsOver() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, waitingMax: 2, rules: [try large])
            try await hub.publish(150)
            try await hub.following { await hub.untilTold(1) }
            try await hub.publish(160, 170, 180, 1)
            try await hub.following { await hub.untilTold(2) }
            #expect(hub.told.withLock { $0 } == [raised, cleared])
            #expect(try await passedOver(hub, "waiting") == 2)
        }
    }

    @Test func topicWithoutAPlaceIsCountedAndToldOnce() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, boardsMax: 1, rules: [try large])
            try await hub.publish(1)
            try await hub.publish(150, 160, on: "orders:2")
            try await hub.publish(150)
            try await hub.following { await hub.untilTold(1) }
            #expect(hub.told.withLock { $0 } == [raised])
            #expect(try await passedOver(hub, "topics") == 2)
            let line = await hub.log.first { $0.level == .warning }
            #expect(line?.metadata == ["count": "2", "reason": "topics"])
        }
    }

    @Test func storeThatTakesNothingIsCounted() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            try await hub.publish(150, 1)
            try await store.close()
            try await hub.following {
                _ = await hub.log.first { $0.level == .warning }
            }
            let metrics = try await hub.exposition()
            #expect(metrics.value("hub_alert_passed_over_total", ["reason": "store"]) == 2)
            #expect(metrics["hub_alerts_active"]?.samples == [], "nothing is kept of it")
            #expect(metrics["hub_alert_transitions_total"]?.samples == [])
        }
    }

    @Test func alertsThatStandAndWhatHappensToThemAreCounted() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            func active(_ severity: String) async throws -> Double? {
                let labels = ["domain": "orders", "severity": severity]
                return try await hub.exposition().value("hub_alerts_active", labels)
            }
            try await hub.publish(150)
            try await hub.publish(150, on: "orders:2")
            try await hub.following { await hub.untilTold(2) }
            #expect(try await active("warning") == 2)
            #expect(try await active("critical") == 0)
            try await hub.publish(600)
            try await hub.publish(1, on: "orders:2")
            try await hub.following { await hub.untilTold(4) }
            #expect(try await active("warning") == 0)
            #expect(try await active("critical") == 1)
            #expect(try await active("info") == 0)
            let metrics = try await hub.exposition()
            let counts = ["raised", "escalated", "cleared"].map {
                metrics.value(
                    "hub_alert_transitions_total",
                    ["domain": "orders", "kind": $0]
                )
            }
            #expect(counts == [2, 1, 1])
        }
    }

    @Test func ruleThatIsGoneClearsWhatItHasRaised() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            try await hub.publish(150)
            try await hub.following {
                await hub.untilTold(1)
                hub.book.remove(try large.key)
                await hub.untilTold(2)
            }
            #expect(hub.told.withLock { $0 } == [raised, cleared])
            let labels = ["domain": "orders", "severity": "warning"]
            #expect(try await hub.exposition().value("hub_alerts_active", labels) == 0)
        }
    }
}
