import Alerts

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

extension Configuration.AlertLimits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.AlertLimits>] {
        [
            .scalar("rules", \.rules, .integer(0...100_000), reload: .restart),
            .scalar("user_rules", \.userRules, .integer(0...100_000), reload: .restart),
            .scalar("rules_per_user", \.rulesPerUser, .integer(0...1000), reload: .restart),
            .scalar("topics", \.topics, .integer(1...10_000_000), reload: .restart),
            .scalar("user_topics", \.userTopics, .integer(1...10_000_000), reload: .restart),
            .scalar("topics_per_user", \.topicsPerUser, .integer(1...1_000_000), reload: .restart),
            .scalar(
                "waiting_bytes",
                \.waitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart
            ),
            .scalar(
                "user_waiting_bytes",
                \.userWaitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart
            ),
        ]
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
