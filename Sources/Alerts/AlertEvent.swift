import JSONText
import PubSub
import Timekeeping

/// The event that tells a transition: `<domain>.alert.raised` or `<domain>.alert.cleared`.
///
/// Its data has `alert_id` and `since`, the same in both events of an alert, `rule`, `severity`,
/// `state`, `headline` and `values`: what the rule looked at, `null` where a value was missing.
/// `cleared` adds `duration_seconds` and `reason`.
///
/// - Parameters:
///   - domain: the first word of the type, such as `aurora`.
///   - id: of the event, not of the alert.
///   - fields: the values of the evaluation that made the transition.
///   - headline: one line for people.
package func alertEvent(
    _ transition: AlertTransition,
    of rule: AlertRule,
    domain: String,
    id: String,
    source: String,
    subject: String,
    fields: [String: AlertValue],
    headline: String,
    now: Timestamp
) -> Event {
    var json = JSONWriter()
    json.object {
        $0.field("alert_id", transition.alert.id)
        $0.field("rule", rule.name)
        $0.field("severity", rule.severity.rawValue)
        $0.field("state", transition.word)
        $0.field("since", transition.alert.since.iso8601)
        if case .cleared(_, let duration, let reason) = transition {
            $0.field("duration_seconds", duration.wholeMilliseconds / 1000)
            $0.field("reason", reason.rawValue)
        }
        $0.field("headline", headline)
        $0.object("values") { values in
            for name in rule.fieldNames {
                switch fields[name] {
                case .number(let number): values.field(name, number)
                case .text(let text): values.field(name, text)
                case nil: values.null(name)
                }
            }
        }
    }
    return Event(
        id: id,
        type: "\(domain).alert.\(transition.word)",
        source: source,
        subject: subject,
        time: now,
        data: json.bytes
    )
}

extension AlertTransition {
    fileprivate var word: String {
        switch self {
        case .raised: "raised"
        case .cleared: "cleared"
        }
    }
}
