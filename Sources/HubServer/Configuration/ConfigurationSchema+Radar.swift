extension Configuration.Radar: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Radar>] {
        let days = Duration.seconds(30 * 86_400)
        return [
            .scalar("interval", \.interval, .duration(.seconds(1)...days), reload: .restart),
            .scalar(
                "watched_interval",
                \.watchedInterval,
                .duration(.seconds(1)...days),
                reload: .restart
            ),
            .scalar("cache_age", \.cacheAge, .duration(.zero...days), reload: .restart),
            .scalar(
                "refresh_interval",
                \.refreshInterval,
                .duration(.zero ... .seconds(86_400)),
                reload: .restart
            ),
            .scalar(
                "refreshes_per_minute",
                \.refreshesPerMinute,
                .integer(1...1000),
                reload: .restart
            ),
            .scalar("radars_per_user", \.radarsPerUser, .integer(1...100_000), reload: .restart),
            .scalar("polls_at_once", \.pollsAtOnce, .integer(1...1000), reload: .restart),
            .scalar(
                "creations_per_minute",
                \.creationsPerMinute,
                .integer(1...1000),
                reload: .restart
            ),
            .scalar("user_share_percent", \.userSharePercent, .integer(1...100), reload: .restart),
            .list("sources", \.sources, counts: 0...16, identity: (name: "name", value: \.name)),
        ]
    }
}

extension Configuration.Radar.Source: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Radar.Source>] {
        // No provider's budget of a day comes near it.
        let most = 1_000_000_000
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "claude"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("kind", \.kind, .choice(), isRequired: true, reload: .restart),
            .optional(
                "url",
                \.url,
                .url(hiding: .query, example: "https://api.example.org/v1"),
                reload: .restart
            ),
            .optional("model", \.model, .text(example: "claude-sonnet-4-5"), reload: .restart),
            .optional(
                "vendor",
                \.vendor,
                .name(allowing: "-_.", example: "anthropic"),
                reload: .restart
            ),
            .optional("key", \.key, .providerKey, reload: .restart),
            .optional("key_file", \.keyFile, .file("/run/secrets/claude"), reload: .restart),
            .optional("key_env", \.keyEnvironment, .text(example: "CLAUDE_KEY"), reload: .restart),
            .scalar("daily_tokens", \.dailyTokens, .integer(0...most), reload: .restart),
            .scalar("daily_requests", \.dailyRequests, .integer(0...most), reload: .restart),
            .scalar("concurrency", \.concurrency, .integer(1...64), reload: .restart),
            .scalar("trust", \.trust, .number(0...10), reload: .restart),
            .scalar(
                "timeout",
                \.timeout,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .restart
            ),
            .optional("mapping", \.mapping, reload: .restart),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        switch kind {
        case .anthropic, .openai: keysContradicting() + mappingContradicting() + whatIsMissing()
        case .json: keysContradicting() + urlContradicting() + whatIsMissing()
        case .sample: whatNobodyIsAskedWith()
        }
    }

    private var keysGiven: [String] {
        [
            ("key", key != nil), ("key_file", keyFile != nil), ("key_env", keyEnvironment != nil),
        ].filter(\.1).map(\.0)
    }

    private func keysContradicting() -> [(path: String, message: String)] {
        guard keysGiven.count > 1 else { return [] }
        let names = keysGiven.joined(separator: " and ")
        return [(keysGiven[1], "found \(names), expected only one of them")]
    }

    private func mappingContradicting() -> [(path: String, message: String)] {
        guard mapping != nil else { return [] }
        return [("mapping", "found a mapping, expected none: kind \(kind.rawValue) needs none")]
    }

    private func urlContradicting() -> [(path: String, message: String)] {
        guard let url, !url.contains("{topic}") else { return [] }
        return [("url", "found a URL without {topic}, expected it where the topic belongs")]
    }

    private func whatIsMissing() -> [(path: String, message: String)] {
        func missing(_ key: String, _ what: String) -> (path: String, message: String) {
            (key, "found nothing, expected \(what): kind \(kind.rawValue) needs one")
        }
        var found: [(path: String, message: String)] = []
        if effectiveURL == nil { found.append(missing("url", "a URL with {topic} in it")) }
        if kind == .json {
            if mapping == nil { found.append(missing("mapping", "a mapping")) }
            return found
        }
        if model == nil { found.append(missing("model", "a model")) }
        // Models that run on this machine are served without any key.
        if keysGiven.isEmpty, kind == .anthropic || !asksThisMachine {
            let variable = keyVariable.map { " or the environment variable \($0)" } ?? ""
            found.append(missing("key", "key, key_file, key_env\(variable)"))
        }
        return found
    }

    private func whatNobodyIsAskedWith() -> [(path: String, message: String)] {
        let given =
            [
                ("url", url != nil), ("model", model != nil), ("mapping", mapping != nil),
            ].filter(\.1).map(\.0) + keysGiven
        return given.map { ($0, "found one, expected none: kind sample asks nobody") }
    }
}

extension ScalarType where Value == Secret {
    static var providerKey: ScalarType { .secret(example: "the key that the provider gave you") }
}
