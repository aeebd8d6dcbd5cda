import API
import Foundation

/// The third phase of a start: routes, settings and the API, connected to loops that do not run
/// yet.
///
/// The routes exist before the loops and the API that some of them use. `connect` and `disconnect`
/// create and break this reference cycle.
struct WiredHub: Sendable {
    let opened: OpenedHub
    /// The parts of every hub; those that lead are in `leading`.
    let node: NodeParts
    let leading: Leading
    let census: ConnectionCensus
    let shared: HubShared
    let api = Locked<ServerAPI?>(nil)
    /// Nil without a cluster.
    let presence: ClusterPresence?
    /// Nil without a cluster.
    let surveys: ClusterSurveys?
    /// Nil if the configuration names no set of keys.
    let keySet: KeySetFetcher?
    private let settings: LoopSettings
    /// The parts without those that lead.
    let parts: HubParts
    let access: RouteAccess
    let routes: ServedRoutes
    private let loops: Locked<Transport?>
    private let historyReader = Locked<HistoryReader?>(nil)
    private let started = HubClock.wall

    init(_ opened: OpenedHub, _ parts: HubParts, offersEcho: Bool) {
        self.opened = opened
        node = parts.node
        leading = Leading(parts.leader)
        self.parts = parts.with(nil)
        let configuration = opened.configuration
        let descriptors = DescriptorLimit.raise() ?? .max
        census = ConnectionCensus(
            connectionsMax: DescriptorLimit.connections(
                configured: configuration.limits.connections,
                descriptors: descriptors,
                isDevelopment: configuration.development,
                logger: opened.logger
            ),
            perAddressMax: configuration.limits.connectionsPerAddress
        )
        var settings = LoopSettings(configuration, offersEcho: offersEcho)
        settings.connections.refusedMax = DescriptorLimit.refusedPerLoop(
            connections: census.connectionsMax,
            descriptors: descriptors,
            loops: configuration.loops.count
        )
        self.settings = settings
        let clients = ClientCensus(
            rates: settings.rates,
            connectionsPerUserMax: configuration.limits.connectionsPerUser,
            subscriptionsPerUserMax: configuration.limits.subscriptionsPerUser
        )
        let keySet = configuration.tokens.jwksURL.map {
            KeySetFetcher(url: $0, client: opened.client, logger: opened.logger)
        }
        self.keySet = keySet
        shared = HubShared(
            clients: clients,
            endedLogins: opened.endedLogins,
            keys: opened.keys,
            budget: opened.budget,
            keyWasUnknown: { keySet?.keyWasUnknown() },
            statsAreRead: { [statistics = parts.node.statistics] in statistics.watch() }
        )
        presence = ClusterPresence(opened.store, shared, logger: opened.logger)
        surveys = ClusterSurveys(opened.store, node: settings.node, logger: opened.logger)
        if let surveys {
            opened.metrics.registry.add { $0.writeSurveys(incomplete: surveys.incompleteCount) }
        }
        let loops = Locked<Transport?>(nil)
        self.loops = loops
        access = RouteAccess(
            verifier: { loops.withLock { $0 }?.verifier },
            endedLogins: opened.endedLogins
        )
        routes = ServedRoutes(
            WiredHub.responder(parts, opened, clients: clients, access: access, api)
        )
    }

    static func responder(
        _ parts: HubParts,
        _ opened: OpenedHub,
        clients: ClientCensus,
        access: RouteAccess,
        _ api: Locked<ServerAPI?>
    ) -> RouteResponder {
        RouteResponder(
            routes: parts.routes(opened, clients: clients, access: access),
            serverAPI: { api.withLock { $0 } },
            keys: opened.keys,
            logger: opened.logger
        )
    }

    func operations(_ transport: Transport) -> HubOperations {
        HubOperations(
            transport: transport,
            store: opened.store,
            namespaces: opened.namespaces,
            shared: shared,
            clock: opened.clock,
            node: settings.node,
            version: settings.version,
            started: started,
            logger: opened.logger,
            surveys: surveys,
            extendErasure: { [registered = opened.parts.registered] in
                $0.eraseQuotes(of: DomainFeeds(registered), isFollowed: true)
            },
            endLogins: { [accounts = node.accounts] in try await accounts?.endLogins(of: $0) },
            change: { [outbox = node.outbox, clock = opened.clock] in
                HubService.change(publishing: $0, outbox, clock)
            },
            wakeOutbox: node.outbox.wake
        )
    }

    func sampler(_ transport: Transport) -> StatisticsSampler {
        StatisticsSampler(
            statistics: node.statistics,
            transport: transport,
            store: opened.store,
            transactions: opened.metrics.store
        )
    }

    // MARK: The last phase

    /// Starts the loops, and opens the listeners once all parts are connected to them.
    func listen() async throws -> Transport {
        let store = opened.store
        let newestCursor = try await store.newestCursor()
        if let leader = leading.leader { try await resumeAlerts(of: leader) }
        let histories = HubService.histories(
            store,
            opened.parts.namespaces,
            newestCursor: newestCursor,
            limits: settings.hub
        )
        let reader = HistoryReader(histories, store, opened.clock, opened.logger)
        historyReader.withLock { $0 = reader }
        return try await Transport.start(
            loops: opened.configuration.loops.count,
            listeners: opened.parts.listeners,
            tls: opened.parts.tls,
            settings: settings,
            rules: opened.parts.rules,
            sockets: opened.parts.domains.flatMap(\.sockets),
            verifier: opened.credentials.verifier,
            apiKeys: opened.credentials.apiKeys,
            shared: shared,
            census: census,
            logger: opened.logger,
            histories: histories,
            publisher: HubService.publisher(store, opened.clock, node.outbox),
            barrier: barrier,
            lister: HubService.lister(store),
            respond: { [routes] in await routes.respond(to: $0) },
            willListen: { transport in
                reader.connect(transport)
                connect(transport)
            }
        )
    }

    /// Passes to the rules what they have not evaluated. Call it before the loops run, or after `collect`.
    func resumeAlerts(of leader: LeaderParts) async throws {
        let (store, alerts) = (opened.store, leader.topicAlerts)
        let namespaces = opened.namespaces.withLock { $0 }
        // Read first: a publication after this cursor is among the topics, or was collected.
        let newest = try await store.newestCursor()
        var topics: [StoredTopic] = []
        if let cursor = alerts.resumeCursor {
            topics = try await store.loadTopics(changedAfter: cursor, now: opened.clock.now) {
                topic in
                guard let settings = namespaces[topic], settings.isDurable, alerts.evaluates(topic)
                else { return nil }
                return settings.history
            }
        }
        await alerts.resume(with: topics, through: newest)
    }

    /// Connects the parts to the running loops, which receive the store's commits from now on.
    private func connect(_ transport: Transport) {
        loops.withLock { $0 = transport }
        node.accounts?.connect(topicControl(transport))
        leading.leader?.connect(topicControl(transport))
        opened.metrics.loops.set(transport)
        let (store, metrics, leading) = (opened.store, opened.metrics, leading)
        store.setTransactionHandler { metrics.store.noteTransaction($0) }
        store.setCommitHandler { publications in
            transport.publish(publications)
            leading.note(publications)
        }
        store.setRemovalHandler {
            transport.removeHistory(of: $0.topic, through: $0.throughOffset)
        }
        store.setErasureHandler {
            transport.erase($0)
            leading.noteErasures()
        }
        store.setForgettingHandler { topics in
            transport.forget(topics)
            leading.forget(topics)
        }
        if store.isShared { follow(transport) }
        api.withLock {
            $0 = ServerAPI(
                hub: operations(transport),
                access: opened.credentials.access,
                keys: opened.keys,
                failures: opened.failedCommands,
                logger: opened.logger
            )
        }
    }

    /// Nil if no other node commits to the store.
    private var barrier: PositionBarrier? {
        let store = opened.store
        guard store.isShared else { return nil }
        return { completion in store.catchUp(completion) }
    }

    /// Takes in what other nodes of the cluster commit.
    private func follow(_ transport: Transport) {
        let store = opened.store
        operations(transport).cluster.connect(transport, shared, presence)
        store.setDeliveryHandler { [outbox = node.outbox] in outbox.wake() }
        store.setStateHandler { [changes = node.endpointChanges] _ in changes.note() }
        store.follow()
    }

    /// The control of domains and accounts over the subscriptions: of all nodes, in a cluster.
    func topicControl(_ transport: Transport) -> any TopicControl {
        guard opened.store.isShared else { return transport }
        return ClusterTopicControl(transport, operations(transport).cluster)
    }

    /// Breaks the reference cycles between the parts.
    func disconnect() {
        loops.withLock { $0 = nil }
        historyReader.withLock { $0 }?.disconnect()
        api.withLock { $0 = nil }
        node.accounts?.connect(nil)
        leading.leader?.connect(nil)
        leading.end()
        opened.metrics.loops.set(nil)
        opened.metrics.use(nil)
        opened.metrics.registry.removeAll()
    }
}
