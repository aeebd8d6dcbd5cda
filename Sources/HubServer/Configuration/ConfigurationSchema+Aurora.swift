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
