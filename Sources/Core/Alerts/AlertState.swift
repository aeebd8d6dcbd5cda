/// An alert that was raised; the same in the events that raise, escalate and clear it.
package struct RaisedAlert: Sendable, Hashable, Codable {
    package let id: String
    /// When it was raised.
    package let since: Timestamp
    /// The greatest severity reached. Nil in rows from versions without escalations: the rule's
    /// severity.
    package var severity: AlertSeverity?

    package init(id: String, since: Timestamp, severity: AlertSeverity? = nil) {
        self.id = id
        self.since = since
        self.severity = severity
    }
}

/// Where a rule stands for one subject.
///
/// The store keeps its encoded form: the names of cases and labels are part of the file format.
package enum AlertState: Sendable, Hashable, Codable {
    /// → pending when `when` is met; → raised at once without a hold, or untold in quiet hours.
    case idle
    /// `when` has been met since then. → raised after the hold, or untold in quiet hours; → idle when it
    /// no longer is.
    case pending(since: Timestamp)
    /// Raised in quiet hours that end at `until`, and not published. → raised when they have ended
    /// or when it has become critical; → idle when the alert is over before that.
    case untold(alert: RaisedAlert, keepUntil: Timestamp?, until: Timestamp)
    /// → cooling, or idle without a cooldown, when the alert is over, but not before `keepUntil`,
    /// which is nil from then on.
    case raised(alert: RaisedAlert, keepUntil: Timestamp?)
    /// → idle at `until`, and from there on in the same evaluation.
    case cooling(until: Timestamp)
}

/// A change by an evaluation that is published.
package enum AlertTransition: Sendable, Equatable {
    case raised(RaisedAlert)
    /// More severe than in the last event.
    case escalated(RaisedAlert, from: AlertSeverity)
    case cleared(RaisedAlert, after: Duration, because: Reason)

    /// The kind of transition; its text is the last word of the event's type.
    package enum Kind: String, Sendable, CaseIterable {
        case raised, escalated, cleared
    }

    package enum Reason: String, Sendable {
        /// The rule's own conditions end it: `until` is met, or without one `when` is no longer
        /// met.
        case over
        /// The rule was switched off or removed.
        case withdrawn
    }

    package var kind: Kind {
        switch self {
        case .raised: .raised
        case .escalated: .escalated
        case .cleared: .cleared
        }
    }

    package var alert: RaisedAlert {
        switch self {
        case .raised(let alert), .escalated(let alert, _), .cleared(let alert, _, _): alert
        }
    }
}
