import API
import Foundation

/// The third phase of a start: the loops, which do not run yet, and what they and the routes need of one
/// another.
///
/// The loops have the routes while they run: `Transport.start` gives them, and takes them back at the end.
struct WiredHub: Sendable {
    let opened: OpenedHub
    /// The parts of every hub; those that lead are in `leading`.
    let node: NodeParts
    let leading: Leading
    let census: ConnectionCensus
    let shared: HubShared
    /// As configured last.
    let api: Locked<ServerAPI>
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
    /// The loops, without listeners.
    let transport: Transport
    let operations: HubOperations
    private let histories: HistoryTable

    /// - Throws: `StoreError`, `SystemError`.
    init(_ opened: OpenedHub, _ parts: HubParts, offersEcho: Bool) async throws {
        self.opened = opened
        node = parts.node
        leading = Leading(parts.leader)
        self.parts = parts.with(nil)
        (census, settings) = WiredHub.bounds(opened, offersEcho: offersEcho)
        let keySet = opened.configuration.tokens.jwksURL.map {
            KeySetFetcher(url: $0, client: opened.client, logger: opened.logger)
        }
        self.keySet = keySet
        shared = WiredHub.shared(opened, settings, node.statistics, keySet, parts.doors)
        presence = ClusterPresence(opened.store, shared, logger: opened.logger)
        surveys = ClusterSurveys(opened.store, node: settings.node, logger: opened.logger)
        if let surveys {
            opened.metrics.registry.add { $0.writeSurveys(incomplete: surveys.incompleteCount) }
        }
        histories = HubService.histories(
            opened.store,
            opened.parts.namespaces,
            newestCursor: try await opened.store.newestCursor(),
            limits: settings.hub
        )
        let transport = try WiredHub.loops(
            opened,
            node,
            settings: settings,
            histories: histories,
            shared: shared,
            census: census
        )
        self.transport = transport
        operations = WiredHub.operations(
            opened,
            node,
            transport,
            shared,
            surveys,
            settings,
            parts.doors.userStatuses
        )
        api = Locked(
            ServerAPI(
                hub: operations,
                access: opened.credentials.access,
                keys: opened.keys,
                failures: opened.failedCommands,
                logger: opened.logger
            )
        )
        access = RouteAccess(
            verifier: { transport.verifier },
            endedLogins: opened.endedLogins
        )
        routes = ServedRoutes(
            WiredHub.responder(parts, opened, clients: shared.clients, access: access, api)
        )
    }

    /// The bounds of connections, within the descriptors of the process, and the settings of the loops.
    private static func bounds(
        _ opened: OpenedHub,
        offersEcho: Bool
    ) -> (ConnectionCensus, LoopSettings) {
        let configuration = opened.configuration
        let descriptors = DescriptorLimit.raise() ?? .max
        let census = ConnectionCensus(
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
        return (census, settings)
    }

    private static func shared(
        _ opened: OpenedHub,
        _ settings: LoopSettings,
        _ statistics: HubStatistics,
        _ keySet: KeySetFetcher?,
        _ doors: OpenDoors
    ) -> HubShared {
        let limits = opened.configuration.limits
        return HubShared(
            clients: ClientCensus(
                rates: settings.rates,
                connectionsPerUserMax: limits.connectionsPerUser,
                subscriptionsPerUserMax: limits.subscriptionsPerUser
            ),
            endedLogins: opened.endedLogins,
            keys: opened.keys,
            budget: opened.budget,
            hooks: doors.hooks,
            attendance: doors.attendance,
            keyWasUnknown: { keySet?.keyWasUnknown() },
            statsAreRead: { statistics.watch() }
        )
    }

    /// The loops. They receive nothing before `listen`.
    private static func loops(
        _ opened: OpenedHub,
        _ node: NodeParts,
        settings: LoopSettings,
        histories: HistoryTable,
        shared: HubShared,
        census: ConnectionCensus
    ) throws -> Transport {
        let store = opened.store
        return try Transport.make(
            loops: opened.configuration.loops.count,
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
            barrier: WiredHub.barrier(store),
            lister: HubService.lister(store)
        )
    }

    /// Nil if no other node commits to the store.
    private static func barrier(_ store: HubStore) -> PositionBarrier? {
        guard store.isShared else { return nil }
        return { completion in store.catchUp(completion) }
    }

    static func responder(
        _ parts: HubParts,
        _ opened: OpenedHub,
        clients: ClientCensus,
        access: RouteAccess,
        _ api: Locked<ServerAPI>
    ) -> RouteResponder {
        RouteResponder(
            routes: parts.routes(opened, clients: clients, access: access),
            serverAPI: { api.withLock { $0 } },
            keys: opened.keys,
            logger: opened.logger
        )
    }

    private static func operations(
        _ opened: OpenedHub,
        _ node: NodeParts,
        _ transport: Transport,
        _ shared: HubShared,
        _ surveys: ClusterSurveys?,
        _ settings: LoopSettings,
        _ userStatuses: (any UserStatuses)?
    ) -> HubOperations {
        HubOperations(
            transport: transport,
            store: opened.store,
            namespaces: opened.namespaces,
            shared: shared,
            clock: opened.clock,
            node: settings.node,
            version: settings.version,
            started: HubClock.wall,
            logger: opened.logger,
            surveys: surveys,
            userStatuses: userStatuses,
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

    var sampler: StatisticsSampler {
        StatisticsSampler(
            statistics: node.statistics,
            transport: transport,
            store: opened.store,
            transactions: opened.metrics.store
        )
    }

    // MARK: The last phase

    /// Connects all parts to the loops, starts these, and opens the listeners.
    func listen() async throws -> Transport {
        if let leader = leading.leader { try await resumeAlerts(of: leader) }
        HistoryReader(histories, opened.store, opened.clock, opened.logger).connect(transport)
        node.accounts?.connect(topicControl)
        parts.doors.connect(topicControl)
        leading.leader?.connect(topicControl)
        opened.metrics.loops.set(transport)
        observeStore()
        if opened.store.isShared { opened.store.follow() }
        do {
            return try await transport.start(
                on: opened.parts.listeners,
                tls: opened.parts.tls,
                respond: { [routes] in await routes.respond(to: $0) }
            )
        } catch {
            disconnect()
            throw error
        }
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

    /// From now on the loops receive what the store commits.
    private func observeStore() {
        let (transport, leading) = (transport, leading)
        let (metrics, shared, presence) = (opened.metrics, shared, presence)
        let (outbox, endpointChanges) = (node.outbox, node.endpointChanges)
        let doors = parts.doors
        let cluster = operations.cluster
        opened.store.observe { observer in
            observer.committed = {
                transport.publish($0)
                leading.note($0)
            }
            observer.removed = { transport.removeHistory(of: $0.topic, through: $0.throughOffset) }
            observer.erased = {
                transport.erase($0)
                leading.noteErasures()
            }
            observer.forgot = {
                transport.forget($0)
                leading.forget($0)
            }
            observer.noted = { note in
                if !doors.take(note) { cluster.take(note, transport, shared, presence) }
            }
            observer.deliveriesChanged = outbox.wake
            observer.stateChanged = { _ in endpointChanges.note() }
            observer.transaction = { metrics.store.noteTransaction($0) }
        }
    }

    /// The control of domains and accounts over the subscriptions: of all nodes, in a cluster.
    var topicControl: any TopicControl {
        guard opened.store.isShared else { return transport }
        return ClusterTopicControl(transport, operations.cluster)
    }

    /// Releases what the parts have of the loops.
    func disconnect() {
        histories.setWhenRequested {}
        node.accounts?.connect(nil)
        parts.doors.connect(nil)
        leading.leader?.connect(nil)
        leading.end()
        opened.metrics.loops.set(nil)
        opened.metrics.use(nil)
        opened.metrics.registry.removeAll()
    }
}
