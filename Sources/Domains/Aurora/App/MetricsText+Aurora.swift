import Aurora

extension MetricsText {
    mutating func write(_ figures: AuroraFigures) {
        writeCounts(figures.skills)
        writeSkill(figures.skills)
        write(figures.reliability)
    }

    private mutating func writeCounts(_ skills: [AuroraSkill]) {
        metric(
            "hub_aurora_forecast_hours",
            .gauge,
            "Dark hours of the last 60 days that were forecast and measured.",
            skills.map { ($0.labels, UInt64($0.skill.count)) }
        )
        metric(
            "hub_aurora_forecast_events",
            .gauge,
            "Those of them whose measured score was at least that of the level.",
            skills.map { ($0.labels, UInt64($0.skill.events)) }
        )
        gauge(
            "hub_aurora_forecast_squared_error",
            "Sum of the squared errors of the forecast chance, and of persistence.",
            skills.flatMap { skill in
                [
                    (skill.labels + [("forecast", "hub")], skill.skill.squaredError),
                    (
                        skill.labels + [("forecast", "persistence")],
                        skill.skill.persistenceSquaredError
                    ),
                ]
            }
        )
    }

    private mutating func writeSkill(_ skills: [AuroraSkill]) {
        gauge(
            "hub_aurora_forecast_brier_score",
            "Brier score of the forecast chance; 0 is perfect.",
            skills.compactMap { skill in skill.skill.brier.map { (skill.labels, $0) } }
        )
        gauge(
            "hub_aurora_forecast_skill",
            "Brier skill score; 1 is perfect, 0 as good as the reference.",
            skills.flatMap { skill in
                [
                    ("climatology", skill.skill.skillAgainstClimatology),
                    ("persistence", skill.skill.skillAgainstPersistence),
                ].compactMap { against, value in
                    value.map { (skill.labels + [("against", against)], $0) }
                }
            }
        )
    }

    private mutating func write(_ reliability: [AuroraReliability]) {
        metric(
            "hub_aurora_forecast_reliability_hours",
            .gauge,
            "Forecast hours of all places by their chance in percent.",
            reliability.map { ($0.labels, UInt64($0.bin.count)) }
        )
        metric(
            "hub_aurora_forecast_reliability_events",
            .gauge,
            "Those of them whose measured score was at least that of the level.",
            reliability.map { ($0.labels, UInt64($0.bin.events)) }
        )
        gauge(
            "hub_aurora_forecast_reliability_chance",
            "Mean chance of these hours, 0 to 1.",
            reliability.map { ($0.labels, $0.bin.chanceSum / Double(max(1, $0.bin.count))) }
        )
    }
}

extension AuroraSkill {
    fileprivate var labels: MetricsText.Labels {
        [("place", place), ("lead_hours", "\(lead)"), ("level", level.rawValue)]
    }
}

extension AuroraReliability {
    fileprivate var labels: MetricsText.Labels {
        [
            ("lead_hours", "\(lead)"), ("level", level.rawValue),
            ("chance", ReliabilityBin.names[index]),
        ]
    }
}
