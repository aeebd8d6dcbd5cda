/// The event of a transition: `<domain>.alert.raised`, `.escalated` or `.cleared`.
///
/// Its data has `alert_id` and `since`, the same in all events of an alert, `rule`, `severity`,
/// `state`, `headline`, where the domain has several languages `headlines`, and `values`: the
/// values that the rule used, `null` where a value was missing. `escalated` adds
/// `previous_severity`, `cleared` `duration_seconds` and `reason`.
///
/// - Parameters:
///   - domain: the first word of the type, such as `aurora`.
///   - id: of the event, not of the alert.
///   - fields: the values of the evaluation that made the transition.
///   - headline: one line for people; `headline` is in the rule's language.
package func alertEvent(
    _ transition: AlertTransition,
    of rule: AlertRule,
    domain: String,
    id: String,
    source: String,
    subject: String,
    fields: [String: AlertValue],
    headline: AlertHeadline,
    now: Timestamp
) -> Event {
    alertEvent(
        transition,
        of: rule.name,
        severity: transition.alert.severity ?? rule.severity,
        domain: domain,
        id: id,
        source: source,
        subject: subject,
        values: rule.fieldNames.map { ($0, fields[$0]) },
        headline: headline,
        language: rule.language,
        now: now
    )
}

/// The same for a rule of which no more than this is known.
///
/// - Parameter values: in the order in which they are shown; nil for a value that was missing.
func alertEvent(
    _ transition: AlertTransition,
    of rule: String,
    severity: AlertSeverity,
    domain: String,
    id: String,
    source: String,
    subject: String,
    values: [(name: String, value: AlertValue?)],
    headline: AlertHeadline,
    language: String?,
    now: Timestamp
) -> Event {
    var json = JSONWriter()
    json.object {
        $0.field("alert_id", transition.alert.id)
        $0.field("rule", rule)
        $0.field("severity", severity.rawValue)
        $0.field("state", transition.kind.rawValue)
        $0.field("since", transition.alert.since.iso8601)
        if case .escalated(_, let former) = transition {
            $0.field("previous_severity", former.rawValue)
        }
        if case .cleared(_, let duration, let reason) = transition {
            $0.field("duration_seconds", duration.wholeMilliseconds / 1000)
            $0.field("reason", reason.rawValue)
        }
        headline.write(to: &$0, language: language)
        $0.raw("values", alertValues(values))
    }
    return Event(
        id: id,
        type: "\(domain).alert.\(transition.kind.rawValue)",
        source: source,
        subject: subject,
        time: now,
        data: json.bytes
    )
}

/// The values that a rule used, as a JSON object.
func alertValues(_ values: [(name: String, value: AlertValue?)]) -> [UInt8] {
    var json = JSONWriter()
    json.object {
        for (name, value) in values {
            switch value {
            case .number(let number): $0.field(name, number)
            case .integer(let integer): $0.raw(name, integer.description.utf8)
            case .text(let text): $0.field(name, text)
            case nil: $0.null(name)
            }
        }
    }
    return json.bytes
}
