import Alerts
import Timekeeping

/// 2025-12-21T18:00:00Z
let evening = Timestamp(iso8601: "2025-12-21T18:00:00Z")!

func after(_ seconds: Int64) -> Timestamp {
    evening + .seconds(seconds)
}

func rule(
    when: String = "score >= 70",
    until: String? = nil,
    hold: Int = 0,
    keep: Int = 0,
    cooldown: Int = 0,
    isEnabled: Bool = true
) -> AlertRule {
    do {
        return try AlertRule(
            name: "test",
            topics: "aurora:*",
            when: AlertExpression(when),
            until: until.map { try AlertExpression($0) },
            hold: .seconds(hold),
            keep: .seconds(keep),
            cooldown: .seconds(cooldown),
            severity: .warning,
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

func raised(_ seconds: Int64) -> RaisedAlert {
    RaisedAlert(id: "alert-\(seconds)", since: after(seconds))
}
