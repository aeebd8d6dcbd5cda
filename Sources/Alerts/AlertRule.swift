import PubSub
import Timekeeping

package enum AlertSeverity: String, Sendable, Codable, CaseIterable {
    case info, warning, critical
}

/// When an alert is raised, and when it is over: data, from configuration.
package struct AlertRule: Sendable, Equatable {
    package let name: String
    /// One topic, or all that begin alike: `aurora:*`.
    package let topics: String
    /// The condition that raises the alert.
    package let when: AlertExpression
    /// The condition that clears it; when nil, that `when` is not met. A wider one is hysteresis.
    package let until: AlertExpression?
    /// How long `when` has to be met without a break before the alert is raised.
    package let hold: Duration
    /// How long the alert stays raised at least.
    package let keep: Duration
    /// How long after it was cleared the alert is not raised again.
    package let cooldown: Duration
    package let severity: AlertSeverity
    package let isEnabled: Bool
    private let pattern: NamePattern

    package static let nameLengthMax = 64
    /// The longest `hold`, `keep` and `cooldown`.
    package static let durationMax = Duration.seconds(7 * 86_400)

    package init(
        name: String,
        topics: String,
        when: AlertExpression,
        until: AlertExpression? = nil,
        hold: Duration = .zero,
        keep: Duration = .zero,
        cooldown: Duration = .zero,
        severity: AlertSeverity,
        isEnabled: Bool = true
    ) throws(AlertRuleError) {
        guard Self.isName(name) else { throw .badName(name) }
        guard (try? Topic(topics)) != nil, let pattern = NamePattern(topics, separator: ":")
        else { throw .badTopics(topics) }
        for (key, duration) in [("hold", hold), ("keep", keep), ("cooldown", cooldown)] {
            guard (.zero...Self.durationMax).contains(duration) else {
                throw .badDuration(key: key, duration)
            }
        }
        self.name = name
        self.topics = topics
        self.when = when
        self.until = until
        self.hold = hold
        self.keep = keep
        self.cooldown = cooldown
        self.severity = severity
        self.isEnabled = isEnabled
        self.pattern = pattern
    }

    /// Whether the rule looks at what is published on `topic`.
    package func applies(to topic: Topic) -> Bool {
        pattern.matches(topic.name)
    }

    /// The fields that the rule looks at, `when` first.
    package var fieldNames: [String] {
        let names = when.fieldNames
        return names + (until?.fieldNames.filter { !names.contains($0) } ?? [])
    }

    func isOver(_ fields: [String: AlertValue]) -> Bool {
        until.map { $0.evaluate(fields) } ?? !when.evaluate(fields)
    }

    private static func isName(_ name: String) -> Bool {
        (1...nameLengthMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

/// Why a rule cannot be used.
package enum AlertRuleError: Error, Equatable, CustomStringConvertible {
    case badName(String)
    case badTopics(String)
    case badDuration(key: String, Duration)

    package var description: String {
        switch self {
        case .badName(let name):
            "rule name '\(name)' is not 1 to \(AlertRule.nameLengthMax)"
                + " of a-z, 0-9, '-', '_' and '.'"
        case .badTopics(let topics):
            "topics '\(topics)' is neither a topic nor a pattern such as 'aurora:*'"
        case .badDuration(let key, let duration):
            "\(key) \(duration) is not between 0 and \(AlertRule.durationMax)"
        }
    }
}

extension AlertRule {
    /// The aurora app's own rule, made calm: five minutes in a row above the threshold before
    /// anybody is called outside, a quarter of an hour at least until it is called off, and half an
    /// hour of silence after that. Between 65 and 70 a raised alert stands.
    package static let auroraExcellent = preset {
        try AlertRule(
            name: "aurora-excellent",
            topics: "aurora:*",
            when: AlertExpression(#"score >= 70 and level == "excellent""#),
            until: AlertExpression("score < 65"),
            hold: .seconds(5 * 60),
            keep: .seconds(15 * 60),
            cooldown: .seconds(30 * 60),
            severity: .info
        )
    }

    private static func preset(_ make: () throws -> AlertRule) -> AlertRule {
        do { return try make() } catch { preconditionFailure("shipped rule: \(error)") }
    }
}
