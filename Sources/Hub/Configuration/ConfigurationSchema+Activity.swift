import Activity
import Tokens

extension Configuration.Activity: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Activity>] {
        loginFields + workFields
    }

    private static var loginFields: [ConfigurationField<Configuration.Activity>] {
        let year = Duration.seconds(365 * 86_400)
        return [
            .section("apple", \.apple),
            .scalar(
                "access_token_lifetime",
                \.accessTokenLifetime,
                .duration(accessTokenLifetimes),
                reload: .restart,
                meaning: "How long an access token is valid for routes and connections."
            ),
            .scalar(
                "refresh_token_lifetime",
                \.refreshTokenLifetime,
                .duration(.seconds(3600)...year),
                reload: .restart,
                meaning: """
                    How long an app may be unused and still get another access token without a \
                    login; at least `access_token_lifetime`.
                    """
            ),
        ]
    }

    private static var workFields: [ConfigurationField<Configuration.Activity>] {
        [
            .scalar(
                "requests_per_minute",
                \.requestsPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Requests of one user; one more is answered 429."
            ),
            .scalar(
                "writes_per_minute",
                \.writesPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Of those, the ones that change something."
            ),
            .scalar(
                "fanout_in_act",
                \.fanoutInAct,
                .integer(0...10_000),
                reload: .restart,
                meaning: """
                    Up to this number of friends, an act is published to them in its own \
                    transaction. For users with more friends, the background publishes it in order, \
                    in batches small enough not to delay others.
                    """
            ),
            .scalar(
                "recompute_interval",
                \.recomputeInterval,
                .duration(.seconds(1) ... .seconds(86_400)),
                reload: .restart,
                meaning: "From one computation of tastes and scores to the next."
            ),
            .scalar(
                "recommendations",
                \.recommendations,
                .integer(1...1000),
                reload: .restart,
                meaning: "Kept for each user."
            ),
            .scalar(
                "friends_max",
                \.friendsMax,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Friends of one user; requests and acceptances beyond it are refused."
            ),
            .optional(
                "catalogue",
                \.catalogue,
                .file("/var/lib/varde/films.json"),
                reload: .restart,
                meaning: """
                    Films to load at the start, in the hub's own form: docs/CATALOGUES.md. A file \
                    that was loaded before is not loaded again until it changes.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
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
    package static var fields: [ConfigurationField<Configuration.Activity.Apple>] {
        [
            .list(
                "client_ids",
                \.clientIDs,
                .text(example: "org.example.app"),
                counts: 0...16,
                reload: .restart,
                meaning: """
                    The client ids of the apps whose users log in with Apple: a token's audience has \
                    to be one of them. With an empty list, logins with Apple are off.
                    """
            ),
            .scalar(
                "issuer",
                \.issuer,
                .text(example: "https://appleid.apple.com"),
                reload: .restart,
                meaning: "The issuer that such a token must have."
            ),
            .optional(
                "keys_url",
                \.keysURL,
                .url(example: Self.keysURLDefault),
                reload: .restart,
                meaning: """
                    Where the issuer publishes its keys, RS256 or ES256; left out, \
                    `https://appleid.apple.com/auth/keys`. Fetched as `tokens.jwks_url` is, and once \
                    more, no more often than every 30 seconds, when a token names a key that is not \
                    in it.
                    """
            ),
            .optional(
                "keys_file",
                \.keysFile,
                .file("/etc/varde/apple-keys.json"),
                reload: .restart,
                meaning: """
                    A file with those keys instead, for a hub without Internet access. Read at the \
                    start.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard keysURL != nil, keysFile != nil else { return [] }
        return [("keys_file", "found keys_url and keys_file, expected only one of them")]
    }
}

extension Configuration {
    /// What the film app cannot do without, and must not be given.
    package func contradictionsOfActivity() -> [(path: String, message: String)] {
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
        where namespace.name == PersonTopic.Kind.activity.rawValue && !namespace.isForOwnersAlone {
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
