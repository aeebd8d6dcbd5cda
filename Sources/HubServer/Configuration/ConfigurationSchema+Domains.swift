import Alerts
import Webhooks

extension Configuration.Aurora: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Aurora>] {
        [
            .list("places", \.places, counts: 1...64, identity: (name: "id", value: \.id)),
            .scalar(
                "swpc_url",
                \.swpcURL,
                .url(example: "https://services.swpc.noaa.gov"),
                reload: .restart
            ),
            .scalar("metno_url", \.metnoURL, .url(example: "https://api.met.no"), reload: .restart),
            .scalar(
                "user_agent",
                \.userAgent,
                .text(example: "\"myapp/1.0 ops@example.org\""),
                isRequired: true,
                reload: .restart
            ),
            .section("intervals", \.intervals),
            .auroraKeys("api_keys", \.apiKeys, counts: 0...256, reload: .restart),
            .list("tiers", \.tiers, counts: 1...32, identity: (name: "name", value: \.name)),
            .section("levels", \.levels),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
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
        // MET Norway's terms of service: who does not say how to be reached gets 403.
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

extension Configuration.AuroraLevels: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AuroraLevels>] {
        let score = ScalarType<Double>.number(0...100)
        return [
            .scalar("low", \.low, score, reload: .restart),
            .scalar("moderate", \.moderate, score, reload: .restart),
            .scalar("good", \.good, score, reload: .restart),
            .scalar("excellent", \.excellent, score, reload: .restart),
            .scalar("margin", \.margin, score, reload: .restart),
        ]
    }

    /// A level that begins within the margin of the one below it would never be left for that one.
    func contradictions() -> [(path: String, message: String)] {
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

extension Configuration.AuroraTier: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AuroraTier>] {
        [
            .scalar("name", \.name, .name(example: "partner"), isRequired: true, reload: .restart),
            .scalar(
                "requests_per_hour",
                \.requestsPerHour,
                .integer(1...1_000_000_000),
                reload: .restart
            ),
        ]
    }
}

extension Configuration.Place: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Place>] {
        [
            .scalar("id", \.id, .name(example: "tromso"), isRequired: true, reload: .restart),
            .scalar(
                "name",
                \.name,
                .text(lengthMax: 100, example: "Tromsø"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("latitude", \.latitude, .number(-90...90), isRequired: true, reload: .restart),
            .scalar(
                "longitude",
                \.longitude,
                .number(-180...180),
                isRequired: true,
                reload: .restart
            ),
            .scalar("altitude", \.altitude, .number(-500...9000), reload: .restart),
            .scalar("time_zone", \.timeZone, .choice(), reload: .restart),
        ]
    }
}

extension Configuration.Intervals: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Intervals>] {
        let range = ScalarType.duration(.seconds(10) ... .seconds(86_400))
        return [
            .scalar("solar_wind", \.solarWind, range, reload: .restart),
            .scalar("solar_wind_day", \.solarWindDay, range, reload: .restart),
            .scalar("kp_minutes", \.kpMinutes, range, reload: .restart),
            .scalar("kp", \.kp, range, reload: .restart),
            .scalar("kp_forecast", \.kpForecast, range, reload: .restart),
            .scalar("ovation", \.ovation, range, reload: .restart),
            .scalar("scales", \.scales, range, reload: .restart),
            .scalar("bulletins", \.bulletins, range, reload: .restart),
            .scalar("weather", \.weather, range, reload: .restart),
        ]
    }
}

extension Configuration.Alert: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Alert>] {
        let range = ScalarType.duration(.zero ... .seconds(7 * 86_400))
        let condition = ScalarType.text(lengthMax: 1024, example: "'score >= 70'")
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "aurora-excellent"),
                isRequired: true,
                reload: .restart
            ),
            .scalar(
                "topics",
                \.topics,
                .pattern("topic", separator: ":", example: "aurora:*"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("when", \.when, condition, isRequired: true, reload: .restart),
            .optional("until", \.until, condition, reload: .restart),
            .scalar("hold", \.hold, range, reload: .restart),
            .scalar("keep", \.keep, range, reload: .restart),
            .scalar("cooldown", \.cooldown, range, reload: .restart),
            .scalar("severity", \.severity, .choice(), reload: .restart),
            .list(
                "escalate",
                \.escalate,
                counts: 0...AlertRule.escalationsMax,
                identity: (name: "severity", value: \.severityName)
            ),
            .optional("quiet", \.quiet, reload: .restart),
        ]
    }
}

extension Configuration.Alert.Escalation: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Alert.Escalation>] {
        [
            .scalar("severity", \.severity, .choice(), isRequired: true, reload: .restart),
            .scalar(
                "when",
                \.when,
                .text(lengthMax: 1024, example: "'score >= 90'"),
                isRequired: true,
                reload: .restart
            ),
        ]
    }
}

extension Configuration.Alert.Quiet: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Alert.Quiet>] {
        [
            .scalar(
                "from",
                \.from,
                .timeOfDay(example: "\"22:00\""),
                isRequired: true,
                reload: .restart
            ),
            .scalar(
                "to",
                \.to,
                .timeOfDay(example: "\"07:00\""),
                isRequired: true,
                reload: .restart
            ),
            .scalar("zone", \.zone, .zone, reload: .restart),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard from == to else { return [] }
        return [("to", "found \"\(to)\", expected another time than from")]
    }
}

extension ScalarType where Value == String {
    fileprivate static func timeOfDay(example: String) -> ScalarType {
        ScalarType(
            name: "time of day",
            range: "00:00 to 23:59",
            example: example,
            read: { QuietHours.minutes($0.text) == nil ? nil : $0.text },
            text: { "\"\($0)\"" }
        )
    }

    /// Fixed, as rules know no summer time.
    fileprivate static var zone: ScalarType {
        ScalarType(
            name: "zone",
            range: "-14:00 to +14:00 or UTC",
            example: "\"+01:00\"",
            read: { QuietHours.zone($0.text) == nil ? nil : $0.text },
            text: { $0 == "UTC" ? $0 : "\"\($0)\"" }
        )
    }
}

extension Configuration.Webhook: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Webhook>] {
        let url = ScalarType.url(hiding: .pathAndQuery, example: "https://example.org/hook")
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "pager"),
                isRequired: true,
                reload: .restart
            ),
            .scalar("url", \.url, url, isRequired: true, reload: .restart),
            .optional("secret", \.secret, .secret(example: "whsec_ and base64"), reload: .restart),
            .optional("secret_file", \.secretFile, .file("/run/secrets/pager"), reload: .restart),
            .optional(
                "secret_env",
                \.secretEnvironment,
                .text(example: "PAGER_SECRET"),
                reload: .restart
            ),
            .list(
                "types",
                \.types,
                .pattern("event type", separator: ".", example: "aurora.alert.*"),
                counts: 0...100,
                reload: .restart
            ),
            .list(
                "topics",
                \.topics,
                .pattern("topic", separator: ":", example: "aurora:*"),
                counts: 0...100,
                reload: .restart
            ),
            .list("severities", \.severities, .choice(), counts: 0...3, reload: .restart),
            .scalar(
                "timeout",
                \.timeout,
                .duration(.seconds(1) ... .seconds(60)),
                reload: .restart
            ),
            .scalar("rate", \.rate, .integer(EndpointRates.range), reload: .restart),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        let given = [
            ("secret", secret != nil), ("secret_file", secretFile != nil),
            ("secret_env", secretEnvironment != nil),
        ].filter(\.1).map(\.0)
        switch given.count {
        case 0: return [("secret", "found nothing, expected secret, secret_file or secret_env")]
        case 1: return []
        default:
            let names = given.joined(separator: " and ")
            return [(given[1], "found \(names), expected only one of them")]
        }
    }
}
