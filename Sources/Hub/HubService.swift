// Hub: composes the hub: store, loops, routes, polling, publishing, webhooks, shutdown.

import API

/// The whole hub in one process: opens everything that the configuration names, connects the parts,
/// and stops them in an order in which nothing is lost.
///
/// Start: store, history into every loop, upstreams and outbox, listeners last, so that new
/// connections find everything that was ever committed. Stop: listeners and clients first,
/// upstreams and outbox, the store last.
package actor HubService {
    package nonisolated var addresses: [SocketAddress] { listeners.map(\.address) }
    package nonisolated let listeners: [BoundListener]
    package nonisolated let clock: HubClock
    /// Yields the reason once the hub must end and start again.
    package nonisolated let restarts: AsyncStream<String>
    nonisolated let transport: Transport
    let store: HubStore
    let certificates: Certificates?
    let namespaces: Locked<NamespaceTable>
    let live: LiveParts
    /// The current configuration.
    var configuration: Configuration
    let logger: Logger
    nonisolated let wired: WiredHub
    private let restart: AsyncStream<String>.Continuation
    private var work: Task<Void, Never>?
    var place: Task<Void, Never>?
    private(set) var isStopping = false

    /// The parts, in addition to the loops, that a reload gives other settings.
    struct LiveParts {
        let shared: HubShared
        let operations: HubOperations
        let api: Locked<ServerAPI>
        /// The parts as configured at the start.
        let parts: ConfiguredParts
        let threshold: LogThreshold
    }

    private init(_ wired: WiredHub, _ transport: Transport, threshold: LogThreshold) {
        self.wired = wired
        self.transport = transport
        (restarts, restart) = AsyncStream<String>.makeStream()
        let opened = wired.opened
        store = opened.store
        namespaces = opened.namespaces
        configuration = opened.configuration
        clock = opened.clock
        logger = opened.logger
        certificates = opened.parts.tls.map { Certificates(tls: $0, logger: opened.logger) }
        live = LiveParts(
            shared: wired.shared,
            operations: wired.operations,
            api: wired.api,
            parts: opened.parts,
            threshold: threshold
        )
        listeners = transport.listeners
    }

    /// Starts a hub in four phases: it is opened (`OpenedHub`), its domains and other parts restore
    /// their stored state (`HubParts`), they are connected to one another (`WiredHub`), and the
    /// loops listen.
    ///
    /// - Parameters:
    ///   - threshold: the threshold of `logger`, which a reload may change.
    ///   - leads: whether the hub leads from its start; nil if it is in no cluster. Otherwise it
    ///     accepts connections, publishes and recovers, and leads after `lead`.
    /// - Throws: `ConfigurationError`, `ProxySettingsError`, `StoreError`, `SystemError` or
    ///   `TLSError`, each with the place and the cause of the error.
    package static func start(
        _ loaded: LoadedConfiguration,
        offersEcho: Bool = false,
        environment: [String: String],
        logger: Logger,
        threshold: LogThreshold = LogThreshold(.info),
        domains: [any Domain.Type],
        leads: Bool? = nil
    ) async throws -> HubService {
        let leads = leads ?? (loaded.configuration.cluster == nil)
        let opened = try await OpenedHub.open(
            loaded,
            environment: environment,
            logger: logger,
            domains: domains,
            leads: leads
        )
        do {
            let parts = try await HubParts(opened, leads: leads)
            try await parts.prepare()
            let wired = try await WiredHub(opened, parts, offersEcho: offersEcho)
            let service = HubService(wired, try await wired.listen(), threshold: threshold)
            await service.run()
            return service
        } catch {
            await opened.close()
            throw error
        }
    }

    private func run() {
        certificates?.report(now: HubClock.wall)
        work = Task { [wired, transport, certificates, restart] in
            await withDiscardingTaskGroup { group in
                group.addTask { await HubService.watch(wired.opened, restart) }
                if let keySet = wired.keySet {
                    group.addTask { await keySet.run { await transport.useTokenKeys($0) } }
                }
                group.addTask { await MemoryTrim.run(wired.census, wired.opened.logger) }
                group.addTask { await HubService.dropOutboxChanges(wired) }
                group.addTask { await wired.sampler.run() }
                wired.parts.doors.run(in: &group)
                if let certificates {
                    group.addTask { await certificates.remind() }
                }
            }
        }
        if store.isShared { keepPlace() }
        wired.run()
        wired.opened.readiness.set(nil, part: "hub")
    }

    /// Reports whether the store accepts changes, and probes a failing store, until the task is
    /// cancelled or the hub must start again.
    private static func watch(
        _ opened: OpenedHub,
        _ restart: AsyncStream<String>.Continuation
    ) async {
        let store = opened.store
        let pause = Duration.seconds(2)
        while (try? await Task.sleep(for: pause)) != nil {
            opened.readiness.set(store.staleness, part: "cluster")
            await store.probeIfFailing()
            await reserveCursors(store, opened.namespaces)
            opened.readiness.set(store.health.refusal, part: "store")
            guard let reason = store.restartReason else { continue }
            restart.yield(reason)
            return
        }
    }

    /// Reserves cursors, so that memory topics continue while the disk fails. The store's health
    /// reports a failure, and the next call tries again.
    static func reserveCursors(
        _ store: HubStore,
        _ namespaces: Locked<NamespaceTable>
    ) async {
        guard namespaces.withLock({ $0.hasMemoryTopics }) else { return }
        try? await store.reserveCursors()
    }

    /// Returns after every loop has completed a turn.
    package nonisolated func waitForLoops() async {
        await transport.waitForLoops()
    }

    /// The time limits of `stop`.
    package var stopDeadlines: StopDeadlines { StopDeadlines(configuration.drain) }

    /// Stops in order: clients are asked to reconnect, work in progress ends, committed data is
    /// flushed.
    ///
    /// Every step has a deadline, after which the next one begins regardless.
    ///
    /// - Returns: whether every step has ended in time and without an error. Steps that have not
    ///   are logged.
    @discardableResult
    package func stop() async -> Bool {
        isStopping = true
        wired.opened.readiness.set("shutting down", part: "hub")
        let (drain, deadlines) = (configuration.drain, stopDeadlines)
        var steps = StopSteps(logger)
        await steps.run("connections", within: deadlines.drain) { [transport] in
            await transport.drain(spread: drain.spread, timeout: drain.timeout)
        }
        place?.cancel()
        work?.cancel()
        await steps.run("work under way", within: deadlines.step) { [work, place, wired, store] in
            await store.stopWaiting()
            await work?.value
            await place?.value
            try await wired.leading.turns.run { await wired.leading.endWork() }
        }
        wired.opened.client.shutDown()
        await steps.run("store", within: deadlines.step) { [store] in try await store.close() }
        wired.disconnect()
        return steps.areProper
    }
}
