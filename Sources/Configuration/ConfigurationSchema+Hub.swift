extension Configuration.Tokens: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Tokens>] {
        keyFields + claimFields
    }

    private static var keyFields: [ConfigurationField<Configuration.Tokens>] {
        [
            .list(
                "secrets",
                \.secrets,
                .secret(example: "a random text"),
                counts: 0...8,
                reload: .live,
                meaning: """
                    For HS256. More than one allows an old secret to be replaced without an \
                    interruption.
                    """
            ),
            .list(
                "public_keys",
                \.publicKeys,
                .file("/etc/varde/tokens.pem"),
                counts: 0...32,
                reload: .live,
                meaning: "PEM: for RS256, ES256 or EdDSA, by the kind of the key."
            ),
            .optional(
                "jwks_file",
                \.jwksFile,
                .file("/etc/varde/jwks.json"),
                reload: .live,
                meaning: "A JSON Web Key Set. Read again on SIGHUP."
            ),
            .optional(
                "jwks_url",
                \.jwksURL,
                .url(example: "https://id.example.org/jwks.json"),
                reload: .restart,
                meaning: """
                    Where to fetch the key set. It is kept, and fetched again when a token names an \
                    unknown key.
                    """
            ),
        ]
    }

    private static var claimFields: [ConfigurationField<Configuration.Tokens>] {
        [
            .optional(
                "audience",
                \.audience,
                .text(example: "varde"),
                reload: .live,
                meaning: "The audience, `aud`, that a token must have."
            ),
            .optional(
                "issuer",
                \.issuer,
                .text(example: "\"https://id.example.org\""),
                reload: .live,
                meaning: "The issuer, `iss`, that a token must have."
            ),
            .scalar(
                "leeway",
                \.leeway,
                .duration(.zero ... .seconds(300)),
                reload: .live,
                meaning: "The largest difference from the issuer's clock."
            ),
            .scalar(
                "required",
                \.required,
                .flag,
                reload: .live,
                meaning: "Refuses clients without a connection token."
            ),
            .scalar(
                "require_exp",
                \.requireExpiry,
                .flag,
                reload: .live,
                meaning: """
                    Refuses tokens without `exp`: a stolen one is valid until its key is replaced.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard jwksFile != nil, jwksURL != nil else { return [] }
        return [("jwks_url", "found a URL, expected none: jwks_file has the keys")]
    }
}

extension Configuration.Rates: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Rates>] {
        [
            .section("connection", \.connection),
            .section("user", \.user),
            .section("address", \.address),
        ]
    }
}

extension Configuration.ConnectionRate: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.ConnectionRate>] {
        [
            .scalar(
                "commands",
                \.commands,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Commands of one connection, without publish commands."
            ),
            .scalar(
                "publishes",
                \.publishes,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Publish commands of one connection."
            ),
        ]
    }
}

extension Configuration.Rate: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Rate>] {
        [
            .scalar(
                "connects",
                \.connects,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Connect commands of one user."
            ),
            .scalar(
                "commands",
                \.commands,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Commands of all connections of one user."
            ),
            .scalar(
                "publishes",
                \.publishes,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Publish commands of one user."
            ),
        ]
    }
}

extension Configuration.AddressRate: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.AddressRate>] {
        [
            .scalar(
                "connects",
                \.connects,
                .integer(0...1_000_000),
                reload: .live,
                meaning: """
                    New WebSockets and event streams of one address. An address is, here and below, \
                    an IPv4 address or an IPv6 network of 64 bits.
                    """
            ),
            .scalar(
                "commands",
                \.commands,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Commands of all connections of one address."
            ),
            .scalar(
                "publishes",
                \.publishes,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Publish commands of one address."
            ),
            .scalar(
                "logins",
                \.logins,
                .integer(0...1_000_000),
                reload: .live,
                meaning: """
                    Requests of one address to `/auth`; one more is answered 429 with `Retry-After`. \
                    Behind a proxy all clients have the proxy's address: let the proxy limit the \
                    rate, and set the sum of what all need, or 0.
                    """
            ),
        ]
    }
}

extension Configuration.Drain: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Drain>] {
        [
            .scalar(
                "spread",
                \.spread,
                .duration(.zero ... .seconds(600)),
                reload: .live,
                meaning: """
                    The time over which the connections are closed, so that they do not all \
                    reconnect at once; shorter when there are fewer than a thousand for each second.
                    """
            ),
            .scalar(
                "timeout",
                \.timeout,
                .duration(.seconds(1) ... .seconds(900)),
                reload: .live,
                meaning: """
                    When the remaining connections are closed without a handshake; more than \
                    `spread`.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard timeout <= spread else { return [] }
        let found = UnitText.text(timeout)
        return [("timeout", "found \(found), expected more than spread, \(UnitText.text(spread))")]
    }
}
