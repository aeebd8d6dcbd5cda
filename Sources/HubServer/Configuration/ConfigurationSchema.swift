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
