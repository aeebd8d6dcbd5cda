import Timekeeping

/// An alert that was raised; the same in the events that raise and clear it.
package struct RaisedAlert: Sendable, Hashable, Codable {
    package let id: String
    /// When it was raised.
    package let since: Timestamp

    package init(id: String, since: Timestamp) {
        self.id = id
        self.since = since
    }
}

/// Where a rule stands for one subject.
///
/// The store keeps its encoded form: the names of cases and labels are part of the file format.
package enum AlertState: Sendable, Hashable, Codable {
    /// → pending when `when` is met; → raised at once without a hold.
    case idle
    /// `when` has been met since then. → raised after the hold; → idle when it no longer is.
    case pending(since: Timestamp)
    /// → cooling, or idle without a cooldown, when the alert is over, but not before `keepUntil`,
    /// which is nil from then on.
    case raised(alert: RaisedAlert, keepUntil: Timestamp?)
    /// → idle at `until`, and from there on in the same evaluation.
    case cooling(until: Timestamp)
}

/// What an evaluation changed that others are told.
package enum AlertTransition: Sendable, Equatable {
    case raised(RaisedAlert)
    case cleared(RaisedAlert, after: Duration, because: Reason)

    package enum Reason: String, Sendable {
        /// The rule's own condition says so.
        case over
        /// The rule was switched off or removed.
        case withdrawn
    }

    package var alert: RaisedAlert {
        switch self {
        case .raised(let alert), .cleared(let alert, _, _): alert
        }
    }
}
