import API

/// The first phase of a start: the configuration is compiled, the files that it names are read, and
/// the store is open. Nothing runs. Every part of the hub is created from it.
///
/// A class, as `HubParts` and `LeaderParts` are: copies of so many values would be much code.
final class OpenedHub: Sendable {
    let configuration: Configuration
    let parts: ConfiguredParts
    let credentials: Credentials
    /// The keys of the configured file, instead of Apple's own.
    let appleKeys: [TokenKey]?
    /// All namespaces that were ever configured in this process: publications of a removed one may
    /// still be in progress, and its offsets continue if it is configured again.
    let namespaces: Locked<NamespaceTable>
    let store: HubStore
    let clock: HubClock
    let client: UpstreamClient
    let readiness = ReadinessBoard()
    let board = HealthBoard()
    let budget: MemoryBudget
    let metrics: HubMetrics
    let endedLogins: EndedLogins
    let keys = KeyReader()
    let failedCommands = FailedCommands()
    let logger: Logger
    /// Whether logins lead to accounts of the hub itself, and not to users of a domain.
    var hasOwnUsers: Bool { parts.accounts != nil && parts.directory is AccountTableDirectory }
    /// The name of this node in its cluster, or the one of every other hub.
    var node: String { configuration.cluster?.node ?? LoopSettings().node }

    init(
        _ configuration: Configuration,
        _ parts: ConfiguredParts,
        credentials: Credentials,
        appleKeys: [TokenKey]? = nil,
        store: HubStore,
        clock: HubClock,
        client: UpstreamClient,
        logger: Logger
    ) {
        self.configuration = configuration
        self.parts = parts
        self.credentials = credentials
        self.appleKeys = appleKeys
        namespaces = Locked(parts.namespaces)
        self.store = store
        self.clock = clock
        self.client = client
        budget = MemoryBudget(limit: configuration.limits.memory)
        metrics = HubMetrics(store, board, clock, budget: budget)
        if let tls = parts.tls { metrics.registry.add { $0.write(tls.certificates) } }
        metrics.registry.add { [keys] in $0.write(keys.counts) }
        metrics.registry.add { [failedCommands] in $0.write(failedCommands.counts) }
        endedLogins = EndedLogins(accessTokenLifetime: parts.accounts?.accessTokenLifetime)
        self.logger = logger
    }

    /// - Parameter leads: whether the hub opens its domains at the start.
    /// - Throws: `ConfigurationError`, `ProxySettingsError`, `StoreError`, `SystemError` or
    ///   `TLSError`, each with the place and the cause of the error.
    static func open(
        _ loaded: LoadedConfiguration,
        environment: [String: String],
        logger: Logger,
        domains: [any Domain.Type],
        leads: Bool
    ) async throws -> OpenedHub {
        let configuration = loaded.configuration
        let parts = try ConfiguredParts(loaded, environment: environment, domains: domains)
        let credentials = try await Credentials.load(loaded, signsTokens: parts.accounts != nil)
        let appleKeys = try await AppleIdentities.keys(parts.accounts, loaded)
        loaded.movedKeys.log(to: logger)
        loaded.replacedSecrets.log(to: logger)
        loaded.warnings(parts.names(configuration)).log(to: logger)
        // Before the store: a start that fails so leaves no new database behind.
        let upstreams = try UpstreamClient.Settings(environment: environment, configuration.tracing)
        try parts.listeners.checkNameInheritedSockets()
        try parts.listeners.checkAreFree()
        let opened: [any Domain] = leads ? parts.domains : parts.doors
        for domain in opened { try domain.checkFiles() }
        let store = try await HubService.openStore(configuration, parts)
        do {
            store.setNoticeHandler { $0.log(to: logger) }
            let hub = OpenedHub(
                configuration,
                parts,
                credentials: credentials,
                appleKeys: appleKeys,
                store: store,
                clock: try await HubClock(configuration.clock, store: store),
                client: UpstreamClient(upstreams),
                logger: logger
            )
            await HubService.reserveCursors(store, hub.namespaces)
            return hub
        } catch {
            try? await store.close()
            throw error
        }
    }

    /// Closes the hub after a failed start.
    func close() async {
        client.shutDown()
        try? await store.close()
    }
}

extension HubClock {
    /// Creates the configured clock. A recording's clock continues at the stored time, so that the
    /// time of a restarted hub is after all data that it has sent.
    fileprivate convenience init(
        _ configured: Configuration.Clock?,
        store: HubStore
    ) async throws {
        guard let configured else {
            self.init(.wall)
            return
        }
        let start = max(configured.start, try await store.lastClock() ?? configured.start)
        self.init(.recording(start: start, speed: configured.speed, anchor: HubClock.wall))
    }
}

extension UpstreamClient.Settings {
    fileprivate init(
        environment: [String: String],
        _ tracing: Configuration.Tracing
    ) throws(ProxySettingsError) {
        try self.init(environment: environment)
        if tracing.upstreams { traces = .init(isSampled: tracing.sampled) }
    }
}
