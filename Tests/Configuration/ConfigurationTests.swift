import ConfigurationTesting
import Expectations

@testable import Configuration

@Suite("Configuration: layers and values", .timeLimit(.minutes(10)))
struct ConfigurationTests {
    @Test(arguments: [nil, "", "# nothing but a comment\n"])
    func nothingConfiguredGivesDefaults(yaml: String?) throws {
        let loaded = try LoadedConfiguration(
            file: yaml.map { (name: "varde.yaml", text: $0) },
            domains: []
        )
        expectEqual(loaded.configuration, Configuration())
        expectEqual(loaded.origin(of: "database"), .defaultValue)
    }

    @Test func everyKeyIsRead() throws {
        let configuration = try load(everyKey).configuration
        expectEqual(
            configuration.listen,
            [
                ListenAddress(host: "127.0.0.1", port: 8000),
                ListenAddress(host: "::1", port: 8001),
            ]
        )
        expectEqual(configuration.database, "/var/lib/hub.sqlite")
        expect(configuration.development)
        expectEqual(configuration.loops, .count(4))
        expectEqual(configuration.logLevel, .debug)
        expectEqual(configuration.logFormat, .json)
        expectEqual(configuration.tls?.certificate, "chain.pem")
        expectEqual(configuration.tls?.key, "key.pem")
        expectEqual(configuration.tls?.certificates.map(\.certificate), ["b.pem"])
        expectEqual(configuration.tls?.certificates.map(\.key), ["b-key.pem"])
        expectEqual(configuration.tls?.clientCertificates, .optional)
        expectEqual(configuration.tls?.clientAuthorities, "clients.pem")
        expectEqual(configuration.clock?.start, Timestamp(iso8601: "2024-12-09T16:00:00Z"))
        expectEqual(configuration.clock?.speed, 360)
        expectEqual(configuration.clock?.end, Timestamp(iso8601: "2024-12-10T05:00:00Z"))
        expectEqual(
            configuration.http.allowedOrigins.map(\.description),
            [
                "https://*.example.org", "https://example.org:8443",
            ]
        )
        expectEqual(configuration.webSocket.pingInterval, .seconds(20))
        expectEqual(configuration.webSocket.pongTimeout, .milliseconds(500))
        expectEqual(configuration.eventStream.heartbeat, .seconds(10))
        expectEqual(configuration.eventStream.retry, .seconds(1))
    }

    @Test func everyLimitIsRead() throws {
        let limits = try load(everyKey).configuration.limits
        expectEqual(limits.memory, 512 << 20)
        expectEqual(limits.headerBytes, 32 << 10)
        expectEqual(limits.bodyBytes, 2 << 20)
        expectEqual(limits.messageBytes, 64 << 10)
        expectEqual(limits.connectBytes, 4 << 10)
        expectEqual(limits.messageTimeout, .seconds(20))
        expectEqual(limits.queueBytes, 512 << 10)
        expectEqual(limits.handshakeTimeout, .seconds(5))
        expectEqual(limits.idleTimeout, .seconds(120))
        expectEqual(limits.connections, 100)
        expectEqual(limits.subscriptions, 13)
        expectEqual(limits.unpublishedTopics, 17)
        expectEqual(limits.connectionsPerUser, 14)
        expectEqual(limits.subscriptionsPerUser, 15)
        expectEqual(limits.handshakes, 16)
    }

    @Test func everyLimitOfAlertRulesIsRead() throws {
        let limits = try load(everyKey).configuration.alertLimits
        expectEqual([limits.rules, limits.userRules, limits.rulesPerUser], [21, 22, 23])
        expectEqual([limits.topics, limits.userTopics, limits.topicsPerUser], [24, 25, 26])
        expectEqual([limits.waitingBytes, limits.userWaitingBytes], [27 << 20, 28 << 20])
    }

    @Test func everyRateAndCredentialIsRead() throws {
        let configuration = try load(everyKey).configuration
        let rates = configuration.rates
        expectEqual([rates.connection.commands, rates.connection.publishes], [1, 2])
        expectEqual([rates.user.connects, rates.user.commands, rates.user.publishes], [3, 4, 5])
        let address = rates.address
        expectEqual([address.connects, address.commands, address.publishes], [6, 7, 8])
        expectEqual(address.logins, 9)
        expectEqual(configuration.drain.spread, .seconds(30))
        expectEqual(configuration.drain.timeout, .seconds(60))
        expectEqual(configuration.tokens.secrets, [Secret("a-secret"), Secret("another")])
        expectEqual(configuration.tokens.publicKeys, ["tokens.pem"])
        expectEqual(configuration.tokens.jwksFile, "jwks.json")
        expectEqual(configuration.tokens.audience, "varde")
        expectEqual(configuration.tokens.issuer, "id")
        expectEqual(configuration.tokens.leeway, .seconds(5))
        expect(configuration.tokens.required)
        expectEqual(configuration.api.keys, [.init(Secret("sha256:00"))])
        expectEqual(configuration.synchronous, .full)
    }

    @Test func everyKeyOfListenersIsRead() throws {
        let configuration = try load(everyKey).configuration
        expectEqual(configuration.socketMode.bits, 0o600)
        let trusted = configuration.http.trustedProxies.map(\.description)
        expectEqual(trusted, ["10.0.0.0/8", "127.0.0.1/32", "unix"])
        expectEqual(configuration.http.proxyProtocol.map(\.description), ["2001:db8::/32"])
        let admin = configuration.admin.listen.map(\.description)
        expectEqual(admin, ["127.0.0.1:9090", "unix:/run/admin.sock"])
        expect(configuration.admin.tls)
        expect(configuration.tracing.sampled)
        expect(!configuration.tracing.upstreams)
        expectEqual(configuration.tls?.keyPassword, Secret("a-passphrase"))
        let other = configuration.tls?.certificates.first?.keyPassword
        expectEqual(other, Secret("another-passphrase"))
    }

    @Test func everyKeyOfTheListsIsRead() throws {
        let configuration = try load(everyKey).configuration
        let namespace = try require(configuration.namespaces.first)
        expectEqual(namespace.name, "chat")
        expect(!namespace.durable)
        expectEqual(namespace.historySize, 10)
        expectEqual(namespace.historyBytes, 64 << 10)
        expectEqual(namespace.historyAge, .seconds(48 * 3600))
        expectEqual(namespace.forgetAfter, .seconds(90 * 86_400))
        expectEqual(namespace.maxTopics, 5000)
        expectEqual(namespace.maxTopicsPerPublisher, 50)
        expectEqual(namespace.recovery, .cache)
        expect(namespace.presence)
        expect(namespace.joinLeave)
        expect(namespace.delta)
        expect(namespace.anonymousSubscribe)
        expectEqual(namespace.subscribe, .owner)
        expectEqual(namespace.members, ["staff:*", "crew"])
        expectEqual(namespace.owner, "chat:{userId}:*")
        expectEqual(namespace.publish, .users)
        expectEqual(namespace.slowConsumer, .dropOldest)

        let alert = try require(configuration.alerts.first)
        expectEqual(alert.name, "good")
        expectEqual(alert.topics, "aurora:*")
        expectEqual(alert.when, "score >= 50")
        expectEqual(alert.until, "score < 45")
        expectEqual(alert.hold, .seconds(60))
        expectEqual(alert.keep, .seconds(120))
        expectEqual(alert.cooldown, .seconds(180))
        expectEqual(alert.severity, .warning)
        expectEqual(alert.escalate.map(\.severity), [.critical])
        expectEqual(alert.escalate.map(\.when), ["score >= 90"])
        let quiet = try require(alert.quiet)
        expectEqual([quiet.from, quiet.to, quiet.zone.name], ["22:00", "07:00", "+01:00"])

        let webhook = try require(configuration.webhooks.first)
        expectEqual(webhook.name, "pager")
        expectEqual(webhook.url, "https://hooks.example.org/t/abc")
        expectEqual(webhook.secretSource, .text(Secret("whsec_c2VjcmV0")))
        expectEqual(webhook.types, ["aurora.alert.*"])
        expectEqual(webhook.topics, ["aurora:tromso"])
        expectEqual(webhook.severities, [.warning, .critical])
        expectEqual(webhook.timeout, .seconds(5))
    }

    @Test func everyKeyOfTheSchemaIsInThatExample() throws {
        let loaded = try load(everyKey)
        for key in ConfigurationSchema().keys {
            // A webhook has one of three keys for its secret.
            if key.path.hasPrefix("webhooks[].secret_") { continue }
            // A key set has one place.
            if key.path == "tokens.jwks_url" { continue }
            // So has the key that seals secrets.
            if ["webhook_limits.secret_key", "webhook_limits.secret_key_env"].contains(key.path) {
                continue
            }
            if key.path == "accounts.apple.keys_file" { continue }
            // A node of a cluster has no clock of a recording.
            if key.path.hasPrefix("cluster.") { continue }
            let path = key.path.replacing("[]", with: "[0]")
            expect(loaded.origin(of: path) != .defaultValue, "\(path)")
        }
    }

    @Test(arguments: [
        ("[]", []), ("['*']", ["*"]), ("['null']", ["null"]),
        ("[https://a.example]", ["https://a.example"]),
        ("[HTTPS://A.example:443]", ["https://a.example"]),
        ("['https://*.a.example', 'null']", ["https://*.a.example", "null"]),
    ])
    func allowedOriginsAreRead(yaml: String, patterns: [String]) throws {
        let loaded = try load("http: {allowed_origins: \(yaml)}\n")
        expectEqual(loaded.configuration.http.allowedOrigins.map(\.description), patterns)
    }

    // MARK: - Layers

    @Test func environmentOverridesTheFile() throws {
        let loaded = try load(
            "database: file.sqlite\nloops: 2\n",
            environment: ["VARDE_DATABASE": "environment.sqlite", "OTHER": "x"]
        )
        expectEqual(loaded.configuration.database, "environment.sqlite")
        expectEqual(loaded.configuration.loops, .count(2))
        expectEqual(loaded.origin(of: "database"), .environment(variable: "VARDE_DATABASE"))
        expectEqual(loaded.origin(of: "loops"), .file(name: "varde.yaml", line: 2, column: 8))
    }

    @Test func flagsOverrideTheEnvironment() throws {
        var flags = ConfigurationFlags()
        flags.database = "flag.sqlite"
        let loaded = try load(
            "database: file.sqlite\n",
            environment: ["VARDE_DATABASE": "environment.sqlite"],
            flags: flags
        )
        expectEqual(loaded.configuration.database, "flag.sqlite")
        expectEqual(loaded.origin(of: "database"), .flag(name: "--database"))
    }

    @Test func everyVariableIsRead() throws {
        let configuration = try load(
            "",
            environment: [
                "VARDE_LISTEN": "0.0.0.0:1, [::1]:2", "VARDE_DATABASE": "x.sqlite",
                "VARDE_DEVELOPMENT": "false", "VARDE_LOOPS": "3", "VARDE_LOG_LEVEL": "trace",
                "VARDE_IO_URING": "false",
                "VARDE_LOG_FORMAT": "json", "VARDE_TLS_CERTIFICATE": "c.pem",
                "VARDE_TLS_KEY": "k.pem", "VARDE_CLOCK_START": "2024-12-09T16:00Z",
                "VARDE_CLOCK_SPEED": "1.5", "VARDE_TOKEN_SECRET": "a, b: \"c\"",
                "VARDE_API_KEY": "true",
            ]
        ).configuration
        expectEqual(configuration.listen.map(\.description), ["0.0.0.0:1", "[::1]:2"])
        expectEqual(configuration.database, "x.sqlite")
        expectEqual(configuration.loops, .count(3))
        expect(!configuration.usesRing)
        expectEqual(configuration.logLevel, .trace)
        expectEqual(configuration.logFormat, .json)
        expectEqual(configuration.tls?.certificate, "c.pem")
        expectEqual(configuration.tls?.key, "k.pem")
        expectEqual(configuration.tokens.secrets, [Secret(#"a, b: "c""#)])
        expectEqual(configuration.api.keys, [.init(Secret("true"))])
    }

    @Test func everyFlagIsRead() throws {
        var flags = ConfigurationFlags()
        flags.listen = ["127.0.0.1:1", "[::1]:2"]
        flags.database = "x.sqlite"
        flags.development = true
        flags.loops = "auto"
        flags.logLevel = "error"
        flags.logFormat = "json"
        flags.tlsCertificate = "c.pem"
        flags.tlsKey = "k.pem"
        flags.clockStart = "2024-12-09T16:00Z"
        flags.clockSpeed = "1.5"
        let configuration = try load("loops: 7\n", flags: flags).configuration
        expectEqual(configuration.clock?.start, Timestamp(iso8601: "2024-12-09T16:00:00Z"))
        expectEqual(configuration.clock?.speed, 1.5)
        expectEqual(configuration.listen.map(\.port), [1, 2])
        expectEqual(configuration.database, "x.sqlite")
        expect(configuration.development)
        expectEqual(configuration.loops, .automatic)
        expectEqual(configuration.logLevel, .error)
        expectEqual(configuration.logFormat, .json)
        expectEqual(configuration.tls?.certificate, "c.pem")
        expectEqual(configuration.tls?.key, "k.pem")
    }

    @Test func emptyVariableIsNotSet() throws {
        let loaded = try load("database: x.sqlite\n", environment: ["VARDE_DATABASE": ""])
        expectEqual(loaded.configuration.database, "x.sqlite")
    }

    @Test func halvesOfTLSMayComeFromDifferentLayers() throws {
        let tls = try load(
            "tls: {certificate: a.pem, key: b.pem}\n",
            environment: ["VARDE_TLS_KEY": "c.pem"]
        ).configuration.tls
        expectEqual(tls?.certificate, "a.pem")
        expectEqual(tls?.key, "c.pem")
    }

    // MARK: - Lists

    @Test func keySetHasOnePlace() throws {
        let url = "https://id.example.org/jwks.json"
        try expectEqual(load("tokens: {jwks_url: '\(url)'}\n").configuration.tokens.jwksURL, url)
        let error = #expect(throws: ConfigurationError.self) {
            try load("tokens: {jwks_url: '\(url)', jwks_file: keys.json}\n")
        }
        expectEqual(error?.problems.first?.message.contains("jwks_file"), true)
    }

    @Test func anchorsAndAliasesAreResolved() throws {
        let yaml = """
            alerts:
              - {name: a, topics: "x:*", when: &condition score > 1}
              - {name: b, topics: "y:*", when: *condition}
            """
        try expectEqual(load(yaml).configuration.alerts.map(\.when), ["score > 1", "score > 1"])
    }

    // MARK: - Files

    @Test func missingFileIsAnError() {
        let error = #expect(throws: ConfigurationError.self) {
            try LoadedConfiguration.load(
                path: "/nonexistent/varde.yaml",
                environment: [:],
                flags: ConfigurationFlags(),
                domains: []
            )
        }
        expectEqual(error?.problems.count, 1)
        expectEqual(error?.description.hasPrefix("/nonexistent/varde.yaml: cannot be read: "), true)
    }

    @Test func noFileNeedsNoFile() throws {
        let loaded = try LoadedConfiguration.load(
            path: nil,
            environment: ["VARDE_LOOPS": "2"],
            flags: ConfigurationFlags(),
            domains: []
        )
        expectEqual(loaded.configuration.loops, .count(2))
    }
}
