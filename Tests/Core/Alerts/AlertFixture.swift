import Core

func rule(
    when: String = "score >= 70",
    until: String? = nil,
    hold: Int = 0,
    keep: Int = 0,
    cooldown: Int = 0,
    severity: AlertSeverity = .warning,
    escalations: [(AlertSeverity, String)] = [],
    quiet: QuietHours? = nil,
    name: String = "test",
    topics: String = "aurora:*",
    owner: String? = nil,
    isEnabled: Bool = true
) -> AlertRule {
    do {
        return try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression(when),
            until: until.map { try AlertExpression($0) },
            hold: .seconds(hold),
            keep: .seconds(keep),
            cooldown: .seconds(cooldown),
            severity: severity,
            escalations: escalations.map {
                AlertEscalation(severity: $0.0, when: try AlertExpression($0.1))
            },
            quiet: quiet,
            owner: owner,
            isEnabled: isEnabled
        )
    } catch {
        preconditionFailure("\(error)")
    }
}

extension AlertMachine {
    /// Evaluates with a score; the alert that this may raise is named after the second.
    mutating func score(_ score: Double, at seconds: Int64) -> AlertTransition? {
        evaluate(["score": .number(score)], now: after(seconds), newID: "alert-\(seconds)")
    }
}

func raised(_ seconds: Int64, _ severity: AlertSeverity = .warning) -> RaisedAlert {
    RaisedAlert(id: "alert-\(seconds)", since: after(seconds), severity: severity)
}

/// 22:00 to 07:00 UTC: from the fifth to the fourteenth hour after `evening`.
let night = QuietHours(from: "22:00", to: "07:00", zone: .utc)!
let nightStart: Int64 = 4 * 3600
let nightEnd: Int64 = 13 * 3600
