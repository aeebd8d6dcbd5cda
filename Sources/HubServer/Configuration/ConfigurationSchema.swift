// The keys of the configuration file, section by section: the one place that names them.
// docs/CONFIGURATION.md describes each of them, and a test holds the two together.

extension Configuration: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration>] {
        [
            .list("listen", \.listen, .listenAddress, counts: 1...16, reload: .restart),
            .scalar("database", \.database, .file("varde.sqlite"), reload: .restart),
            .scalar("synchronous", \.synchronous, .choice(), reload: .restart),
            .scalar("development", \.development, .flag, reload: .restart),
            .scalar("loops", \.loops, .loopCount, reload: .restart),
            .scalar("log_level", \.logLevel, .choice(), reload: .live),
            .scalar("log_format", \.logFormat, .choice(), reload: .restart),
            .optional("tls", \.tls, reload: .restart),
            .optional("clock", \.clock, reload: .restart),
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
            .optional("aurora", \.aurora, reload: .restart),
            .optional("radar", \.radar, reload: .restart),
            .optional("activity", \.activity, reload: .restart),
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
            .scalar(
                "certificate",
                \.certificate,
                .file("/etc/varde/chain.pem"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("key", \.key, .file("/etc/varde/key.pem"), isRequired: true, reload: .restart),
            .list(
                "certificates",
                \.certificates,
                counts: 0...64,
                identity: (name: "certificate", value: \.certificate)
            ),
            .scalar("client_certificates", \.clientCertificates, .choice(), reload: .restart),
            .optional(
                "client_ca",
                \.clientAuthorities,
                .file("/etc/varde/clients.pem"),
                reload: .restart
            ),
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
            .scalar(
                "certificate",
                \.certificate,
                .file("/etc/varde/b.pem"),
                isRequired: true,
                reload: .restart
            ),
            .scalar(
                "key",
                \.key,
                .file("/etc/varde/b-key.pem"),
                isRequired: true,
                reload: .restart
            ),
        ]
    }
}

extension Configuration.Clock: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Clock>] {
        [
            .scalar("start", \.start, .time, isRequired: true, reload: .restart),
            .scalar("speed", \.speed, .number(0.001...100_000), reload: .restart),
        ]
    }
}

extension Configuration.Limits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar("memory", \.memory, .byteCount(32 << 20...1 << 40), reload: .restart),
            // The request line alone may take 8 KiB.
            .scalar("header_bytes", \.headerBytes, .byteCount(9 << 10...1 << 20), reload: .live),
            .scalar("body_bytes", \.bodyBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("message_bytes", \.messageBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("connect_bytes", \.connectBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar(
                "message_timeout",
                \.messageTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live
            ),
            .scalar(
                "queue_bytes",
                \.queueBytes,
                .byteCount(16 << 10...256 << 20),
                reload: .restart
            ),
            .scalar(
                "handshake_timeout",
                \.handshakeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live
            ),
            .scalar(
                "idle_timeout",
                \.idleTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live
            ),
            .scalar(
                "close_timeout",
                \.closeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live
            ),
            .scalar(
                "stall_timeout",
                \.stallTimeout,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .restart
            ),
            .scalar(
                "user_timeout",
                \.userTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .restart
            ),
            .scalar("frame_bytes", \.frameBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("fragments", \.fragments, .integer(1...1 << 30), reload: .live),
            .scalar("control_frames", \.controlFrames, .integer(1...1_000_000), reload: .live),
            .scalar("connections", \.connections, .integer(1...1_000_000), reload: .restart),
            .scalar(
                "connections_per_address",
                \.connectionsPerAddress,
                .integer(1...1_000_000),
                reload: .restart
            ),
            .scalar("subscriptions", \.subscriptions, .integer(1...1_000_000), reload: .live),
            .scalar(
                "unpublished_topics",
                \.unpublishedTopics,
                .integer(1...10_000_000),
                reload: .live
            ),
            .scalar(
                "connections_per_user",
                \.connectionsPerUser,
                .integer(0...1_000_000),
                reload: .live
            ),
            .scalar(
                "subscriptions_per_user",
                \.subscriptionsPerUser,
                .integer(0...1_000_000),
                reload: .live
            ),
            .scalar("handshakes", \.handshakes, .integer(0...1_000_000), reload: .live),
            .scalar("turn_writes", \.turnWrites, .integer(1...1_000_000), reload: .restart),
            .scalar("turn_accepts", \.turnAccepts, .integer(1...4096), reload: .live),
            .scalar("turn_work", \.turnWork, .byteCount(1 << 10...64 << 20), reload: .live),
        ]
    }
}

extension Configuration.AlertLimits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AlertLimits>] {
        [
            .scalar("rules", \.rules, .integer(0...100_000), reload: .restart),
            .scalar("user_rules", \.userRules, .integer(0...100_000), reload: .restart),
            .scalar("rules_per_user", \.rulesPerUser, .integer(0...1000), reload: .restart),
            .scalar("topics", \.topics, .integer(1...10_000_000), reload: .restart),
            .scalar("user_topics", \.userTopics, .integer(1...10_000_000), reload: .restart),
            .scalar("topics_per_user", \.topicsPerUser, .integer(1...1_000_000), reload: .restart),
            .scalar(
                "waiting_bytes",
                \.waitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart
            ),
            .scalar(
                "user_waiting_bytes",
                \.userWaitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart
            ),
        ]
    }
}

extension Configuration.WebSocket: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.WebSocket>] {
        [
            .scalar(
                "ping_interval",
                \.pingInterval,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live
            ),
            .scalar(
                "pong_timeout",
                \.pongTimeout,
                .duration(.milliseconds(100) ... .seconds(300)),
                reload: .live
            ),
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
            .scalar("enabled", \.enabled, .flag, reload: .restart),
            .scalar("level", \.level, .integer(1...9), reload: .restart),
            .scalar(
                "message_bytes_min",
                \.messageBytesMin,
                .byteCount(0...1 << 20),
                reload: .restart
            ),
            // zlib cannot compress with a window of 8 bits; a client that asks for one gets it.
            .scalar("server_window_bits", \.serverWindowBits, .integer(9...15), reload: .restart),
            .scalar("client_window_bits", \.clientWindowBits, .integer(9...15), reload: .restart),
            .scalar("server_context_takeover", \.serverContextTakeover, .flag, reload: .restart),
            .scalar("client_context_takeover", \.clientContextTakeover, .flag, reload: .restart),
        ]
    }
}

extension Configuration.EventStream: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.EventStream>] {
        [
            .scalar(
                "heartbeat",
                \.heartbeat,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live
            ),
            .scalar(
                "retry",
                \.retry,
                .duration(.milliseconds(100) ... .seconds(600)),
                reload: .live
            ),
        ]
    }
}
