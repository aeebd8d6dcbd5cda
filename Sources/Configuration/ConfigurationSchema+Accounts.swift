extension Configuration.Accounts: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Accounts>] {
        let year = Duration.seconds(365 * 86_400)
        return [
            .section("apple", \.apple),
            .scalar(
                "access_token_lifetime",
                \.accessTokenLifetime,
                .duration(accessTokenLifetimes),
                reload: .restart,
                meaning: "The validity of an access token for routes and connections."
            ),
            .scalar(
                "refresh_token_lifetime",
                \.refreshTokenLifetime,
                .duration(.seconds(3600)...year),
                reload: .restart,
                meaning: """
                    The longest time for which an app may be unused and still get another access \
                    token without a login; at least `access_token_lifetime`.
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

extension Configuration.Accounts.Apple: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Accounts.Apple>] {
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
