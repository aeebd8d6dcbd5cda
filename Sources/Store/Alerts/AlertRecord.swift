/// An alert of an operator's rule as its last event describes it, for the list of alerts.
///
/// The state of a rule is in `AlertRow`; nothing is derived from these records.
package struct AlertRecord: Sendable, Equatable {
    package var id: String
    package var rule: String
    package var subject: String
    /// The topic of its events.
    package var topic: String
    /// The greatest severity that it has reached.
    package var severity: String
    package var raised: Timestamp
    /// Nil while it is active.
    package var ended: Timestamp?
    /// Why it ended; nil while it is active.
    package var reason: String?
    /// One line for people. Nil keeps the stored one: the end of an alert has no news. Also nil for
    /// an alert whose content can be erased, because a record has no tags.
    package var headline: String?
    /// A JSON object with the values that the rule used; nil in the same cases.
    package var values: [UInt8]?
    /// Whether a silence kept its webhooks back; once true, it stays true.
    package var isSilenced: Bool

    package init(
        id: String,
        rule: String,
        subject: String,
        topic: String,
        severity: String,
        raised: Timestamp,
        ended: Timestamp? = nil,
        reason: String? = nil,
        headline: String? = nil,
        values: [UInt8]? = nil,
        isSilenced: Bool = false
    ) {
        self.id = id
        self.rule = rule
        self.subject = subject
        self.topic = topic
        self.severity = severity
        self.raised = raised
        self.ended = ended
        self.reason = reason
        self.headline = headline
        self.values = values
        self.isSilenced = isSilenced
    }

    var length: Int {
        Change.rowBytes + subject.utf8.count + topic.utf8.count + (headline?.utf8.count ?? 0)
            + (values?.count ?? 0)
    }
}

/// An operator's note that an alert was seen.
package struct AlertAcknowledgement: Sendable, Equatable {
    package var time: Timestamp
    /// The name of the API key.
    package var by: String
    package var note: String?

    package init(time: Timestamp, by: String, note: String? = nil) {
        self.time = time
        self.by = by
        self.note = note
    }
}

/// An alert in the list of alerts.
package struct StoredAlert: Sendable, Equatable {
    package var record: AlertRecord
    package var acknowledgement: AlertAcknowledgement?

    /// The number of ended alerts that are kept: the last to end.
    package static let keptMax = 1000
}

/// The part of the list of alerts that is asked for.
package enum AlertRange: String, Sendable, CaseIterable {
    /// Those that have not ended, the last raised first.
    case active
    /// Those that have ended, the last to end first.
    case past
    /// Both, the last raised first.
    case all
}
