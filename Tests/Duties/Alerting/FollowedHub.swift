import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service
import StoreTesting

@testable import Duties

/// A store, what is published into it, and a follower beside it.
struct FollowedHub {
    static let alertsTopic = Topic(trusted: "orders:1:alerts")

    let store: HubStore
    let book: AlertBook
    let metrics = DomainMetrics()
    let log: AsyncStream<StreamedLog.Line>
    let told = Locked<[String]>([])
    private let commits: AsyncStream<Void>
    private let follower: TopicAlertsFollower

    init(
        _ store: HubStore,
        limits: TopicAlertsFollower.Limits = TopicAlertsFollower.Limits(),
        places: AlertHoldings.Limits = AlertHoldings.Limits(),
        budget: MemoryBudget = MemoryBudget(),
        endpoints: [WebhookEndpoint] = [],
        rules: [AlertRule]
    ) {
        self.store = store
        book = AlertBook(
            configured: rules.map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules([Configuration.Namespace("orders")])
        )
        let (logger, log) = StreamedLog.make()
        self.log = log
        let follower = TopicAlertsFollower(
            book: book,
            owned: [],
            restored: AlertHoldings(limits: places),
            store: store,
            clock: HubClock(.wall),
            outbox: OutboxRouter(endpoints: endpoints, wake: {}),
            metrics: metrics,
            budget: budget,
            limits: limits,
            logger: logger
        )
        self.follower = follower
        let (commits, committed) = AsyncStream<Void>.makeStream()
        self.commits = commits
        store.observe(\.committed) { [told] publications in
            follower.note(publications)
            let types = publications.filter { $0.topic.isForAlerts }.map {
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

    func exposition() async throws -> Exposition { try await metrics.registry.exposition() }
}

private func eventType(in payload: [UInt8]) -> String? {
    let fields = try? JSONReader.fields(of: payload[...])
    return fields?.first { $0.key == "type" }.flatMap { JSONReader.string($0.value) }
}
