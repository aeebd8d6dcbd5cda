import Aurora
import DomainKit

extension AuroraSection {
    package static var fields: [ConfigurationField<AuroraSection>] {
        [
            .list("places", \.places, counts: 1...64, identity: (name: "id", value: \.id)),
            .scalar(
                "swpc_url",
                \.swpcURL,
                .url(example: "https://services.swpc.noaa.gov"),
                reload: .restart,
                meaning: """
                    NOAA SWPC's server, or one that replays it: the part before `/products`, \
                    `/json` and `/text`.
                    """
            ),
            .scalar(
                "metno_url",
                \.metnoURL,
                .url(example: "https://api.met.no"),
                reload: .restart,
                meaning: """
                    MET Norway's server, or one that replays it: the part before `/weatherapi`.
                    """
            ),
            .scalar(
                "user_agent",
                \.userAgent,
                .text(example: "\"myapp/1.0 ops@example.org\""),
                isRequired: true,
                reload: .restart,
                meaning: """
                    An address at which the upstreams can reach you, `myapp/1.0 ops@example.org`. \
                    MET Norway refuses a text without a mail address or URL, and so does the hub.
                    """
            ),
            .section("intervals", \.intervals),
            .entries(
                "api_keys",
                \.apiKeys,
                scalar: ("key", \.key, .auroraKey),
                text: \.text,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    The keys that clients of `/api/aurora` send in `X-API-Key`, each with or without \
                    the name of its tier. The empty list admits no client, except with \
                    `development`.
                    """
            ),
            .list("tiers", \.tiers, counts: 1...32, identity: (name: "name", value: \.name)),
            .section("levels", \.levels),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        unreachableContradiction + tierContradictions
    }

    private var tierContradictions: [(path: String, message: String)] {
        let names = tiers.map(\.name)
        return apiKeys.enumerated().compactMap { index, key in
            guard let tier = key.tier, !names.contains(tier) else { return nil }
            let expected = names.joined(separator: ", ")
            return (
                "api_keys[\(index)].tier", "found \"\(tier)\", expected one of tiers: \(expected)"
            )
        }
    }

    private var unreachableContradiction: [(path: String, message: String)] {
        // MET Norway's terms of service: a client without a contact gets 403.
        guard !userAgent.isEmpty, !userAgent.contains("@"), !userAgent.contains("://") else {
            return []
        }
        return [
            (
                "user_agent",
                "found \"\(userAgent)\", expected a mail address or URL in it, such as"
                    + " \"myapp/1.0 ops@example.org\": MET Norway refuses others"
            )
        ]
    }
}

extension AuroraSection.Levels: ConfigurationSection {
    package static var fields: [ConfigurationField<AuroraSection.Levels>] {
        let score = ScalarType<Double>.number(0...100)
        return [
            .scalar(
                "low",
                \.low,
                score,
                reload: .restart,
                meaning: "The score from which the level is `low`; below it is `none`."
            ),
            .scalar(
                "moderate",
                \.moderate,
                score,
                reload: .restart,
                meaning: "The score from which the level is `moderate`."
            ),
            .scalar(
                "good",
                \.good,
                score,
                reload: .restart,
                meaning: "The score from which the level is `good`."
            ),
            .scalar(
                "excellent",
                \.excellent,
                score,
                reload: .restart,
                meaning: "The score from which the level is `excellent`."
            ),
            .scalar(
                "margin",
                \.margin,
                score,
                reload: .restart,
                meaning: """
                    The points by which the score has to fall below a level's bound before the \
                    level changes.
                    """
            ),
        ]
    }

    /// A level that begins within the margin of the one below it would never be left for that one.
    package func contradictions() -> [(path: String, message: String)] {
        let levels = [
            ("0", 0), ("low", low), ("moderate", moderate), ("good", good),
            ("excellent", excellent),
        ]
        let text = ScalarType<Double>.number(0...100).text
        return zip(levels, levels.dropFirst()).compactMap { lower, upper in
            guard upper.1 - lower.1 <= margin else { return nil }
            let below = lower.0 == "0" ? "0" : "\(lower.0) (\(text(lower.1)))"
            return (
                upper.0,
                "found \(text(upper.1)), expected more than the margin (\(text(margin))) above \(below)"
            )
        }
    }
}

extension AuroraSection.Key: ConfigurationSection {
    package static var fields: [ConfigurationField<AuroraSection.Key>] {
        [
            .scalar(
                "key",
                \.key,
                .auroraKey,
                isRequired: true,
                reload: .restart,
                meaning: "The key."
            ),
            .optional(
                "tier",
                \.tier,
                .name(example: "partner"),
                reload: .restart,
                meaning: "The name of its tier."
            ),
        ]
    }

    /// As YAML, without the secret.
    fileprivate var text: String {
        let secret = ScalarType<Secret>.auroraKey.text(key)
        return tier.map { "{key: \(secret), tier: \(yamlText($0))}" } ?? secret
    }
}

extension ScalarType where Value == Secret {
    fileprivate static var auroraKey: ScalarType { .secret(example: "a random text") }
}

extension AuroraSection.Tier: ConfigurationSection {
    package static var fields: [ConfigurationField<AuroraSection.Tier>] {
        [
            .scalar(
                "name",
                \.name,
                .name(example: "partner"),
                isRequired: true,
                reload: .restart,
                meaning: "The name that `tier` of a key refers to."
            ),
            .scalar(
                "requests_per_hour",
                \.requestsPerHour,
                .integer(1...1_000_000_000),
                reload: .restart,
                meaning: """
                    Of each key of the tier; one more is answered 429 until the next full hour.
                    """
            ),
        ]
    }
}

extension AuroraSection.Place: ConfigurationSection {
    package static var fields: [ConfigurationField<AuroraSection.Place>] {
        [
            .scalar(
                "id",
                \.id,
                .name(example: "tromso"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the topics `aurora:{id}` and `aurora:{id}:alerts`."
            ),
            .scalar(
                "name",
                \.name,
                .text(lengthMax: 100, example: "Tromsø"),
                isRequired: true,
                reload: .restart,
                meaning: "The name for people."
            ),
            .scalar(
                "latitude",
                \.latitude,
                .number(-90...90),
                isRequired: true,
                reload: .restart,
                meaning: "Degrees north."
            ),
            .scalar(
                "longitude",
                \.longitude,
                .number(-180...180),
                isRequired: true,
                reload: .restart,
                meaning: "Degrees east."
            ),
            .scalar(
                "altitude",
                \.altitude,
                .number(-500...9000),
                reload: .restart,
                meaning: "Metres above the sea."
            ),
            .scalar(
                "time_zone",
                \.timeZone,
                .timeZone,
                reload: .restart,
                meaning: """
                    The place's time zone: days and the times in texts are in it. All names but \
                    `UTC`, `WET`, `CET`, `EET`, `EST5EDT`, `CST6CDT`, `MST7MDT` and `PST8PDT` \
                    need the package tzdata.
                    """
            ),
        ]
    }
}

extension AuroraSection.Intervals: ConfigurationSection {
    package static var fields: [ConfigurationField<AuroraSection.Intervals>] {
        spaceWeatherFields + bulletinFields
    }

    private static var spaceWeatherFields: [ConfigurationField<AuroraSection.Intervals>] {
        let range = ScalarType.duration(.seconds(10) ... .seconds(86_400))
        return [
            .scalar(
                "solar_wind",
                \.solarWind,
                range,
                reload: .restart,
                meaning: """
                    Between polls of the propagated solar wind. All intervals are in the data's \
                    time.
                    """
            ),
            .scalar(
                "solar_wind_day",
                \.solarWindDay,
                range,
                reload: .restart,
                meaning: "Of the solar wind of the last day, 4 MB, which fills gaps."
            ),
            .scalar(
                "kp_minutes",
                \.kpMinutes,
                range,
                reload: .restart,
                meaning: "Of the estimated Kp, which is published each minute."
            ),
            .scalar(
                "kp",
                \.kp,
                range,
                reload: .restart,
                meaning: "Of the three-hour Kp."
            ),
            .scalar(
                "kp_forecast",
                \.kpForecast,
                range,
                reload: .restart,
                meaning: "Of the forecast Kp."
            ),
            .scalar(
                "outlook",
                \.outlook,
                range,
                reload: .restart,
                meaning: "Of the 27-day outlook, which is issued once a week."
            ),
        ]
    }

    private static var bulletinFields: [ConfigurationField<AuroraSection.Intervals>] {
        let range = ScalarType.duration(.seconds(10) ... .seconds(86_400))
        return [
            .scalar(
                "ovation",
                \.ovation,
                range,
                reload: .restart,
                meaning: "Of the OVATION grid, 1 MB."
            ),
            .scalar(
                "scales",
                \.scales,
                range,
                reload: .restart,
                meaning: "Of NOAA's scales of space weather."
            ),
            .scalar(
                "bulletins",
                \.bulletins,
                range,
                reload: .restart,
                meaning: "Of SWPC's messages about storms."
            ),
            .scalar(
                "weather",
                \.weather,
                range,
                reload: .restart,
                meaning: "Of each place's forecast; never before the upstream's `Expires`."
            ),
        ]
    }
}
