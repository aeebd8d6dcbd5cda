import DomainKit

extension RadarSection {
    package static var fields: [ConfigurationField<RadarSection>] {
        pollFields + userFields + appFields
    }

    private static var pollFields: [ConfigurationField<RadarSection>] {
        let days = Duration.seconds(30 * 86_400)
        return [
            .scalar(
                "interval",
                \.interval,
                .duration(.seconds(1)...days),
                reload: .restart,
                meaning: "From one poll of a radar to the next."
            ),
            .scalar(
                "watched_interval",
                \.watchedInterval,
                .duration(.seconds(1)...days),
                reload: .restart,
                meaning: "The same while the radar has a subscriber; never longer than `interval`."
            ),
            .scalar(
                "cache_age",
                \.cacheAge,
                .duration(.zero...days),
                reload: .restart,
                meaning: """
                    The time for which an answer of a source is used for all radars with the same \
                    topic, unless the model or the question changes.
                    """
            ),
            .scalar(
                "refresh_interval",
                \.refreshInterval,
                .duration(.zero ... .seconds(86_400)),
                reload: .restart,
                meaning: """
                    From one refresh of a radar by its user to the next; one that comes earlier polls \
                    nothing and is answered with the radar as it is.
                    """
            ),
            .scalar(
                "refreshes_per_minute",
                \.refreshesPerMinute,
                .integer(1...1000),
                reload: .restart,
                meaning: "Refreshes of one user, of all radars together; one more is answered 429."
            ),
            .scalar(
                "answer_within",
                \.answerWithin,
                .duration(.milliseconds(100) ... .seconds(25)),
                reload: .restart,
                meaning: """
                    The time for which a refresh and `POST /api/interpret` wait for sources. Then \
                    they are answered with the stored opinions and `"pending": true`; later \
                    opinions are published. The app gives up after 30 seconds.
                    """
            ),
        ]
    }

    private static var userFields: [ConfigurationField<RadarSection>] {
        [
            .scalar(
                "radars_per_user",
                \.radarsPerUser,
                .integer(1...100_000),
                reload: .restart,
                meaning: "Radars of one user; one more is answered 409."
            ),
            .scalar(
                "polls_at_once",
                \.pollsAtOnce,
                .integer(1...1000),
                reload: .restart,
                meaning: "Radars that are polled at the same time; others wait."
            ),
            .scalar(
                "creations_per_minute",
                \.creationsPerMinute,
                .integer(1...1000),
                reload: .restart,
                meaning: "Radars that one user makes; one more is answered 429."
            ),
            .scalar(
                "pushes_per_minute",
                \.pushesPerMinute,
                .integer(1...100_000),
                reload: .restart,
                meaning: """
                    Opinions that one API key may push to one radar; one more is answered 429.
                    """
            ),
            .scalar(
                "user_share_percent",
                \.userSharePercent,
                .integer(1...100),
                reload: .restart,
                meaning: """
                    The part of each source's `daily_tokens` and `daily_requests` that one user \
                    may take, in percent; the rest is left to others. docs/RADAR.md defines what \
                    counts. Raise it for a hub with few users; 100 for no limit.
                    """
            ),
            .list("sources", \.sources, counts: 0...16, identity: (name: "name", value: \.name)),
        ]
    }

    private static var appFields: [ConfigurationField<RadarSection>] {
        [
            .scalar(
                "default_visibility",
                \.defaultVisibility,
                .choice(),
                reload: .restart,
                meaning: """
                    Of radars that are created without `isPublic`. `public` is for the app as it is: it \
                    never sends `isPublic`, and opens sockets without a token. Anyone who has the id of a \
                    public radar can read it, its opinions and its owner's user id.
                    """
            ),
            .scalar(
                "socket_token_lifetime",
                \.socketTokenLifetime,
                .duration(.seconds(60)...(.seconds(86_400))),
                reload: .restart,
                meaning: """
                    The validity of the `socketToken` of a private radar: at most this, at least \
                    half of it.
                    """
            ),
        ]
    }
}

extension RadarSection.Source: ConfigurationSection {
    package static var fields: [ConfigurationField<RadarSection.Source>] {
        providerFields + keyFields + budgetFields
    }

    private static var providerFields: [ConfigurationField<RadarSection.Source>] {
        [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "claude"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the source in opinions, logs and metrics."
            ),
            .scalar(
                "kind",
                \.kind,
                .choice(),
                isRequired: true,
                reload: .restart,
                meaning: """
                    `anthropic`: Anthropic's Messages. `openai`: chat completions, as OpenAI and \
                    many other servers have them. `json`: any HTTP endpoint with opinions in its \
                    JSON. `sample`: invented by the hub, for trials; the log contains a warning at \
                    the start.
                    """
            ),
            .optional(
                "url",
                \.url,
                .url(hiding: .query, example: "https://api.example.org/v1"),
                reload: .restart,
                meaning: """
                    The part before `/v1/messages` or `/chat/completions`; by default \
                    `https://api.anthropic.com` or `https://api.openai.com/v1`. For `json`, the URL \
                    to GET, with `{topic}` where the topic belongs. Its query is not shown, as it \
                    may be a credential.
                    """
            ),
            .optional(
                "model",
                \.model,
                .text(example: "claude-sonnet-4-5"),
                reload: .restart,
                meaning: """
                    The model to ask; required with `anthropic` and `openai`. For `json`, the model \
                    of opinions that name none.
                    """
            ),
            .optional(
                "vendor",
                \.vendor,
                .name(allowing: "-_.", example: "anthropic"),
                reload: .restart,
                meaning: """
                    The source's vendor. Opinions of one vendor are not independent of each other, \
                    and together count for at most two fifths of a position, or half of it between \
                    two vendors. By default it is `anthropic` or `openai` by the kind, or else the \
                    source's name.
                    """
            ),
        ]
    }

    private static var keyFields: [ConfigurationField<RadarSection.Source>] {
        keyFields(
            meaning: """
                The hub's key at the provider. At most one of `key`, `key_file` and `key_env`. \
                `anthropic` needs one, and so does `openai` unless its host is this machine. With \
                `json`, it is sent as a bearer token.
                """
        )
    }

    private static var budgetFields: [ConfigurationField<RadarSection.Source>] {
        dailyFields + [
            .scalar(
                "concurrency",
                \.concurrency,
                .integer(1...64),
                reload: .restart,
                meaning: "Concurrent requests."
            ),
            .scalar(
                "trust",
                \.trust,
                .number(0...10),
                reload: .restart,
                meaning: """
                    The weight of its opinions in a position; with 0 they are kept and do not count.
                    """
            ),
            attemptTimeoutField,
            .optional("mapping", \.mapping, reload: .restart),
            .optional(
                "sample_period",
                \.samplePeriod,
                .duration(.seconds(1) ... .seconds(86_400)),
                reload: .restart,
                meaning: """
                    Only with `sample`: how often it makes up another opinion on a topic. By default \
                    once a day.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        switch kind {
        case .anthropic, .openai:
            contradictionsOfKeys() + mappingContradicting() + periodContradicting()
                + whatIsMissing()
        case .json:
            contradictionsOfKeys() + urlContradicting() + periodContradicting() + whatIsMissing()
        case .sample: whatNobodyIsAskedWith()
        }
    }

    private func mappingContradicting() -> [(path: String, message: String)] {
        guard mapping != nil else { return [] }
        return [("mapping", "found a mapping, expected none: kind \(kind.rawValue) needs none")]
    }

    private func periodContradicting() -> [(path: String, message: String)] {
        guard samplePeriod != nil else { return [] }
        let message = "found one, expected none: kind \(kind.rawValue) makes nothing up"
        return [("sample_period", message)]
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
        if keysGiven.isEmpty,
            kind.modelProvider?.needsKey(asksThisMachine: asksThisMachine) == true
        {
            found.append(missing("key", waysToGiveAKey))
        }
        return found
    }

    private func whatNobodyIsAskedWith() -> [(path: String, message: String)] {
        let given =
            [
                ("url", url != nil), ("model", model != nil), ("mapping", mapping != nil),
            ].filter(\.1).map(\.0) + keysGiven
        return given.map { ($0, "found one, expected none: kind sample sends no requests") }
    }
}
