import Core

extension AlertRule {
    /// A rule with both conditions, a hold, a keep and a cooldown.
    static let auroraExcellent: AlertRule = {
        do {
            return try AlertRule(
                name: "aurora-excellent",
                topics: "aurora:*",
                when: AlertExpression(#"score >= 70 and level == "excellent""#),
                until: AlertExpression("score < 65"),
                hold: .seconds(5 * 60),
                keep: .seconds(15 * 60),
                cooldown: .seconds(30 * 60),
                severity: .info
            )
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}
