import Tokens

extension Configuration.Activity: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Activity>] {
        let year = Duration.seconds(365 * 86_400)
        return [
            .section("apple", \.apple),
            .scalar(
                "access_token_lifetime",
                \.accessTokenLifetime,
                .duration(accessTokenLifetimes),
                reload: .restart
            ),
            .scalar(
                "refresh_token_lifetime",
                \.refreshTokenLifetime,
                .duration(.seconds(3600)...year),
                reload: .restart
            ),
            .scalar(
                "requests_per_minute",
                \.requestsPerMinute,
                .integer(1...1_000_000),
                reload: .restart
            ),
            .scalar(
                "writes_per_minute",
                \.writesPerMinute,
                .integer(1...1_000_000),
                reload: .restart
            ),
            .scalar("fanout_in_act", \.fanoutInAct, .integer(0...10_000), reload: .restart),
            .scalar(
                "recompute_interval",
                \.recomputeInterval,
                .duration(.seconds(1) ... .seconds(86_400)),
                reload: .restart
            ),
            .scalar("recommendations", \.recommendations, .integer(1...1000), reload: .restart),
            .scalar("friends_max", \.friendsMax, .integer(1...1_000_000), reload: .restart),
            .optional(
                "catalogue",
                \.catalogue,
                .file("/var/lib/varde/films.json"),
                reload: .restart
            ),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard refreshTokenLifetime < accessTokenLifetime else { return [] }
        let found = UnitText.text(refreshTokenLifetime)
        let least = UnitText.text(accessTokenLifetime)
        return [
            (
                "refresh_token_lifetime",
                "found \(found), expected no less than access_token_lifetime, \(least)"
            )
        ]
    }
}

extension Configuration.Activity.Apple: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Activity.Apple>] {
        [
            .list(
                "client_ids",
                \.clientIDs,
                .text(example: "org.example.app"),
                counts: 0...16,
                reload: .restart
            ),
            .scalar(
                "issuer",
                \.issuer,
                .text(example: "https://appleid.apple.com"),
                reload: .restart
            ),
            .optional("keys_url", \.keysURL, .url(example: Self.keysURLDefault), reload: .restart),
            .optional(
                "keys_file",
                \.keysFile,
                .file("/etc/varde/apple-keys.json"),
                reload: .restart
            ),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard keysURL != nil, keysFile != nil else { return [] }
        return [("keys_file", "found keys_url and keys_file, expected only one of them")]
    }
}

extension Configuration {
    /// What the film app cannot do without, and must not be given.
    func contradictionsOfActivity() -> [(path: String, message: String)] {
        guard activity != nil else { return [] }
        var found: [(path: String, message: String)] = []
        if tokens.secrets.isEmpty, !development {
            found.append(
                (
                    "tokens.secrets",
                    "found none, expected one, or VARDE_TOKEN_SECRET: whoever logs in to the film app"
                        + " gets a token that is signed with it"
                )
            )
        }
        for (index, namespace) in namespaces.enumerated()
        where namespace.name == Namespace.activity.name && !namespace.isForOwnersAlone {
            found.append(
                (
                    "namespaces[\(index)].name",
                    "found \(namespace.name) for others than its owners, expected subscribe: owner"
                        + " and no other right: the film app tells there what is for one user"
                )
            )
        }
        return found
    }
}

extension Configuration.Namespace {
    /// Whether a topic `activity:{userId}` is readable by that user, and writable by no client.
    fileprivate var isForOwnersAlone: Bool {
        subscribe == .owner && !anonymousSubscribe && publish == .nobody
            && (owner == nil || owner == "\(name):\(OwnerPattern.placeholder)")
    }
}
