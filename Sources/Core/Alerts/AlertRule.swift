/// When an alert is raised, and when it is over: data, from configuration or a user.
package struct AlertRule: Sendable, Equatable {
    package let name: String
    /// One topic, or all that begin alike: `aurora:*`.
    package let topics: String
    /// The condition that raises the alert.
    package let when: AlertExpression
    /// The condition that clears it; when nil, that `when` is not met. A wider one is hysteresis.
    package let until: AlertExpression?
    /// The time for which `when` must be met without a break before the alert is raised.
    package let hold: Duration
    /// The minimum time for which the alert stays raised.
    package let keep: Duration
    /// The time after it was cleared in which the alert is not raised again.
    package let cooldown: Duration
    package let severity: AlertSeverity
    /// The conditions that make an alert more severe; the greatest severity whose bound is met
    /// applies.
    package let escalations: [AlertEscalation]
    /// When alerts that are not critical are kept back.
    package let quiet: QuietHours?
    /// The language of `headline` in its events; nil for the first of the domain.
    package let language: String?
    /// The user whose own rule it is; nil for a rule of the operator.
    package let owner: String?
    package let isEnabled: Bool
    private let pattern: NamePattern

    /// The maximum cost of an evaluation; the unit is a comparison of two numbers, some 100 ns.
    package let cost: Int

    package static let nameLengthMax = 64
    /// Of a user's rule. Rules that people write compare a handful of values.
    package static let userCostMax = 256
    /// The cost of looking up the rule's state, whatever its conditions are.
    private static let baseCost = 10
    package static let escalationsMax = 4
    /// Of topics with rules: alerts are published on the name with `alertsSuffix` behind it.
    package static let topicBytesMax = Topic.nameLengthMax - alertsSuffix.utf8.count
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
        escalations: [AlertEscalation] = [],
        quiet: QuietHours? = nil,
        language: String? = nil,
        owner: String? = nil,
        isEnabled: Bool = true
    ) throws(AlertRuleError) {
        guard Self.isName(name) else { throw .badName(name) }
        guard (try? Topic(topics)) != nil, let pattern = NamePattern(topics, separator: ":")
        else { throw .badTopics(topics) }
        guard topics.utf8.count <= Self.topicBytesMax else {
            throw .longTopics(byteCount: topics.utf8.count)
        }
        for (key, duration) in [("hold", hold), ("keep", keep), ("cooldown", cooldown)] {
            guard (.zero...Self.durationMax).contains(duration) else {
                throw .badDuration(key: key, duration)
            }
        }
        guard escalations.count <= Self.escalationsMax else {
            throw .tooManyEscalations(escalations.count)
        }
        for escalation in escalations where escalation.severity <= severity {
            throw .idleEscalation(escalation.severity, of: severity)
        }
        self.name = name
        self.topics = topics
        self.when = when
        self.until = until
        self.hold = hold
        self.keep = keep
        self.cooldown = cooldown
        self.severity = severity
        self.escalations = escalations
        self.quiet = quiet
        self.language = language
        self.owner = owner
        self.isEnabled = isEnabled
        self.pattern = pattern
        let conditions = [when] + (until.map { [$0] } ?? []) + escalations.map(\.when)
        cost = conditions.reduce(Self.baseCost) { $0 + $1.cost }
    }

    /// Whether the rule applies to publications on `topic`.
    package func applies(to topic: Topic) -> Bool {
        topic.name.utf8.count <= Self.topicBytesMax && pattern.matches(topic.name)
    }

    package var key: AlertRuleKey { AlertRuleKey(name: name, owner: owner) }

    /// The fields that the rule uses, each once, those of `when` first.
    package var fieldNames: [String] {
        var seen: Set<String> = []
        return conditions.flatMap(\.fieldNames).filter { seen.insert($0).inserted }
    }

    private var conditions: [AlertExpression] {
        [when] + (until.map { [$0] } ?? []) + escalations.map(\.when)
    }

    /// Returns the severity of an alert with these values.
    func severity(_ fields: [String: AlertValue]) -> AlertSeverity {
        escalations.filter { $0.when.evaluate(fields) }.map(\.severity).max() ?? severity
    }

    func isOver(_ fields: [String: AlertValue]) -> Bool {
        until.map { $0.evaluate(fields) } ?? !when.evaluate(fields)
    }

    package static func isName(_ name: String) -> Bool {
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
    case longTopics(byteCount: Int)
    case badDuration(key: String, Duration)
    case tooManyEscalations(Int)
    /// It would never make an alert more severe than the rule does.
    case idleEscalation(AlertSeverity, of: AlertSeverity)

    package var description: String {
        switch self {
        case .badName(let name):
            "rule name '\(name)' is not 1 to \(AlertRule.nameLengthMax)"
                + " of a-z, 0-9, '-', '_' and '.'"
        case .badTopics(let topics):
            "topics '\(topics)' is neither a topic nor a pattern such as 'chat:*'"
        case .longTopics(let count):
            "topics has \(count) bytes, expected at most \(AlertRule.topicBytesMax):"
                + " alerts are published on the topic with '\(alertsSuffix)' behind its name"
        case .badDuration(let key, let duration):
            "\(key) \(duration) is not between 0 and \(AlertRule.durationMax)"
        case .tooManyEscalations(let count):
            "\(count) escalations over limit \(AlertRule.escalationsMax)"
        case .idleEscalation(let severity, let own):
            "an escalation to \(severity) is none for a rule of severity \(own)"
        }
    }
}
