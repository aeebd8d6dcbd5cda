extension Configuration.Tokens: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Tokens>] {
        [
            .list(
                "secrets",
                \.secrets,
                .secret(example: "a random text"),
                counts: 0...8,
                reload: .live
            ),
            .list(
                "public_keys",
                \.publicKeys,
                .file("/etc/varde/tokens.pem"),
                counts: 0...32,
                reload: .live
            ),
            .optional("jwks_file", \.jwksFile, .file("/etc/varde/jwks.json"), reload: .live),
            .optional(
                "jwks_url",
                \.jwksURL,
                .url(example: "https://id.example.org/jwks.json"),
                reload: .restart
            ),
            .optional("audience", \.audience, .text(example: "varde"), reload: .live),
            .optional(
                "issuer",
                \.issuer,
                .text(example: "\"https://id.example.org\""),
                reload: .live
            ),
            .scalar("leeway", \.leeway, .duration(.zero ... .seconds(300)), reload: .live),
            .scalar("required", \.required, .flag, reload: .live),
            .scalar("require_exp", \.requireExpiry, .flag, reload: .live),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard jwksFile != nil, jwksURL != nil else { return [] }
        return [("jwks_url", "found a URL, expected none: jwks_file says where the keys are")]
    }
}

extension Configuration.API: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.API>] {
        [
            .list(
                "keys",
                \.keys,
                .secret(example: "sha256:… of varde token api-key"),
                counts: 0...64,
                reload: .live
            )
        ]
    }
}

extension Configuration.Rates: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Rates>] {
        [
            .section("connection", \.connection),
            .section("user", \.user),
            .section("address", \.address),
        ]
    }
}

extension Configuration.ConnectionRate: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.ConnectionRate>] {
        [
            .scalar("commands", \.commands, .integer(0...1_000_000), reload: .live),
            .scalar("publishes", \.publishes, .integer(0...1_000_000), reload: .live),
        ]
    }
}

extension Configuration.Rate: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Rate>] {
        [
            .scalar("connects", \.connects, .integer(0...1_000_000), reload: .live),
            .scalar("commands", \.commands, .integer(0...1_000_000), reload: .live),
            .scalar("publishes", \.publishes, .integer(0...1_000_000), reload: .live),
        ]
    }
}

extension Configuration.AddressRate: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AddressRate>] {
        [
            .scalar("connects", \.connects, .integer(0...1_000_000), reload: .live),
            .scalar("commands", \.commands, .integer(0...1_000_000), reload: .live),
            .scalar("publishes", \.publishes, .integer(0...1_000_000), reload: .live),
            .scalar("logins", \.logins, .integer(0...1_000_000), reload: .live),
        ]
    }
}

extension Configuration.Drain: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Drain>] {
        [
            .scalar("spread", \.spread, .duration(.zero ... .seconds(600)), reload: .live),
            .scalar("timeout", \.timeout, .duration(.seconds(1) ... .seconds(900)), reload: .live),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard timeout <= spread else { return [] }
        let found = UnitText.text(timeout)
        return [("timeout", "found \(found), expected more than spread, \(UnitText.text(spread))")]
    }
}
