import Tokens

extension Configuration.Namespace: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar("name", \.name, .name(example: "chat"), isRequired: true, reload: .live),
            .scalar("durable", \.durable, .flag, reload: .restart),
            .scalar("history_size", \.historySize, .integer(0...100_000), reload: .live),
            .scalar("history_bytes", \.historyBytes, .byteCount(1 << 10...1 << 40), reload: .live),
            .scalar(
                "history_age",
                \.historyAge,
                .duration(.seconds(1) ... .seconds(365 * 86_400)),
                reload: .live
            ),
            .scalar(
                "forget_after",
                \.forgetAfter,
                .duration(.zero ... .seconds(3650 * 86_400)),
                reload: .live
            ),
            .scalar("max_topics", \.maxTopics, .integer(10...262_144), reload: .live),
            .scalar(
                "max_topics_per_publisher",
                \.maxTopicsPerPublisher,
                .integer(1...262_144),
                reload: .live
            ),
            .scalar("recovery", \.recovery, .choice(), reload: .live),
            .scalar("presence", \.presence, .flag, reload: .live),
            .scalar("join_leave", \.joinLeave, .flag, reload: .live),
            .scalar("delta", \.delta, .flag, reload: .live),
            .scalar("anonymous_subscribe", \.anonymousSubscribe, .flag, reload: .live),
            .scalar("subscribe", \.subscribe, .choice(), reload: .live),
            .list(
                "members",
                \.members,
                .pattern("group", separator: ":", example: "\"staff:*\""),
                counts: 0...64,
                reload: .live
            ),
            .optional("owner", \.owner, .text(example: "\"inbox:{userId}:*\""), reload: .live),
            .scalar("publish", \.publish, .choice(), reload: .live),
            .scalar("slow_consumer", \.slowConsumer, .choice(), reload: .live),
        ]
    }

    /// An idempotency key is remembered for as long, and its topic with it.
    private static let forgetAfterMin = Duration.seconds(300)

    func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if forgetAfter > .zero, forgetAfter < Self.forgetAfterMin {
            found.append(
                (
                    "forget_after",
                    "found \(UnitText.text(forgetAfter)), expected 5m or more, or 0s for never"
                )
            )
        }
        if anonymousSubscribe, subscribe == .nobody {
            found.append(
                (
                    "subscribe",
                    "found nobody, expected another: anonymous_subscribe lets everybody subscribe"
                )
            )
        }
        if subscribe == .members, members.isEmpty {
            found.append(("subscribe", "found members, expected the groups in members beside it"))
        }
        if let owner, OwnerPattern(owner) == nil || !owner.hasPrefix(name + ":") {
            found.append(
                (
                    "owner",
                    "found \"\(owner)\", expected a topic of the namespace with {userId} as one part,"
                        + " such as \(name):{userId}"
                )
            )
        }
        if historySize == 0 {
            if slowConsumer != .close {
                found.append(
                    (
                        "slow_consumer",
                        "found \(slowConsumer.rawValue), expected close: history_size is 0, so there is"
                            + " nothing to catch up from"
                    )
                )
            }
            if recovery == .cache {
                found.append(("recovery", "found cache, expected a history_size of 1 or more"))
            }
            if delta {
                found.append(("delta", "found true, expected a history_size of 1 or more"))
            }
        }
        return found
    }
}

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
