import Foundation

/// Opens the store of a hub, and loads the initial state of its loops.
extension HubService {
    static func openStore(
        _ configuration: Configuration,
        _ parts: ConfiguredParts
    ) async throws -> HubStore {
        try await HubStore.opened(
            StoreOptions(
                path: configuration.database,
                synchronous: configuration.synchronous == .full ? .full : .normal,
                bootIdentifier: try? String(
                    contentsOfFile: "/proc/sys/kernel/random/boot_id",
                    encoding: .utf8
                ),
                isDurable: { parts.namespaces.isDurable($0) },
                memoryLimits: { MemoryTopicLimits(parts.namespaces[$0]) },
                wallClock: { HubClock.wall },
                // The hub's own migrations run before those of domains.
                migrations: AccountTables.migrations
                    + parts.registered.flatMap { $0.manifest.migrations },
                unusedMigrations: parts.unusedMigrations,
                cluster: ClusterOptions(configuration.cluster)
            ),
            wall: HubClock.wall,
            newEpoch: uuidVersion7(wall: HubClock.wall, random: randomEpoch())
        )
    }

    /// Passes the configured store to `body`, without a hub. A running hub has exclusive use of the
    /// store.
    package static func withStore<Value: Sendable>(
        _ loaded: LoadedConfiguration,
        environment: [String: String],
        domains: [any Domain.Type],
        _ body: (HubStore) async throws -> Value
    ) async throws -> Value {
        let parts = try ConfiguredParts(loaded, environment: environment, domains: domains)
        let store = try await openStore(loaded.configuration, parts)
        do {
            let value = try await body(store)
            try await store.close()
            return value
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Commits the publications of clients unchanged, together with the webhooks that they cause.
    static func publisher(
        _ store: HubStore,
        _ clock: HubClock,
        _ outbox: OutboxRouter
    ) -> Publisher {
        { publications, completion in
            let now = clock.now
            let events = publications.map {
                TopicEvent(
                    topic: $0.topic,
                    time: now,
                    payload: $0.data,
                    tags: $0.tags,
                    info: $0.info,
                    keepsHistory: $0.keepsHistory,
                    allowsDelta: $0.allowsDelta,
                    idempotencyKey: $0.idempotencyKey,
                    version: $0.version,
                    source: .client($0.publisher)
                )
            }
            let change = change(publishing: events, outbox, clock)
            let wakesOutbox = !change.deliveries.isEmpty
            store.commit(change, awaitsOutcome: false) { result in
                if wakesOutbox { outbox.wake() }
                completion(result.map(\.refusals))
            }
        }
    }

    static func change(
        publishing events: [TopicEvent],
        _ outbox: OutboxRouter,
        _ clock: HubClock
    ) -> Change {
        var change = outbox.change(publishing: events, wall: HubClock.wall, random: randomEpoch)
        // A hub that was started again must not publish at earlier times.
        if clock.isRecording { change.clock = events.map(\.time).max() }
        return change
    }

    /// Lists the topics of the store for clients.
    static func lister(_ store: HubStore) -> TopicLister {
        { place, count, completion in
            Task {
                let page = try? await store.listTopics(afterRow: Int64(place), count: count)
                completion(
                    page.map { page in
                        StoredTopicsPage(
                            rows: page.topics.map {
                                StoredTopicsPage.Row(
                                    place: Int($0.row),
                                    topic: $0.topic,
                                    position: $0.position
                                )
                            },
                            next: page.next.map { Int($0) }
                        )
                    }
                )
            }
        }
    }

    static func randomEpoch() -> [UInt8] {
        (0..<10).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// The histories of a start: each is read from the store when it is needed.
    ///
    /// - Parameter newestCursor: that of the store.
    static func histories(
        _ store: HubStore,
        _ namespaces: NamespaceTable,
        newestCursor: UInt64,
        limits: HubLimits
    ) -> HistoryTable {
        HistoryTable(
            epoch: store.epoch,
            memoryEpoch: store.memoryEpoch,
            cursorBase: store.cursorBase,
            memoryCursorBase: store.memoryCursorBase,
            newestStoredCursor: newestCursor,
            isBacked: true,
            namespaces: namespaces,
            forgotten: store.forgotten,
            limits: limits
        )
    }
}

extension Committed {
    /// The refusals, by the indices of the change's events.
    fileprivate var refusals: [Int: TopicRefusal] {
        var refusals: [Int: TopicRefusal] = [:]
        for (index, outcome) in outcomes.enumerated() {
            if case .refused(let refusal) = outcome { refusals[index] = refusal }
        }
        return refusals
    }
}

extension ClusterOptions {
    init?(_ cluster: Configuration.Cluster?) {
        guard let cluster else { return nil }
        self.init(
            node: cluster.node,
            lease: cluster.lease,
            staleAfter: cluster.staleAfter,
            version: Version.text,
            watchedState: WebhookService.stateDomains
        )
    }
}

extension MemoryTopicLimits {
    /// - Parameter namespace: nil if it is not configured; no client may publish to it.
    init(_ namespace: NamespaceSettings?) {
        self.init(
            topicsMax: namespace?.topicsMax ?? .max,
            perPublisherMax: namespace?.topicsPerPublisherMax ?? .max
        )
    }
}
