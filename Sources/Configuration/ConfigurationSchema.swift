// The keys of the configuration file, section by section: the only definition of the hub's own
// keys. Domains define theirs in their `DomainSection`. `make reference` writes
// docs/reference/configuration.md from them; a test compares the two.

/// The keys of a configuration file: those of the hub, and the sections of its domains.
package struct ConfigurationSchema: Sendable {
    private let domains: [DomainConfiguration]

    /// - Parameter domains: each with a key of its own.
    package init(_ domains: [DomainConfiguration] = []) {
        self.domains = domains
    }

    /// The fields in the order in which they are shown.
    var fields: [ConfigurationField<Configuration>] {
        Configuration.hubFields + domains.map { $0.section.field }
            + Configuration.ruleFields
    }

    /// All keys.
    package var keys: [ConfigurationKey] { fields.flatMap { $0.schema($0.name) } }

    /// All sections that a file may omit.
    package var optionalSections: [ConfigurationOptionalSection] {
        fields.flatMap { $0.optionalSections($0.name) }
    }

    /// Returns the differences between two configurations.
    package func differences(
        _ former: Configuration,
        _ latter: Configuration
    ) -> [ConfigurationPlace] {
        var found: [ConfigurationPlace] = []
        for field in fields {
            field.compare(former, latter, ConfigurationPlace.root.key(field.name), &found)
        }
        return found
    }

    func check(_ configuration: Configuration, _ checker: inout ConfigurationChecker) {
        checker.fields(fields, of: configuration)
        let contradictions =
            configuration.contradictions()
            + reservedNames(configuration)
            + configuration.sections.all(of: domains).flatMap {
                $0.contradictions(in: configuration)
            }
            + configuration.sections.missing(of: domains).flatMap {
                $0.contradictionsOfAbsence(in: configuration)
            }
        for (path, message) in contradictions { checker.refuse(path, message) }
    }

    /// Returns the exposures of domains to all peers that can reach the hub.
    func exposures(_ loaded: LoadedConfiguration) -> [ConfigurationExposure] {
        loaded.configuration.sections.all(of: domains).flatMap { $0.exposures(in: loaded) }
    }

    /// Returns what the operator should know of the sections of domains.
    func warnings(_ loaded: LoadedConfiguration) -> [ConfigurationWarning] {
        loaded.configuration.sections.all(of: domains).flatMap { $0.warnings(in: loaded) }
    }

    private func reservedNames(
        _ configuration: Configuration
    ) -> [(path: String, message: String)] {
        let reserved = domains.reduce(into: Set<String>()) { $0.formUnion($1.reservedNamespaces) }
        return configuration.namespaces.enumerated().compactMap { index, namespace in
            guard reserved.contains(namespace.name) else { return nil }
            return (
                "namespaces[\(index)].name",
                "found \(namespace.name), expected another: the hub has it for itself"
            )
        }
    }
}

extension Configuration: ConfigurationValues {
    /// The keys of the hub itself that come before the sections of domains.
    static var hubFields: [ConfigurationField<Configuration>] {
        listeningFields + processFields + loggingFields + sectionFields
    }

    private static var listeningFields: [ConfigurationField<Configuration>] {
        [
            .list(
                "listen",
                \.listen,
                .listenAddress,
                counts: 1...16,
                reload: .restart,
                meaning: """
                    Where to listen. An IPv6 address is in brackets: `[::1]:8000`. With port 0 the \
                    system chooses one. `unix:/run/varde/varde.sock` is a unix socket, which is \
                    always plaintext. A socket file that no process listens on is replaced.
                    """
            ),
            .scalar(
                "socket_mode",
                \.socketMode,
                .socketMode,
                reload: .restart,
                meaning: """
                    Permissions of the unix sockets among the listeners. Processes that may write \
                    can connect.
                    """
            ),
        ]
    }

    private static var processFields: [ConfigurationField<Configuration>] {
        [
            .scalar(
                "database",
                \.database,
                .file("varde.sqlite"),
                reload: .restart,
                meaning: """
                    The store: an SQLite file, created if it does not exist, or a URL of \
                    PostgreSQL, such as `postgresql://varde@db/hub`: \
                    docs/how-to/postgresql.md.
                    """
            ),
            .scalar(
                "synchronous",
                \.synchronous,
                .choice(),
                reload: .restart,
                meaning: """
                    The moment at which a commit counts as done. `normal`: it survives the end of \
                    the process, `kill -9` included; a loss of power may take back the last \
                    commits, after which the hub begins a new epoch. `full`: it also survives a \
                    loss of power, and costs a sync for each group of commits.
                    """
            ),
            .scalar(
                "development",
                \.development,
                .flag,
                reload: .restart,
                meaning: """
                    Switches on known credentials, and lets `webhooks` be on the machine itself. An \
                    error with a `listen` address that is not loopback.
                    """
            ),
            .scalar(
                "loops",
                \.loops,
                .loopCount,
                reload: .restart,
                meaning: """
                    The number of event loops that carry the connections, one thread each. `auto` is \
                    one for each processor.
                    """
            ),
            .scalar(
                "io_uring",
                \.usesRing,
                .flag,
                reload: .restart,
                meaning: """
                    Sends to many connections with one system call, if the kernel offers io_uring and \
                    permits it; otherwise, and with `false`, each connection takes a call of its own: \
                    docs/OPERATIONS.md.
                    """
            ),
        ]
    }

    private static var loggingFields: [ConfigurationField<Configuration>] {
        [
            .scalar(
                "log_level",
                \.logLevel,
                .choice(),
                reload: .live,
                meaning: "The least severe entries that are logged."
            ),
            .scalar(
                "log_format",
                \.logFormat,
                .choice(),
                reload: .restart,
                meaning: "Lines for people, or one JSON object in each line."
            ),
        ]
    }

    private static var sectionFields: [ConfigurationField<Configuration>] {
        [
            .optional("cluster", \.cluster, reload: .restart),
            .optional("tls", \.tls, reload: .restart),
            .optional("clock", \.clock, reload: .restart),
            .section("history", \.history),
            .section("limits", \.limits),
            .section("rates", \.rates),
            .section("drain", \.drain),
            .section("tokens", \.tokens),
            .section("api", \.api),
            .optional("accounts", \.accounts, reload: .restart),
            .section("http", \.http),
            .section("admin", \.admin),
            .section("console", \.console),
            .section("websocket", \.webSocket),
            .section("event_stream", \.eventStream),
            .section("clients", \.clients),
            .section("tracing", \.tracing),
            .list(
                "namespaces",
                \.namespaces,
                counts: 0...256,
                identity: (name: "name", value: \.name)
            ),
        ]
    }

    /// The keys after the sections of domains: the rules for topics of the hub and of its domains.
    static var ruleFields: [ConfigurationField<Configuration>] {
        [
            .list("alerts", \.alerts, counts: 0...256, identity: (name: "name", value: \.name)),
            .section("alert_limits", \.alertLimits),
            .list("webhooks", \.webhooks, counts: 0...256, identity: (name: "name", value: \.name)),
            .section("webhook_limits", \.webhookLimits),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if development, let open = (listen + admin.listen).first(where: { !$0.isLoopback }) {
            found.append(
                (
                    "listen",
                    "found \(open), expected loopback such as 127.0.0.1:8000: development is on,"
                        + " and its credentials are known to everyone"
                )
            )
        }
        let all = listen + admin.listen
        if let twice = all.first(where: { address in
            (address.port != 0 || address.unixPath != nil)
                && all.filter { $0 == address }.count > 1
        }) {
            found.append(("listen", "found \(twice) a second time, expected one of each"))
        }
        return found + clusterContradictions()
    }
}

extension ScalarType where Value == String {
    package static var fileTypeName: String { "file" }

    package static func file(_ example: String) -> ScalarType {
        .text(fileTypeName, lengthMax: 4096, example: example)
    }
}

extension Configuration.TLS: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.TLS>] {
        certificateFields + clientFields
    }

    private static var certificateFields: [ConfigurationField<Configuration.TLS>] {
        [
            .scalar(
                "certificate",
                \.certificate,
                .file("/etc/varde/chain.pem"),
                isRequired: true,
                reload: .restart,
                meaning: """
                    PEM: the server's certificate first, then its issuers. It has to be valid when \
                    the hub starts. It is used for clients that ask for a name which is in no \
                    certificate, or for none.
                    """
            ),
            .scalar(
                "key",
                \.key,
                .file("/etc/varde/key.pem"),
                isRequired: true,
                reload: .restart,
                meaning: "PEM: the private key of that certificate."
            ),
            .optional(
                "key_password",
                \.keyPassword,
                .secret(example: "the passphrase of the key"),
                reload: .restart,
                meaning: "The passphrase of an encrypted key."
            ),
            .list(
                "certificates",
                \.certificates,
                counts: 0...64,
                identity: (name: "certificate", value: \.certificate)
            ),
        ]
    }

    private static var clientFields: [ConfigurationField<Configuration.TLS>] {
        [
            .scalar(
                "client_certificates",
                \.clientCertificates,
                .choice(),
                reload: .restart,
                meaning: """
                    Whether clients present a certificate. `optional` also serves clients without \
                    one; an invalid certificate is refused.
                    """
            ),
            .optional(
                "client_ca",
                \.clientAuthorities,
                .file("/etc/varde/clients.pem"),
                reload: .restart,
                meaning: """
                    PEM: the authorities whose client certificates are accepted. Required with \
                    `optional` and `required`.
                    """
            ),
            .scalar(
                "minimum_version",
                \.minimumVersion,
                .choice(),
                reload: .restart,
                meaning: """
                    The oldest version of TLS that clients may use. Clients without it are refused \
                    with the alert `protocol_version`.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        switch (clientCertificates, clientAuthorities) {
        case (.none, nil), (.optional, .some), (.required, .some): []
        case (.none, .some(let file)):
            [("client_ca", "found \(file), expected none: client_certificates is none")]
        case (.optional, nil), (.required, nil):
            [
                (
                    "client_certificates",
                    "found \(clientCertificates), expected client_ca: the authorities to accept"
                )
            ]
        }
    }
}

extension Configuration.TLS.Certificate: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.TLS.Certificate>] {
        [
            .scalar(
                "certificate",
                \.certificate,
                .file("/etc/varde/b.pem"),
                isRequired: true,
                reload: .restart,
                meaning: """
                    A further certificate, for clients that ask for a DNS name in it (SNI); \
                    `*.example.org` in it is for every name with one label before `.example.org`.
                    """
            ),
            .scalar(
                "key",
                \.key,
                .file("/etc/varde/b-key.pem"),
                isRequired: true,
                reload: .restart,
                meaning: "PEM: its private key."
            ),
            .optional(
                "key_password",
                \.keyPassword,
                .secret(example: "the passphrase of the key"),
                reload: .restart,
                meaning: "The passphrase of an encrypted key."
            ),
        ]
    }
}
