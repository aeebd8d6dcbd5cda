extension Configuration.Alert: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Alert>] {
        conditionFields + timingFields
    }

    private static var conditionFields: [ConfigurationField<Configuration.Alert>] {
        let condition = ScalarType.text(lengthMax: 1024, example: "'score >= 70'")
        return [
            .scalar(
                "name",
                \.name,
                .name(allowing: "-_.", example: "score-high"),
                isRequired: true,
                reload: .restart,
                meaning: "Names the rule in events."
            ),
            .scalar(
                "topics",
                \.topics,
                .pattern("topic", separator: ":", example: "chat:*"),
                isRequired: true,
                reload: .restart,
                meaning: "The topics whose publications the rule looks at."
            ),
            .scalar(
                "when",
                \.when,
                condition,
                isRequired: true,
                reload: .restart,
                meaning: "The condition that raises the alert."
            ),
            .optional(
                "until",
                \.until,
                condition,
                reload: .restart,
                meaning: "The condition that clears it; by default, that `when` is not met."
            ),
        ]
    }

    private static var timingFields: [ConfigurationField<Configuration.Alert>] {
        let range = ScalarType.duration(.zero ... .seconds(7 * 86_400))
        return [
            .scalar(
                "hold",
                \.hold,
                range,
                reload: .restart,
                meaning: "The time for which `when` has to be met without interruption."
            ),
            .scalar(
                "keep",
                \.keep,
                range,
                reload: .restart,
                meaning: "The shortest time that the alert stays raised."
            ),
            .scalar(
                "cooldown",
                \.cooldown,
                range,
                reload: .restart,
                meaning: "The time after it was cleared in which it is not raised again."
            ),
            .scalar(
                "severity",
                \.severity,
                .choice(),
                reload: .restart,
                meaning: "Goes into the event; webhooks can select by it."
            ),
            .list(
                "escalate",
                \.escalate,
                counts: 0...AlertRule.escalationsMax,
                identity: (name: "severity", value: \.severityName)
            ),
            .optional("quiet", \.quiet, reload: .restart),
            .optional(
                "language",
                \.language,
                .text(lengthMax: 16, example: "en"),
                reload: .restart,
                meaning: """
                    The language of `headline` in its events, such as `en`; by default the first \
                    of the topics' domain. `headlines` has all of them.
                    """
            ),
        ]
    }
}

extension Configuration.Alert.Escalation: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Alert.Escalation>] {
        [
            .scalar(
                "severity",
                \.severity,
                .choice(),
                isRequired: true,
                reload: .restart,
                meaning: "A severity above the rule's own, each once."
            ),
            .scalar(
                "when",
                \.when,
                .text(lengthMax: 1024, example: "'score >= 90'"),
                isRequired: true,
                reload: .restart,
                meaning: "The condition for this severity, evaluated from the alert's raise on."
            ),
        ]
    }
}

extension Configuration.Alert.Quiet: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Alert.Quiet>] {
        [
            .scalar(
                "from",
                \.from,
                .timeOfDay(example: "\"22:00\""),
                isRequired: true,
                reload: .restart,
                meaning: "When quiet hours begin, in the zone."
            ),
            .scalar(
                "to",
                \.to,
                .timeOfDay(example: "\"07:00\""),
                isRequired: true,
                reload: .restart,
                meaning: "When they end; before `from` it is on the next day."
            ),
            .scalar(
                "zone",
                \.zone,
                .timeZoneOrOffset,
                reload: .restart,
                meaning: """
                    The time zone of the hours. `"+01:00"` is the same all year. In a night in \
                    which the clocks change, the hours begin and end when the clocks first show \
                    the time.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard from == to else { return [] }
        return [("to", "found \"\(to)\", expected another time than from")]
    }
}

extension Configuration.AlertLimits: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.AlertLimits>] {
        ruleFields + topicFields
    }

    private static var ruleFields: [ConfigurationField<Configuration.AlertLimits>] {
        [
            .scalar(
                "rules",
                \.rules,
                .integer(0...100_000),
                reload: .restart,
                meaning: "Operators' rules made by the API. Those of `alerts` do not count."
            ),
            .scalar(
                "user_rules",
                \.userRules,
                .integer(0...100_000),
                reload: .restart,
                meaning: "Rules of all users together."
            ),
            .scalar(
                "rules_per_user",
                \.rulesPerUser,
                .integer(0...1000),
                reload: .restart,
                meaning: "Rules of one user."
            ),
        ]
    }

    private static var topicFields: [ConfigurationField<Configuration.AlertLimits>] {
        [
            .scalar(
                "topics",
                \.topics,
                .integer(1...10_000_000),
                reload: .restart,
                meaning: "Places for the topics that operators' rules look at."
            ),
            .scalar(
                "user_topics",
                \.userTopics,
                .integer(1...10_000_000),
                reload: .restart,
                meaning: """
                    Places for the topics that users' rules look at. A user who has fewer than an \
                    equal share gets more even when all are taken, so there are at most twice as \
                    many.
                    """
            ),
            .scalar(
                "topics_per_user",
                \.topicsPerUser,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Places of one user."
            ),
            .scalar(
                "waiting_bytes",
                \.waitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart,
                meaning: """
                    Publications that wait for operators' rules; beyond it the oldest are passed \
                    over.
                    """
            ),
            .scalar(
                "user_waiting_bytes",
                \.userWaitingBytes,
                .byteCount(1 << 20...1 << 30),
                reload: .restart,
                meaning: """
                    Publications that wait for users' rules; beyond it the user who makes the most \
                    bytes wait loses the oldest.
                    """
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
}
