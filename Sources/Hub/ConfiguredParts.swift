import Foundation

/// The parts made from a configuration: its texts compiled, its files read, its names resolved.
package struct ConfiguredParts: Sendable {
    let listeners: [ListenerSettings]
    let tls: TLSServer?
    let namespaces: NamespaceTable
    let rules: NamespaceRules
    let alertRules: [AlertRule]
    let endpoints: [WebhookEndpoint]
    /// The key that seals secrets in the store; nil to store them in plaintext.
    let webhookSecretKey: Secret?
    /// The enabled domains.
    let domains: [any Domain]
    let registered: [any Domain.Type]
    /// Nil if accounts are off: they are not configured, and no domain has users.
    package let accounts: Configuration.Accounts?
    let directory: any AccountDirectory
    /// The namespaces that domains define.
    let domainNamespaces: [Configuration.Namespace]

    /// The enabled domains that are doors.
    var doors: [any Door] { domains.compactMap { $0 as? any Door } }

    /// The names of the migrations of domains that are off.
    var unusedMigrations: Set<String> {
        let on = Set(domains.map { type(of: $0).manifest.name })
        let off = registered.map { $0.manifest }.filter { !on.contains($0.name) }
        return Set(off.flatMap { manifest in manifest.migrations.map { $0.name } })
    }

    /// - Throws: `ConfigurationError` with every invalid value, then for certificates.
    package init(
        _ loaded: LoadedConfiguration,
        environment: [String: String],
        domains registered: [any Domain.Type]
    ) throws {
        let configuration = loaded.configuration
        var problems: [ConfigurationProblem] = []
        listeners = ListenerSettings.all(configuration) {
            problems.append(loaded.problem(at: $0, $1))
        }
        self.registered = registered
        domains = registered.compactMap {
            $0.configured(configuration, environment: environment) {
                problems.append(loaded.problem(at: $0, $1))
            }
        }
        let users = domains.lazy.compactMap { $0.users }.first
        accounts = configuration.accounts ?? users.map { _ in Configuration.Accounts() }
        directory = users ?? AccountTableDirectory()
        let vocabulary = AlertVocabulary(registered)
        alertRules = configuration.alerts.enumerated().compactMap { index, alert in
            AlertRule(alert, vocabulary: vocabulary) {
                problems.append(loaded.problem(at: "alerts[\(index)].\($0)", $1))
            }
        }
        endpoints = configuration.webhooks.enumerated().compactMap { index, webhook in
            ConfiguredParts.endpoint(webhook, environment) {
                problems.append(loaded.problem(at: "webhooks[\(index)].\($0)", $1))
            }
        }
        webhookSecretKey = ConfiguredParts.webhookSecretKey(configuration, environment) {
            problems.append(loaded.problem(at: "webhook_limits.\($0)", $1))
        }
        domainNamespaces = domains.flatMap { type(of: $0).manifest.namespaces }
        let effective = configuration.servedNamespaces(domainNamespaces)
        let reserved = NamespaceTable(reservedBy: registered)
        namespaces = NamespaceTable(effective)
            .merging(configuration.cluster == nil ? reserved : reserved.madeDurable)
        rules = NamespaceRules(effective, domains, registered, configuration)
        let names = Set(effective.map(\.name))
        for (index, key) in configuration.api.keys.enumerated() {
            for (place, name) in key.namespaces.enumerated() where !names.contains(name) {
                let path = "api.keys[\(index)].namespaces[\(place)]"
                let expected = names.sorted().joined(separator: ", ")
                problems.append(
                    loaded.problem(at: path, "found \(name), expected one of \(expected)")
                )
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
        tls = try configuration.tls.map { tls in
            do throws(TLSError) {
                return try TLSServer(TLSServerSettings(tls), now: HubClock.wall)
            } catch {
                let key = tls.key(ofFile: error.context) ?? "tls"
                throw ConfigurationError([loaded.problem(at: key, "\(error)")])
            }
        }
    }

    /// Returns the names that filters and rules may use under a configuration with these parts.
    package func names(_ configuration: Configuration) -> ServedNames {
        let isOn = Set(domains.map { type(of: $0).manifest.name })
        var off: [String: Set<String>] = [:]
        for domain in registered where !isOn.contains(domain.manifest.name) {
            off[domain.manifest.name] = Set(domain.manifest.namespaces.map { $0.name })
        }
        var types: [String: Set<String>] = [:]
        for domain in registered where !domain.manifest.eventTypes.isEmpty {
            types[domain.manifest.name] = domain.manifest.eventTypes
        }
        let served = configuration.servedNamespaces(domainNamespaces).map { $0.name }
        return ServedNames(
            namespaces: Set(served),
            domains: isOn,
            domainsOff: off,
            eventTypes: types,
            hasBackends: !configuration.api.keys.isEmpty
        )
    }

    private static func webhookSecretKey(
        _ configuration: Configuration,
        _ environment: [String: String],
        _ report: (String, String) -> Void
    ) -> Secret? {
        let source: SecretSource
        let name: String
        if let key = configuration.webhookLimits.secretKey {
            (source, name) = (.text(key), "secret_key")
        } else if let file = configuration.webhookLimits.secretKeyFile {
            (source, name) = (.file(file), "secret_key_file")
        } else if let variable = configuration.webhookLimits.secretKeyEnvironment {
            (source, name) = (.environment(variable), "secret_key_env")
        } else {
            return nil
        }
        let key = source.load(environment: environment) {
            try? String(contentsOfFile: $0, encoding: .utf8)
        }
        guard let key else {
            report(name, "nothing found where the key should be")
            return nil
        }
        guard key.revealed.utf8.count >= WebhookVault.keyBytesMin else {
            report(
                name,
                "found a key of \(key.revealed.utf8.count) bytes,"
                    + " expected at least \(WebhookVault.keyBytesMin)"
            )
            return nil
        }
        return key
    }

    private static func endpoint(
        _ webhook: Configuration.Webhook,
        _ environment: [String: String],
        _ report: (String, String) -> Void
    ) -> WebhookEndpoint? {
        let text = webhook.secretSource?.load(environment: environment) {
            try? String(contentsOfFile: $0, encoding: .utf8)
        }
        let secretKey =
            switch webhook.secretSource {
            case .text, nil: "secret"
            case .file: "secret_file"
            case .environment: "secret_env"
            }
        guard let text else {
            report(secretKey, "nothing found where the secret should be")
            return nil
        }
        do throws(WebhookURLError) { _ = try WebhookURL(webhook.url) } catch {
            report("url", "\(error)")
            return nil
        }
        do {
            var endpoint = WebhookEndpoint(
                name: webhook.name,
                url: webhook.url,
                secrets: [try WebhookSecret(text.revealed)],
                filter: try WebhookFilter(
                    types: webhook.types,
                    topics: webhook.topics,
                    severities: webhook.severities.map(\.rawValue)
                ),
                timeout: webhook.timeout
            )
            endpoint.rate = webhook.rate
            return endpoint
        } catch let error as WebhookSecretError {
            report(secretKey, "\(error)")
        } catch {
            report("types", "\(error)")
        }
        return nil
    }
}

extension NamespaceTable {
    /// - Parameter namespaces: namespaces with distinct names.
    init(_ namespaces: [Configuration.Namespace]) {
        self.init(
            Dictionary(uniqueKeysWithValues: namespaces.map { ($0.name, NamespaceSettings($0)) })
        )
    }
}

extension NamespaceSettings {
    fileprivate init(_ namespace: Configuration.Namespace) {
        self.init(
            history: HistoryLimit(
                count: namespace.historySize,
                age: namespace.historyAge,
                bytes: namespace.historyBytes
            ),
            isDurable: namespace.durable,
            recovery: namespace.recovery,
            forgetAfter: namespace.forgetAfter > .zero ? namespace.forgetAfter : nil,
            isClientPublished: namespace.publish != .nobody || namespace.hooks.publish != nil,
            topicsMax: namespace.maxTopics,
            topicsPerPublisherMax: namespace.maxTopicsPerPublisher,
            attendance: TopicAttendance(namespace.lifecycle)
        )
    }
}

extension TopicAttendance {
    fileprivate init(_ lifecycle: [Configuration.TopicLifecycle]) {
        self = lifecycle.reduce(into: []) { attendance, kind in
            switch kind {
            case .topics: attendance.insert(.topics)
            case .members: attendance.insert(.members)
            }
        }
    }
}

extension DeflateSettings {
    /// Nil if compression is switched off.
    fileprivate init?(_ compression: Configuration.Compression) {
        guard compression.enabled else { return nil }
        self.init(
            server: DeflateWindow(
                bits: compression.serverWindowBits,
                isTakenOver: compression.serverContextTakeover
            ),
            client: DeflateWindow(
                bits: compression.clientWindowBits,
                isTakenOver: compression.clientContextTakeover
            ),
            compressionLevel: compression.level,
            messageLengthMin: compression.messageBytesMin
        )
    }
}

extension Configuration.TLS {
    /// The key that names a file; nil if none does.
    fileprivate func key(ofFile file: String) -> String? {
        if file == certificate { return "tls.certificate" }
        if file == key { return "tls.key" }
        if file == clientAuthorities { return "tls.client_ca" }
        for (index, other) in certificates.enumerated() {
            if file == other.certificate { return "tls.certificates[\(index)].certificate" }
            if file == other.key { return "tls.certificates[\(index)].key" }
        }
        return nil
    }
}

extension TLSServerSettings {
    /// - Parameter tls: without contradictions, as validated by the configuration's reader.
    fileprivate init(_ tls: Configuration.TLS) {
        let others = tls.certificates.map {
            TLSCertificateFiles(
                certificate: $0.certificate,
                key: $0.key,
                keyPassword: $0.keyPassword?.revealed
            )
        }
        self.init(
            certificates: [
                TLSCertificateFiles(
                    certificate: tls.certificate,
                    key: tls.key,
                    keyPassword: tls.keyPassword?.revealed
                )
            ] + others
        )
        clientCertificates =
            switch (tls.clientCertificates, tls.clientAuthorities) {
            case (.optional, .some(let file)): .optional(authorities: file)
            case (.required, .some(let file)): .required(authorities: file)
            case (.none, _): .none
            case (.optional, nil), (.required, nil):
                preconditionFailure("client certificates without an authority")
            }
        versions =
            switch tls.minimumVersion {
            case .tls12: .tls12 ... .tls13
            case .tls13: .tls13 ... .tls13
            }
    }
}

/// The memory that a kept publication uses in addition to its bytes: its object, the header of its
/// payload's allocation, and a reference in the history, for which a growing array allocates one and a
/// half times the size on average.
private let publicationMemory = 164 + MemoryLayout<Publication>.stride * 3 / 2

extension HubLimits {
    fileprivate init(_ configuration: Configuration) {
        let limits = configuration.limits
        self.init(
            unpublishedTopicsMax: limits.unpublishedTopics,
            // Half of a queue; otherwise, a slow client would be disconnected by the recovery that it
            // requested, and would request it again.
            recoveryBytesMax: max(1, limits.queueBytes / 2),
            // The other half is for messages, queues and answers.
            historyBytesMax: limits.memory / 2,
            clientHistoryBytesMax: limits.memory / 4,
            storedHistoryBytesMax: min(configuration.history.memory, limits.memory / 2),
            publicationOverhead: publicationMemory,
            topicOverhead: MemoryLedger.topicBytes
        )
    }
}

extension LoopSettings {
    init(_ configuration: Configuration, offersEcho: Bool) {
        self.init()
        if let cluster = configuration.cluster { node = cluster.node }
        isDevelopment = configuration.development
        let limits = configuration.limits
        connections = ConnectionLimits(
            connectionsMax: limits.connections,
            queueBytesMax: limits.queueBytes
        )
        connections.trust = ProxyTrust(
            sendHeaders: PeerBlocks(configuration.http.proxyProtocol),
            forward: PeerBlocks(configuration.http.trustedProxies)
        )
        http = HTTPLimits(headBytesMax: limits.headerBytes, bodyBytesMax: limits.bodyBytes)
        origins = OriginPolicy(allowed: configuration.http.allowedOrigins)
        connections.turnWritesMax = limits.turnWrites
        if !configuration.usesRing { connections.ringSendsMin = .max }
        connections.stallTimeout = limits.stallTimeout
        connections.userTimeout = limits.userTimeout
        connections.refusal = Refusal(
            ServerResponse.overloaded,
            unless: EventStreamEncoder.contentType
        )
        webSocket = WebSocketLimits(
            messageLengthMax: limits.messageBytes,
            // A frame longer than the longest message is refused as a message would be.
            frameLengthMax: min(limits.frameBytes, limits.messageBytes),
            fragmentsPerMessageMax: limits.fragments
        )
        connectBytesMax = limits.connectBytes
        messageTimeout = limits.messageTimeout
        deflate = DeflateSettings(configuration.webSocket.compression)
        controlFramesMax = limits.controlFrames
        turnAcceptsMax = limits.turnAccepts
        turnWorkBytesMax = limits.turnWork
        closeTimeout = limits.closeTimeout
        pingInterval = configuration.webSocket.pingInterval
        pongTimeout = configuration.webSocket.pongTimeout
        client = CentrifugeLimits(
            frameLengthMax: limits.messageBytes,
            commandLengthMax: min(64 << 10, limits.messageBytes),
            subscriptionsMax: limits.subscriptions,
            pingInterval: configuration.webSocket.pingInterval,
            pongTimeout: configuration.webSocket.pongTimeout
        )
        requiresToken = configuration.tokens.required
        hooks.connect = configuration.clients.connectHook
        hooks.refresh = configuration.clients.refreshHook
        hooks.methods = configuration.clients.rpcHooks
        hub = HubLimits(configuration)
        rates = ClientRates(configuration.rates, handshakes: limits.handshakes)
        requestTimeout = limits.handshakeTimeout
        idleTimeout = limits.idleTimeout
        heartbeat = configuration.eventStream.heartbeat
        retry = configuration.eventStream.retry
        self.offersEcho = offersEcho
    }
}
