import API

/// Applies another configuration to a running hub.
///
/// It is applied as a whole or not at all: all steps that may fail come first. Files that the
/// configuration names (certificates, keys of tokens) are read again, even if their names have not
/// changed.
extension HubService {
    /// The result of a reload, which is also logged.
    package enum ReloadOutcome: Equatable, Sendable {
        /// The keys that have changed.
        case reloaded([String])
        /// These keys are fixed for the life of the process. Nothing was changed.
        case needsRestart([String])
        /// The configuration, or a file that it names, is invalid. Nothing was changed.
        case refused
    }

    /// Reads the configuration again and applies it. Call it for one reload at a time, and wait for
    /// the result before the next.
    @discardableResult
    package func reload(from source: ConfigurationSource) async -> ReloadOutcome {
        // The operation does not throw.
        let outcome = try? await wired.leading.turns.run { [self] in await reloadNow(from: source) }
        return outcome ?? .refused
    }

    private func reloadNow(from source: ConfigurationSource) async -> ReloadOutcome {
        guard !isStopping else { return .refused }
        let plan: ReloadPlan
        do {
            let loaded = try source.load()
            switch change(to: loaded) {
            case .needsRestart(let keys): return refuse(needingRestart: keys)
            case .nothing: plan = try await ReloadPlan(loaded, keys: [], of: self)
            case .reload(let keys): plan = try await ReloadPlan(loaded, keys: keys, of: self)
            }
        } catch {
            return refuse(error)
        }
        if let certificates, !certificates.reload(now: HubClock.wall) { return .refused }
        await carryOut(plan)
        return .reloaded(plan.keys)
    }

    /// Namespaces that are only in memory count offsets differently, and a namespace that is
    /// configured again continues its offsets; so a changed `durable` needs a restart.
    private func change(to loaded: LoadedConfiguration) -> ConfigurationChange {
        let latter = loaded.configuration
        let change = ConfigurationChange.between(configuration, latter, loaded.schema)
        let known = namespaces.withLock { $0 }
        let fixed = latter.servedNamespaces(live.parts.domainNamespaces).filter { namespace in
            known.settings(of: namespace.name).map { $0.isDurable != namespace.durable } ?? false
        }
        var keys = fixed.map { "namespaces[\($0.name)].durable" }
        // The subscribers that are there would be in no event.
        let (before, after) = (configuration.topicLifecycles, latter.topicLifecycles)
        keys += Set(before.keys).union(after.keys).sorted()
            .filter { before[$0] != after[$0] }
            .map { "namespaces[\($0)].lifecycle" }
        if latter.cluster != nil {
            // Clients could publish to it on this node while the others refuse it.
            keys += latter.servedNamespaces(live.parts.domainNamespaces)
                .filter { known.settings(of: $0.name) == nil }
                .map { "namespaces[\($0.name)]" }
        }
        guard !keys.isEmpty else { return change }
        guard case .needsRestart(let others) = change else { return .needsRestart(keys) }
        return .needsRestart(others + keys.filter { !others.contains($0) })
    }

    private func refuse(needingRestart keys: [String]) -> ReloadOutcome {
        logger.error(
            "configuration not reloaded, nothing was changed",
            metadata: ["needs_restart": "\(keys.joined(separator: " "))"]
        )
        return .needsRestart(keys)
    }

    private func refuse(_ error: any Error) -> ReloadOutcome {
        let text =
            (error as? ConfigurationError).map {
                $0.problems.map(\.description).joined(separator: "; ")
            } ?? "\(error)"
        logger.error(
            "configuration not reloaded, nothing was changed",
            metadata: ["problems": "\(text)"]
        )
        return .refused
    }

    private func carryOut(_ plan: ReloadPlan) async {
        configuration = plan.configuration
        namespaces.withLock { $0 = plan.namespaces }
        store.setDurability { plan.namespaces.isDurable($0) }
        store.setMemoryLimits { MemoryTopicLimits(plan.namespaces[$0]) }
        await transport.useNamespaces(plan.namespaces)
        wired.leading.leader?.alerts.use(plan.update.rules)
        live.shared.clients.use(
            rates: plan.update.settings.rates,
            connectionsPerUserMax: plan.configuration.limits.connectionsPerUser,
            subscriptionsPerUserMax: plan.configuration.limits.subscriptionsPerUser
        )
        let unsubscribed = await transport.use(plan.update)
        if let issuer = plan.credentials.issuer { wired.node.accounts?.use(issuer) }
        live.api.withLock {
            $0 = ServerAPI(
                hub: live.operations,
                access: plan.credentials.access,
                keys: wired.opened.keys,
                failures: wired.opened.failedCommands,
                logger: logger
            )
        }
        plan.movedKeys.log(to: logger)
        plan.replacedSecrets.log(to: logger)
        wired.node.names.withLock { $0 = plan.names }
        let served = plan.configuration.servedNamespaces(live.parts.domainNamespaces)
        wired.node.namespaces.withLock { $0 = served }
        plan.warnings.log(to: logger)
        logger.notice(
            "configuration reloaded",
            metadata: [
                "changed": "\(plan.keys.isEmpty ? "nothing" : plan.keys.joined(separator: " "))",
                "unsubscribed": .stringConvertible(unsubscribed),
            ]
        )
        // After this entry, so that it is logged at the old level.
        live.threshold.use(plan.configuration.logLevel.level)
    }
}

/// The validated input of a reload.
private struct ReloadPlan: Sendable {
    let keys: [String]
    let configuration: Configuration
    let credentials: Credentials
    let movedKeys: [MovedKey]
    let replacedSecrets: [ReplacedSecrets]
    let names: ServedNames
    let warnings: [ConfigurationWarning]
    /// Includes the namespaces that were configured before.
    let namespaces: NamespaceTable
    let update: LoopUpdate

    init(
        _ loaded: LoadedConfiguration,
        keys: [String],
        of hub: isolated HubService
    ) async throws {
        self.keys = keys
        configuration = loaded.configuration
        movedKeys = loaded.movedKeys
        replacedSecrets = loaded.replacedSecrets
        names = hub.live.parts.names(loaded.configuration)
        warnings = loaded.warnings(names)
        let accounts = hub.live.parts.accounts
        credentials = try await Credentials.load(loaded, signsTokens: accounts != nil)
        // Only checked: the keys are read at the start.
        _ = try await AppleIdentities.keys(accounts, loaded)
        let effective = configuration.servedNamespaces(hub.live.parts.domainNamespaces)
        let known = hub.namespaces.withLock { $0 }
        namespaces = known.merging(NamespaceTable(effective))
        var update = LoopUpdate(
            settings: LoopSettings(configuration, offersEcho: false),
            rules: NamespaceRules(
                effective,
                hub.live.parts.domains,
                hub.live.parts.registered,
                configuration
            ),
            verifier: credentials.verifier
        )
        update.apiKeys = credentials.apiKeys
        update.keepsPublishedKeys = configuration.tokens.jwksURL != nil
        self.update = update
    }
}

extension Configuration.LogLevel {
    package var level: Logger.Level {
        // The names are those of swift-log.
        Logger.Level(rawValue: rawValue) ?? .info
    }
}
