// The keys of the configuration file, section by section: the one place that names them.
// docs/CONFIGURATION.md describes each of them, and a test holds the two together.

extension Configuration: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration>] {
        [
            .list("listen", \.listen, .listenAddress, counts: 1...16),
            .scalar("database", \.database, .file("varde.sqlite")),
            .scalar("synchronous", \.synchronous, .choice()),
            .scalar("development", \.development, .flag),
            .scalar("loops", \.loops, .loopCount),
            .scalar("log_level", \.logLevel, .choice()),
            .scalar("log_format", \.logFormat, .choice()),
            .optional("tls", \.tls),
            .optional("clock", \.clock),
            .section("limits", \.limits),
            .section("rates", \.rates),
            .section("drain", \.drain),
            .section("tokens", \.tokens),
            .section("api", \.api),
            .section("http", \.http),
            .section("websocket", \.webSocket),
            .section("event_stream", \.eventStream),
            .list(
                "namespaces",
                \.namespaces,
                counts: 0...256,
                identity: (name: "name", value: \.name)
            ),
            .optional("aurora", \.aurora),
            .optional("radar", \.radar),
            .optional("activity", \.activity),
            .list("alerts", \.alerts, counts: 0...256, identity: (name: "name", value: \.name)),
            .section("alert_limits", \.alertLimits),
            .list("webhooks", \.webhooks, counts: 0...256, identity: (name: "name", value: \.name)),
            .section("webhook_limits", \.webhookLimits),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if development, let open = listen.first(where: { !$0.isLoopback }) {
            found.append(
                (
                    "listen",
                    "found \(open), expected loopback such as 127.0.0.1:8000: development is on,"
                        + " and its credentials are known to everyone"
                )
            )
        }
        if let twice = listen.first(where: { address in
            address.port != 0 && listen.filter { $0 == address }.count > 1
        }) {
            found.append(("listen", "found \(twice) a second time, expected one of each"))
        }
        for (index, namespace) in namespaces.enumerated()
        where Namespace.reserved.contains(namespace.name) {
            found.append(
                (
                    "namespaces[\(index)].name",
                    "found \(namespace.name), expected another: the hub has it for itself"
                )
            )
        }
        return found + contradictionsOfActivity()
    }
}

extension ScalarType where Value == String {
    static func file(_ example: String) -> ScalarType {
        .text("file", lengthMax: 4096, example: example)
    }
}

extension Configuration.TLS: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.TLS>] {
        [
            .scalar("certificate", \.certificate, .file("/etc/varde/chain.pem"), isRequired: true),
            .scalar("key", \.key, .file("/etc/varde/key.pem"), isRequired: true),
            .list(
                "certificates",
                \.certificates,
                counts: 0...64,
                identity: (name: "certificate", value: \.certificate)
            ),
            .scalar("client_certificates", \.clientCertificates, .choice()),
            .optional("client_ca", \.clientAuthorities, .file("/etc/varde/clients.pem")),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        switch (clientCertificates, clientAuthorities) {
        case (.none, nil), (.optional, .some), (.required, .some): []
        case (.none, .some(let file)):
            [("client_ca", "found \(file), expected none: client_certificates is none")]
        case (.optional, nil), (.required, nil):
            [
                (
                    "client_certificates",
                    "found \(clientCertificates), expected client_ca beside it: whose to accept"
                )
            ]
        }
    }
}

extension Configuration.TLS.Certificate: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.TLS.Certificate>] {
        [
            .scalar("certificate", \.certificate, .file("/etc/varde/b.pem"), isRequired: true),
            .scalar("key", \.key, .file("/etc/varde/b-key.pem"), isRequired: true),
        ]
    }
}

extension Configuration.Clock: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Clock>] {
        [
            .scalar("start", \.start, .time, isRequired: true),
            .scalar("speed", \.speed, .number(0.001...100_000)),
        ]
    }
}

extension Configuration.Limits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar("memory", \.memory, .byteCount(32 << 20...1 << 40)),
            // The request line alone may take 8 KiB.
            .scalar("header_bytes", \.headerBytes, .byteCount(9 << 10...1 << 20)),
            .scalar("body_bytes", \.bodyBytes, .byteCount(1 << 10...64 << 20)),
            .scalar("message_bytes", \.messageBytes, .byteCount(1 << 10...64 << 20)),
            .scalar("connect_bytes", \.connectBytes, .byteCount(1 << 10...64 << 20)),
            .scalar(
                "message_timeout",
                \.messageTimeout,
                .duration(.seconds(1) ... .seconds(3600))
            ),
            .scalar("queue_bytes", \.queueBytes, .byteCount(16 << 10...256 << 20)),
            .scalar(
                "handshake_timeout",
                \.handshakeTimeout,
                .duration(.seconds(1) ... .seconds(120))
            ),
            .scalar("idle_timeout", \.idleTimeout, .duration(.seconds(1) ... .seconds(3600))),
            .scalar("close_timeout", \.closeTimeout, .duration(.seconds(1) ... .seconds(120))),
            .scalar("stall_timeout", \.stallTimeout, .duration(.seconds(1) ... .seconds(600))),
            .scalar("user_timeout", \.userTimeout, .duration(.seconds(1) ... .seconds(3600))),
            .scalar("frame_bytes", \.frameBytes, .byteCount(1 << 10...64 << 20)),
            .scalar("fragments", \.fragments, .integer(1...1 << 30)),
            .scalar("control_frames", \.controlFrames, .integer(1...1_000_000)),
            .scalar("connections", \.connections, .integer(1...1_000_000)),
            .scalar(
                "connections_per_address",
                \.connectionsPerAddress,
                .integer(1...1_000_000)
            ),
            .scalar("subscriptions", \.subscriptions, .integer(1...1_000_000)),
            .scalar("unpublished_topics", \.unpublishedTopics, .integer(1...10_000_000)),
            .scalar("connections_per_user", \.connectionsPerUser, .integer(0...1_000_000)),
            .scalar("subscriptions_per_user", \.subscriptionsPerUser, .integer(0...1_000_000)),
            .scalar("handshakes", \.handshakes, .integer(0...1_000_000)),
            .scalar("turn_writes", \.turnWrites, .integer(1...1_000_000)),
            .scalar("turn_accepts", \.turnAccepts, .integer(1...4096)),
            .scalar("turn_work", \.turnWork, .byteCount(1 << 10...64 << 20)),
        ]
    }
}

extension Configuration.AlertLimits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AlertLimits>] {
        [
            .scalar("rules", \.rules, .integer(0...100_000)),
            .scalar("user_rules", \.userRules, .integer(0...100_000)),
            .scalar("rules_per_user", \.rulesPerUser, .integer(0...1000)),
            .scalar("topics", \.topics, .integer(1...10_000_000)),
            .scalar("user_topics", \.userTopics, .integer(1...10_000_000)),
            .scalar("topics_per_user", \.topicsPerUser, .integer(1...1_000_000)),
            .scalar("waiting_bytes", \.waitingBytes, .byteCount(1 << 20...1 << 30)),
            .scalar("user_waiting_bytes", \.userWaitingBytes, .byteCount(1 << 20...1 << 30)),
        ]
    }
}

extension Configuration.WebSocket: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.WebSocket>] {
        [
            .scalar("ping_interval", \.pingInterval, .duration(.seconds(1) ... .seconds(600))),
            .scalar("pong_timeout", \.pongTimeout, .duration(.milliseconds(100) ... .seconds(300))),
            .section("compression", \.compression),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard pongTimeout >= pingInterval else { return [] }
        let found = UnitText.text(pongTimeout)
        let interval = UnitText.text(pingInterval)
        return [("pong_timeout", "found \(found), expected less than ping_interval, \(interval)")]
    }
}

extension Configuration.Compression: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Compression>] {
        [
            .scalar("enabled", \.enabled, .flag),
            .scalar("level", \.level, .integer(1...9)),
            .scalar("message_bytes_min", \.messageBytesMin, .byteCount(0...1 << 20)),
            // zlib cannot compress with a window of 8 bits; a client that asks for one gets it.
            .scalar("server_window_bits", \.serverWindowBits, .integer(9...15)),
            .scalar("client_window_bits", \.clientWindowBits, .integer(9...15)),
            .scalar("server_context_takeover", \.serverContextTakeover, .flag),
            .scalar("client_context_takeover", \.clientContextTakeover, .flag),
        ]
    }
}

extension Configuration.EventStream: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.EventStream>] {
        [
            .scalar("heartbeat", \.heartbeat, .duration(.seconds(1) ... .seconds(600))),
            .scalar("retry", \.retry, .duration(.milliseconds(100) ... .seconds(600))),
        ]
    }
}
