/// A part of the configuration that leaves the hub open to all peers that can reach it. It may be
/// intended, so it is not a problem.
package struct ConfigurationExposure: Equatable, Sendable, CustomStringConvertible {
    /// The key that restricts it, such as `tokens.required`.
    package let path: String
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}

extension LoadedConfiguration {
    /// Returns the exposures if other machines can reach a listener; empty if all listeners are on
    /// loopback.
    ///
    /// - Parameter hasAccounts: whether clients can log in.
    package func exposures(hasAccounts: Bool = false) -> [ConfigurationExposure] {
        let all = configuration.listen + configuration.admin.listen
        guard let address = all.first(where: { !$0.isLoopback }) else { return [] }
        return transportExposures(address) + accessExposures() + boundExposures(hasAccounts)
            + secretExposures() + schema.exposures(self)
    }

    private func transportExposures(_ address: ListenAddress) -> [ConfigurationExposure] {
        var found: [ConfigurationExposure] = []
        if configuration.tls == nil {
            found.append(
                .init(
                    path: "tls",
                    message:
                        "none, and \(address) is not loopback: tokens and data can be read on the"
                        + " way, unless a proxy in front ends TLS and only it can reach the hub"
                )
            )
        }
        let admin = configuration.admin
        if admin.listen.isEmpty {
            found.append(
                .init(
                    path: "admin.listen",
                    message:
                        "none: every client that can reach \(address) can read /metrics and"
                        + " /api/health"
                )
            )
        } else if let open = admin.listen.first(where: { !$0.isLoopback }) {
            found.append(
                .init(
                    path: "admin.listen",
                    message: "\(open) is not loopback: let only the monitoring reach it"
                )
            )
        }
        return found
    }

    private func accessExposures() -> [ConfigurationExposure] {
        let tokens = configuration.tokens
        var found: [ConfigurationExposure] = []
        if !tokens.required {
            found.append(
                .init(path: "tokens.required", message: "false: clients connect without a token")
            )
        }
        let hasKeys =
            !tokens.secrets.isEmpty || !tokens.publicKeys.isEmpty || tokens.jwksFile != nil
            || tokens.jwksURL != nil
        if hasKeys, !tokens.requireExpiry {
            found.append(
                .init(
                    path: "tokens.require_exp",
                    message: "false: a stolen token without exp is good until its key is replaced"
                )
            )
        }
        for (index, namespace) in configuration.namespaces.enumerated() {
            let path = "namespaces[\(index)]"
            if namespace.anonymousSubscribe {
                found.append(
                    .init(
                        path: path + ".anonymous_subscribe",
                        message: "true: every client reads \(namespace.name)"
                    )
                )
            }
            let isOpen =
                namespace.publish == .anyone
                || namespace.publish == .subscribers && namespace.anonymousSubscribe
            if isOpen {
                found.append(
                    .init(
                        path: path + ".publish",
                        message: "\(namespace.publish.rawValue): clients without a token publish to"
                            + " \(namespace.name)"
                    )
                )
            }
        }
        if configuration.http.allowedOrigins.contains(.any) {
            found.append(
                .init(path: "http.allowed_origins", message: "*: every web page may use the hub")
            )
        }
        return found
    }

    /// Limits that are switched off.
    private func boundExposures(_ hasAccounts: Bool) -> [ConfigurationExposure] {
        let (limits, rates) = (configuration.limits, configuration.rates)
        var found: [ConfigurationExposure] = [
            ("limits.connections_per_user", limits.connectionsPerUser),
            ("rates.connection.commands", rates.connection.commands),
            ("rates.connection.publishes", rates.connection.publishes),
            ("rates.user.connects", rates.user.connects),
            ("rates.user.commands", rates.user.commands),
            ("rates.user.publishes", rates.user.publishes),
            ("rates.address.connects", rates.address.connects),
            ("rates.address.commands", rates.address.commands),
            ("rates.address.publishes", rates.address.publishes),
            ("rates.address.logins", hasAccounts ? rates.address.logins : 1),
        ].filter { $0.1 == 0 }.map { .init(path: $0.0, message: "0: no limit") }
        if limits.connectionsPerAddress >= limits.connections {
            found.append(
                .init(
                    path: "limits.connections_per_address",
                    message: "\(limits.connectionsPerAddress): one address can take all"
                        + " limits.connections (\(limits.connections))"
                )
            )
        }
        return found
    }

    /// Secrets in plaintext in the configuration file.
    private func secretExposures() -> [ConfigurationExposure] {
        var found: [ConfigurationExposure] = []
        func note(_ path: String, _ instead: String) {
            found += exposure(ofSecretAt: path, instead: instead).map { [$0] } ?? []
        }
        for index in configuration.tokens.secrets.indices {
            note("tokens.secrets[\(index)]", "set VARDE_TOKEN_SECRET, or use public keys")
        }
        for (index, key) in configuration.api.keys.enumerated()
        where !key.key.revealed.hasPrefix("sha256:") {
            let path = "api.keys[\(index)]"
            let isMapping = origin(of: "\(path).key") != .defaultValue
            note(
                isMapping ? "\(path).key" : path,
                "give its digest, as varde token api-key prints it,"
            )
        }
        for (index, webhook) in configuration.webhooks.enumerated() where webhook.secret != nil {
            note("webhooks[\(index)].secret", "use secret_file or secret_env")
        }
        let limits = configuration.webhookLimits
        if limits.secretKey == nil, limits.secretKeyFile == nil, limits.secretKeyEnvironment == nil,
            limits.subscriptions > 0, !configuration.api.keys.isEmpty
        {
            found.append(
                .init(
                    path: "webhook_limits.secret_key_file",
                    message: "none: secrets of webhooks that the API makes are not encrypted in the"
                        + " database and its backups"
                )
            )
        }
        return found
    }

    /// Returns the exposure of a secret in plaintext in the configuration file; nil if it is not in
    /// plaintext there.
    ///
    /// - Parameter instead: the recommended action.
    package func exposure(ofSecretAt path: String, instead: String) -> ConfigurationExposure? {
        // If an element has no origin of its own, that of the whole list applies.
        let whole = path.split(separator: "[").first.map(String.init) ?? path
        let own = origin(of: path)
        guard case .file = own == .defaultValue ? origin(of: whole) : own else { return nil }
        return ConfigurationExposure(
            path: path,
            message: "a secret in clear in the file; \(instead) instead"
        )
    }
}
