extension OutboxRouter {
    /// As `deliveries(of:topic:wall:)`, except for alerts of users' own rules: these are only for
    /// the user, and an operator's endpoint would receive one for each user who has such a rule.
    ///
    /// - Parameter tags: the tags by which the event may be erased.
    package func deliveries(
        ofPublic event: Event,
        topic: Topic,
        tags: [String: String] = [:],
        wall: Timestamp
    ) -> [NewDelivery] {
        guard topic.namespace != userAlertsNamespace else { return [] }
        return deliveries(of: event, topic: topic, tags: tags, wall: wall)
    }

    /// Adds the deliveries of an event to the change that publishes it, and the record of its alert.
    /// If a silence covers the alert, it has no deliveries.
    ///
    /// - Parameter alert: nil for an event that is not an alert in the list.
    package func add(
        _ event: Event,
        topic: Topic,
        tags: [String: String] = [:],
        alert: AlertRecord?,
        _ silences: AlertSilences,
        wall: Timestamp,
        to change: inout Change
    ) {
        if var alert {
            alert.isSilenced = silences.cover(alert, now: wall)
            change.alertRecords.append(alert)
            guard !alert.isSilenced else { return }
        }
        change.deliveries += deliveries(ofPublic: event, topic: topic, tags: tags, wall: wall)
    }
}
