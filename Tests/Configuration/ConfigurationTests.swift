import ConfigurationTesting
import Testing

@testable import Configuration

@Suite("Configuration: layers and values", .timeLimit(.minutes(10)))
struct ConfigurationTests {
    @Test(arguments: [nil, "", "# nothing but a comment\n"])
    func nothingConfiguredGivesDefaults(yaml: String?) throws {
        let loaded = try LoadedConfiguration(
            file: yaml.map { (name: "varde.yaml", text: $0) },
            domains: []
        )
        #expect(loaded.configuration == Configuration())
        #expect(loaded.origin(of: "database") == .defaultValue)
    }

    @Test func everyKeyIsRead() throws {
        let configuration = try load(everyKey).configuration
        #expect(
            configuration.listen == [
                ListenAddress(host: "127.0.0.1", port: 8000),
                ListenAddress(host: "::1", port: 8001),
            ]
        )
        #expect(configuration.database == "/var/lib/hub.sqlite")
        #expect(configuration.development)
        #expect(configuration.loops == .count(4))
        #expect(configuration.logLevel == .debug)
        #expect(configuration.logFormat == .json)
        #expect(configuration.tls?.certificate == "chain.pem")
        #expect(configuration.tls?.key == "key.pem")
        #expect(configuration.tls?.certificates.map(\.certificate) == ["b.pem"])
        #expect(configuration.tls?.certificates.map(\.key) == ["b-key.pem"])
        #expect(configuration.tls?.clientCertificates == .optional)
        #expect(configuration.tls?.clientAuthorities == "clients.pem")
        #expect(configuration.clock?.start == Timestamp(iso8601: "2024-12-09T16:00:00Z"))
        #expect(configuration.clock?.speed == 360)
        #expect(configuration.clock?.end == Timestamp(iso8601: "2024-12-10T05:00:00Z"))
        #expect(
            configuration.http.allowedOrigins.map(\.description) == [
                "https://*.example.org", "https://example.org:8443",
            ]
        )
        #expect(configuration.webSocket.pingInterval == .seconds(20))
        #expect(configuration.webSocket.pongTimeout == .milliseconds(500))
        #expect(configuration.eventStream.heartbeat == .seconds(10))
        #expect(configuration.eventStream.retry == .seconds(1))
    }

    @Test func everyLimitIsRead() throws {
        let limits = try load(everyKey).configuration.limits
        #expect(limits.memory == 512 << 20)
        #expect(limits.headerBytes == 32 << 10)
        #expect(limits.bodyBytes == 2 << 20)
        #expect(limits.messageBytes == 64 << 10)
        #expect(limits.connectBytes == 4 << 10)
        #expect(limits.messageTimeout == .seconds(20))
        #expect(limits.queueBytes == 512 << 10)
        #expect(limits.handshakeTimeout == .seconds(5))
        #expect(limits.idleTimeout == .seconds(120))
        #expect(limits.connections == 100)
        #expect(limits.subscriptions == 13)
        #expect(limits.unpublishedTopics == 17)
        #expect(limits.connectionsPerUser == 14)
        #expect(limits.subscriptionsPerUser == 15)
        #expect(limits.handshakes == 16)
    }

    @Test func everyLimitOfAlertRulesIsRead() throws {
        let limits = try load(everyKey).configuration.alertLimits
        #expect([limits.rules, limits.userRules, limits.rulesPerUser] == [21, 22, 23])
        #expect([limits.topics, limits.userTopics, limits.topicsPerUser] == [24, 25, 26])
        #expect([limits.waitingBytes, limits.userWaitingBytes] == [27 << 20, 28 << 20])
    }

    @Test func everyRateAndCredentialIsRead() throws {
        let configuration = try load(everyKey).configuration
        let rates = configuration.rates
        #expect([rates.connection.commands, rates.connection.publishes] == [1, 2])
        #expect([rates.user.connects, rates.user.commands, rates.user.publishes] == [3, 4, 5])
        let address = rates.address
        #expect([address.connects, address.commands, address.publishes] == [6, 7, 8])
        #expect(address.logins == 9)
        #expect(configuration.drain.spread == .seconds(30))
        #expect(configuration.drain.timeout == .seconds(60))
        #expect(configuration.tokens.secrets == [Secret("a-secret"), Secret("another")])
        #expect(configuration.tokens.publicKeys == ["tokens.pem"])
        #expect(configuration.tokens.jwksFile == "jwks.json")
        #expect(configuration.tokens.audience == "varde")
        #expect(configuration.tokens.issuer == "id")
        #expect(configuration.tokens.leeway == .seconds(5))
        #expect(configuration.tokens.required)
        #expect(configuration.api.keys == [.init(Secret("sha256:00"))])
        #expect(configuration.synchronous == .full)
    }

    @Test func everyKeyOfListenersIsRead() throws {
        let configuration = try load(everyKey).configuration
        #expect(configuration.socketMode.bits == 0o600)
        let trusted = configuration.http.trustedProxies.map(\.description)
        #expect(trusted == ["10.0.0.0/8", "127.0.0.1/32", "unix"])
        #expect(configuration.http.proxyProtocol.map(\.description) == ["2001:db8::/32"])
        let admin = configuration.admin.listen.map(\.description)
        #expect(admin == ["127.0.0.1:9090", "unix:/run/admin.sock"])
        #expect(configuration.admin.tls)
        #expect(configuration.tracing.sampled)
        #expect(!configuration.tracing.upstreams)
        #expect(configuration.tls?.keyPassword == Secret("a-passphrase"))
        let other = configuration.tls?.certificates.first?.keyPassword
        #expect(other == Secret("another-passphrase"))
    }

    @Test func everyKeyOfTheListsIsRead() throws {
        let configuration = try load(everyKey).configuration
        let namespace = try #require(configuration.namespaces.first)
        #expect(namespace.name == "chat")
        #expect(!namespace.durable)
        #expect(namespace.historySize == 10)
        #expect(namespace.historyBytes == 64 << 10)
        #expect(namespace.historyAge == .seconds(48 * 3600))
        #expect(namespace.forgetAfter == .seconds(90 * 86_400))
        #expect(namespace.maxTopics == 5000)
        #expect(namespace.maxTopicsPerPublisher == 50)
        #expect(namespace.recovery == .cache)
        #expect(namespace.presence)
        #expect(namespace.joinLeave)
        #expect(namespace.delta)
        #expect(namespace.anonymousSubscribe)
        #expect(namespace.subscribe == .owner)
        #expect(namespace.members == ["staff:*", "crew"])
        #expect(namespace.owner == "chat:{userId}:*")
        #expect(namespace.publish == .users)
        #expect(namespace.slowConsumer == .dropOldest)

        let alert = try #require(configuration.alerts.first)
        #expect(alert.name == "good")
        #expect(alert.topics == "aurora:*")
        #expect(alert.when == "score >= 50")
        #expect(alert.until == "score < 45")
        #expect(alert.hold == .seconds(60))
        #expect(alert.keep == .seconds(120))
        #expect(alert.cooldown == .seconds(180))
        #expect(alert.severity == .warning)
        #expect(alert.escalate.map(\.severity) == [.critical])
        #expect(alert.escalate.map(\.when) == ["score >= 90"])
        let quiet = try #require(alert.quiet)
        #expect([quiet.from, quiet.to, quiet.zone.name] == ["22:00", "07:00", "+01:00"])

        let webhook = try #require(configuration.webhooks.first)
        #expect(webhook.name == "pager")
        #expect(webhook.url == "https://hooks.example.org/t/abc")
        #expect(webhook.secretSource == .text(Secret("whsec_c2VjcmV0")))
        #expect(webhook.types == ["aurora.alert.*"])
        #expect(webhook.topics == ["aurora:tromso"])
        #expect(webhook.severities == [.warning, .critical])
        #expect(webhook.timeout == .seconds(5))
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
            #expect(loaded.origin(of: path) != .defaultValue, "\(path)")
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
        #expect(loaded.configuration.http.allowedOrigins.map(\.description) == patterns)
    }

    // MARK: - Layers

    @Test func environmentOverridesTheFile() throws {
        let loaded = try load(
            "database: file.sqlite\nloops: 2\n",
            environment: ["VARDE_DATABASE": "environment.sqlite", "OTHER": "x"]
        )
        #expect(loaded.configuration.database == "environment.sqlite")
        #expect(loaded.configuration.loops == .count(2))
        #expect(loaded.origin(of: "database") == .environment(variable: "VARDE_DATABASE"))
        #expect(
            loaded.origin(of: "loops") == .file(name: "varde.yaml", line: 2, column: 8)
        )
    }

    @Test func flagsOverrideTheEnvironment() throws {
        var flags = ConfigurationFlags()
        flags.database = "flag.sqlite"
        let loaded = try load(
            "database: file.sqlite\n",
            environment: ["VARDE_DATABASE": "environment.sqlite"],
            flags: flags
        )
        #expect(loaded.configuration.database == "flag.sqlite")
        #expect(loaded.origin(of: "database") == .flag(name: "--database"))
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
        #expect(configuration.listen.map(\.description) == ["0.0.0.0:1", "[::1]:2"])
        #expect(configuration.database == "x.sqlite")
        #expect(configuration.loops == .count(3))
        #expect(!configuration.usesRing)
        #expect(configuration.logLevel == .trace)
        #expect(configuration.logFormat == .json)
        #expect(configuration.tls?.certificate == "c.pem")
        #expect(configuration.tls?.key == "k.pem")
        #expect(configuration.tokens.secrets == [Secret(#"a, b: "c""#)])
        #expect(configuration.api.keys == [.init(Secret("true"))])
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
        #expect(configuration.clock?.start == Timestamp(iso8601: "2024-12-09T16:00:00Z"))
        #expect(configuration.clock?.speed == 1.5)
        #expect(configuration.listen.map(\.port) == [1, 2])
        #expect(configuration.database == "x.sqlite")
        #expect(configuration.development)
        #expect(configuration.loops == .automatic)
        #expect(configuration.logLevel == .error)
        #expect(configuration.logFormat == .json)
        #expect(configuration.tls?.certificate == "c.pem")
        #expect(configuration.tls?.key == "k.pem")
    }

    @Test func emptyVariableIsNotSet() throws {
        let loaded = try load("database: x.sqlite\n", environment: ["VARDE_DATABASE": ""])
        #expect(loaded.configuration.database == "x.sqlite")
    }

    @Test func halvesOfTLSMayComeFromDifferentLayers() throws {
        let tls = try load(
            "tls: {certificate: a.pem, key: b.pem}\n",
            environment: ["VARDE_TLS_KEY": "c.pem"]
        ).configuration.tls
        #expect(tls?.certificate == "a.pem")
        #expect(tls?.key == "c.pem")
    }

    // MARK: - Lists

    @Test func keySetHasOnePlace() throws {
        let url = "https://id.example.org/jwks.json"
        #expect(try load("tokens: {jwks_url: '\(url)'}\n").configuration.tokens.jwksURL == url)
        let error = #expect(throws: ConfigurationError.self) {
            try load("tokens: {jwks_url: '\(url)', jwks_file: keys.json}\n")
        }
        #expect(error?.problems.first?.message.contains("jwks_file") == true)
    }

    @Test func anchorsAndAliasesAreResolved() throws {
        let yaml = """
            alerts:
              - {name: a, topics: "x:*", when: &condition score > 1}
              - {name: b, topics: "y:*", when: *condition}
            """
        #expect(try load(yaml).configuration.alerts.map(\.when) == ["score > 1", "score > 1"])
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
        #expect(error?.problems.count == 1)
        #expect(error?.description.hasPrefix("/nonexistent/varde.yaml: cannot be read: ") == true)
    }

    @Test func noFileNeedsNoFile() throws {
        let loaded = try LoadedConfiguration.load(
            path: nil,
            environment: ["VARDE_LOOPS": "2"],
            flags: ConfigurationFlags(),
            domains: []
        )
        #expect(loaded.configuration.loops == .count(2))
    }
}
