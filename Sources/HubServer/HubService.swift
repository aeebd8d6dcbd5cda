// HubServer: the composition. Loops and their shards, routes, polling, publishing, webhooks, shutdown.

import Access
import Accounts
import Alerting
import Bounds
import Configuration
import DomainKit
import Foundation
import HTTPService
import HTTPWire
import Locking
import LogOutput
import Logging
import Polling
import PubSub
import Reactor
import ServerAPI
import Shards
import Store
import Tasks
import Timekeeping
import Upstream

/// The whole hub in one process: opens what the configuration names, wires it together, and takes it apart
/// again in the order in which nothing is lost.
///
/// Start: store, history into every loop, upstreams and outbox, listeners last, so that whoever
/// connects finds everything that was ever committed. Stop: listeners and clients first, upstreams and outbox, the store last.
package actor HubService {
    package nonisolated let addresses: [SocketAddress]
    package nonisolated let clock: HubClock
    let transport: Transport
    let store: HubStore
    private let client: UpstreamClient
    private let census: ConnectionCensus
    private let readiness: ReadinessBoard
    let certificates: Certificates?
    /// All namespaces that were ever configured in this process: publications of one that is gone may
    /// still be under way, and its offsets go on should it come back.
    let namespaces: Locked<NamespaceTable>
    let live: LiveParts
    /// What holds now.
    var configuration: Configuration
    let logger: Logger
    /// Lets the parts go that know each other in a circle.
    private let untie: @Sendable () -> Void
    private var work: Task<Void, Never>?
    private(set) var isStopping = false

    /// What a reload gives other settings, beside the loops.
    struct LiveParts {
        let shared: HubShared
        let operations: HubOperations
        let api: Locked<ServerAPI?>
        /// As they were configured at the start.
        let parts: ConfiguredParts
        let accounts: AccountService?
        let alerts: AlertBook
        let threshold: LogThreshold
    }

    private init(
        transport: Transport,
        store: HubStore,
        client: UpstreamClient,
        census: ConnectionCensus,
        readiness: ReadinessBoard,
        certificates: Certificates?,
        namespaces: Locked<NamespaceTable>,
        live: LiveParts,
        configuration: Configuration,
        clock: HubClock,
        logger: Logger,
        untie: @escaping @Sendable () -> Void
    ) {
        self.transport = transport
        self.store = store
        self.client = client
        self.census = census
        self.readiness = readiness
        self.certificates = certificates
        self.namespaces = namespaces
        self.live = live
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.untie = untie
        addresses = transport.addresses
    }

    /// - Parameter threshold: that of `logger`, for another level when the configuration is read again.
    /// - Throws: `ConfigurationError`, `ProxySettingsError`, `StoreError`, `SystemError` or `TLSError`, each with what was wrong where.
    package static func start(
        _ loaded: LoadedConfiguration,
        offersEcho: Bool = false,
        environment: [String: String],
        logger: Logger,
        threshold: LogThreshold = LogThreshold(.info),
        domains: [any Domain.Type]
    ) async throws -> HubService {
        let configuration = loaded.configuration
        let parts = try ConfiguredParts(loaded, environment: environment, domains: domains)
        let credentials = try await Credentials.load(loaded, signsTokens: parts.accounts != nil)
        let appleKeys = try await AppleIdentities.keys(parts.accounts, loaded)
        loaded.movedKeys.log(to: logger)
        let namespaces = Locked(parts.namespaces)
        let store = try await openStore(configuration, parts)
        store.setNoticeHandler { $0.log(to: logger) }
        await reserveCursors(store, namespaces)
        let clock = try await HubClock(configuration.clock, store: store)
        let readiness = ReadinessBoard()
        let board = HealthBoard()
        let budget = MemoryBudget(limit: configuration.limits.memory)
        let metrics = HubMetrics(store, board, clock, budget: budget)
        let endedLogins = EndedLogins(accessTokenLifetime: parts.accounts?.accessTokenLifetime)
        let client = try UpstreamClient(.init(environment: environment))
        do {
            let beside = try await HubParts(
                parts,
                configuration: configuration,
                credentials: credentials,
                appleKeys: appleKeys,
                store: store,
                clock: clock,
                client: client,
                board: board,
                metrics: metrics,
                endedLogins: endedLogins,
                budget: budget,
                logger: logger
            )
            try await beside.prepare()
            let started = HubClock.wall
            let descriptors = DescriptorLimit.raise() ?? .max
            let census = ConnectionCensus(
                connectionsMax: DescriptorLimit.connections(
                    configured: configuration.limits.connections,
                    descriptors: descriptors,
                    logger: logger
                ),
                perAddressMax: configuration.limits.connectionsPerAddress
            )
            var made = ShardSettings(configuration, offersEcho: offersEcho)
            made.connections.refusedMax = DescriptorLimit.refusedPerLoop(
                connections: census.connectionsMax,
                descriptors: descriptors,
                loops: configuration.loops.count
            )
            let settings = made
            let clients = ClientCensus(
                rates: settings.rates,
                connectionsPerUserMax: configuration.limits.connectionsPerUser,
                subscriptionsPerUserMax: configuration.limits.subscriptionsPerUser
            )
            // The routes are there before the loops and the API that some of them speak of.
            let loops = Locked<Transport?>(nil)
            let api = Locked<ServerAPI?>(nil)
            let routes = beside.routes(
                readiness: readiness,
                board: board,
                clock: clock,
                store: store,
                metrics: metrics,
                clients: clients,
                access: RouteAccess(
                    verifier: { await loops.withLock { $0 }?.verifier() },
                    acceptsKey: { key in api.withLock { $0 }?.accepts(key) ?? false },
                    endedLogins: endedLogins
                )
            )
            let keySet = configuration.tokens.jwksURL.map {
                KeySetFetcher(url: $0, client: client, logger: logger)
            }
            let shared = HubShared(
                clients: clients,
                endedLogins: endedLogins,
                budget: budget,
                keyWasUnknown: { keySet?.keyWasUnknown() }
            )
            let responder = RouteResponder(
                routes: routes,
                serverAPI: { api.withLock { $0 } },
                logger: logger
            )
            let topics = try await store.loadTopics(
                now: clock.now,
                room: HistoryRoom(settings.hub)
            ) { topic in
                parts.namespaces[topic].flatMap { $0.isDurable ? $0.history : nil }
            }
            reportLeftOut(topics, logger)
            await beside.topicAlerts.resume(with: topics)
            func operations(_ transport: Transport) -> HubOperations {
                HubOperations(
                    transport: transport,
                    store: store,
                    namespaces: namespaces,
                    shared: shared,
                    clock: clock,
                    node: settings.node,
                    version: settings.version,
                    started: started,
                    logger: logger,
                    extendErasure: { $0.eraseQuotes(of: DomainFeeds(domains), isFollowed: true) }
                )
            }
            let transport = try await Transport.start(
                loops: configuration.loops.count,
                addresses: parts.addresses,
                tls: parts.tls,
                settings: settings,
                rules: parts.rules,
                sockets: parts.domains.flatMap(\.sockets),
                verifier: credentials.verifier,
                shared: shared,
                census: census,
                logger: logger,
                makeHub: {
                    try restoredHub(
                        store,
                        parts.namespaces,
                        topics,
                        limits: settings.hub
                    )
                },
                publisher: publisher(store, clock),
                respond: { await responder.respond(to: $0) },
                willListen: { transport in
                    loops.withLock { $0 = transport }
                    beside.connect(transport)
                    metrics.loops.set(transport)
                    store.setTransactionHandler { metrics.store.noteTransaction($0) }
                    store.setCommitHandler { publications in
                        transport.publish(publications)
                        beside.topicAlerts.note(publications)
                    }
                    store.setRemovalHandler {
                        transport.removeHistory(of: $0.topic, through: $0.throughOffset)
                    }
                    store.setErasureHandler {
                        transport.erase($0)
                        beside.topicAlerts.noteErasures()
                    }
                    store.setForgettingHandler { topics in
                        transport.forget(topics)
                        beside.topicAlerts.forget(topics)
                    }
                    api.withLock {
                        $0 = ServerAPI(hub: operations(transport), access: credentials.access)
                    }
                }
            )
            let service = HubService(
                transport: transport,
                store: store,
                client: client,
                census: census,
                readiness: readiness,
                certificates: parts.tls.map { Certificates(tls: $0, logger: logger) },
                namespaces: namespaces,
                live: LiveParts(
                    shared: shared,
                    operations: operations(transport),
                    api: api,
                    parts: parts,
                    accounts: beside.accounts,
                    alerts: beside.alerts,
                    threshold: threshold
                ),
                configuration: configuration,
                clock: clock,
                logger: logger,
                untie: {
                    loops.withLock { $0 = nil }
                    api.withLock { $0 = nil }
                    beside.connect(nil)
                    metrics.loops.set(nil)
                    metrics.registry.removeAll()
                }
            )
            await service.run(beside, keySet: keySet)
            return service
        } catch {
            client.shutDown()
            try? await store.close()
            throw error
        }
    }

    private func run(_ parts: HubParts, keySet: KeySetFetcher?) {
        certificates?.report(now: HubClock.wall)
        work = Task {
            [store, clock, certificates, namespaces, logger, census, transport, readiness, live] in
            await withDiscardingTaskGroup { group in
                parts.run(in: &group)
                if let keySet {
                    group.addTask { await keySet.run { await transport.useTokenKeys($0) } }
                }
                group.addTask { await HubService.watch(store, readiness, namespaces) }
                group.addTask { await MemoryTrim.run(census, logger) }
                group.addTask {
                    await HubService.maintain(
                        store,
                        clock,
                        namespaces,
                        transport,
                        live.parts.registered,
                        logger
                    )
                }
                if let certificates {
                    group.addTask { await certificates.remind() }
                }
            }
        }
        readiness.set(nil, part: "hub")
    }

    /// Tells whether the store takes changes, and looks whether one that failed does so again.
    private static func watch(
        _ store: HubStore,
        _ readiness: ReadinessBoard,
        _ namespaces: Locked<NamespaceTable>
    ) async {
        let pause = Duration.seconds(2)
        while (try? await Task.sleep(for: pause)) != nil {
            await store.probeIfFailing()
            await reserveCursors(store, namespaces)
            readiness.set(store.health.refusal, part: "store")
        }
    }

    /// So that memory topics continue while the disk fails. The store's health reports a failure, and the
    /// next look tries again.
    private static func reserveCursors(
        _ store: HubStore,
        _ namespaces: Locked<NamespaceTable>
    ) async {
        guard namespaces.withLock({ $0.hasMemoryTopics }) else { return }
        try? await store.reserveCursors()
    }

    /// How long `stop` may take.
    package var stopDeadlines: StopDeadlines { StopDeadlines(configuration.drain) }

    /// Stops in order: clients are told to come back, work under way ends, what is committed is flushed.
    ///
    /// Every step has a deadline, after which the next one begins all the same.
    ///
    /// - Returns: whether every step has ended in time and without an error; the log says which has not.
    @discardableResult
    package func stop() async -> Bool {
        isStopping = true
        readiness.set("shutting down", part: "hub")
        let (drain, deadlines) = (configuration.drain, stopDeadlines)
        var steps = StopSteps(logger)
        await steps.run("connections", within: deadlines.drain) { [transport] in
            await transport.drain(spread: drain.spread, timeout: drain.timeout)
        }
        work?.cancel()
        await steps.run("work under way", within: deadlines.step) { [work] in await work?.value }
        client.shutDown()
        await steps.run("store", within: deadlines.step) { [store] in try await store.close() }
        untie()
        return steps.areProper
    }
}

extension HubClock {
    /// The configured clock. A recording's clock goes on where the store says it stood, so that a hub
    /// that was started again lives after everything it has ever told.
    fileprivate init(_ configured: Configuration.Clock?, store: HubStore) async throws {
        guard let configured else {
            self.init(.wall)
            return
        }
        let start = max(configured.start, try await store.lastClock() ?? configured.start)
        self.init(.recording(start: start, speed: configured.speed, anchor: HubClock.wall))
    }
}
