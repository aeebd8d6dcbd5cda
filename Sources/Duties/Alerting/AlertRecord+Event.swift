extension AlertRecord {
    /// The record of an alert after an event; nil for an alert of a user's own rule, which only the
    /// user may see.
    ///
    /// - Parameter isErasable: whether the event quotes content that can be erased by its tags.
    init?(_ published: PublishedAlert, isErasable: Bool) {
        guard published.rule.owner == nil else { return nil }
        let alert = published.transition.alert
        self.init(
            id: alert.id,
            rule: published.rule.name,
            subject: published.event.subject ?? "",
            topic: published.topic.name,
            severity: published.severity.rawValue,
            raised: alert.since
        )
        if case .cleared(_, let length, let reason) = published.transition {
            ended = alert.since + length
            self.reason = reason.rawValue
        } else if !isErasable {
            headline = published.headline
            values = published.values
        }
    }
}

extension AlertRow {
    /// The id of the active alert of this state; nil if there is none.
    package var activeID: String? {
        guard case .raised(let alert, _) = alertState else { return nil }
        return alert.id
    }
}
