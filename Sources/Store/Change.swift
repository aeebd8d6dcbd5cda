/// A set of writes that is committed as a whole or not at all.
package struct Change: Sendable, Equatable {
    /// In the order in which they are assigned their cursors.
    package var events: [TopicEvent]
    package var state: [StateRow]
    package var feeds: [FeedRow]
    package var alerts: [AlertRow]
    package var alertRecords: [AlertRecord]
    package var deliveries: [NewDelivery]
    /// Topics whose histories end with the change, including its own events; see
    /// `HubStore.removeHistory`. The records of alerts of these topics are deleted.
    package var removedHistories: [Topic]
    /// The erasures from histories, which also apply to the change's own events: an event that
    /// reports an erasure must not have the erased tag. For each, the writer and every loop scan
    /// all publications that the topic keeps: split many over several changes. Webhooks about no
    /// other publication are deleted (`NewDelivery.topics`), including those of the change itself;
    /// wake their sender, or the webhooks queued after them wait until it is woken otherwise.
    package var erasures: [Erasure]
    /// Messages to every node, after everything else; without a cluster there is no receiver.
    package var notes: [ClusterNote]
    /// The domain clock's time after this change; stored so that a recording continues where it
    /// stopped.
    package var clock: Timestamp?

    package init(
        events: [TopicEvent] = [],
        state: [StateRow] = [],
        feeds: [FeedRow] = [],
        alerts: [AlertRow] = [],
        alertRecords: [AlertRecord] = [],
        deliveries: [NewDelivery] = [],
        removedHistories: [Topic] = [],
        erasures: [Erasure] = [],
        notes: [ClusterNote] = [],
        clock: Timestamp? = nil
    ) {
        self.events = events
        self.state = state
        self.feeds = feeds
        self.alerts = alerts
        self.alertRecords = alertRecords
        self.deliveries = deliveries
        self.removedHistories = removedHistories
        self.erasures = erasures
        self.notes = notes
        self.clock = clock
    }
}

/// One value of a domain's state. Only the domain interprets its bytes.
package struct StateRow: Sendable, Equatable {
    /// The maximum length of the name of a domain, key, feed, rule, subject or endpoint, in
    /// characters; no name is empty.
    package static let nameLengthMax = 512

    package var domain: String
    package var key: String
    /// Nil deletes the row.
    package var value: [UInt8]?

    package init(domain: String, key: String, value: [UInt8]?) {
        self.domain = domain
        self.key = key
        self.value = value
    }
}

/// The validators that a feed sends to its upstream so that an unchanged response is not sent
/// again.
package struct FeedRow: Sendable, Equatable {
    package var name: String
    /// Nil deletes the row.
    package var validators: [UInt8]?

    package init(name: String, validators: [UInt8]?) {
        self.name = name
        self.validators = validators
    }
}

/// The state of one alert rule for one subject.
package struct AlertRow: Sendable, Equatable {
    package var rule: String
    package var subject: String
    /// Nil deletes the row.
    package var state: [UInt8]?

    package init(rule: String, subject: String, state: [UInt8]?) {
        self.rule = rule
        self.subject = subject
        self.state = state
    }
}

extension Change {
    /// The overhead of a row in addition to its texts: columns, index entries, the values here.
    package static let rowBytes = 64

    /// The approximate number of bytes that the change uses while it waits.
    package var length: Int {
        var sum = 0
        for event in events { sum += Self.rowBytes + event.length }
        for row in state { sum += Self.rowBytes + row.key.utf8.count + (row.value?.count ?? 0) }
        for row in feeds { sum += Self.rowBytes + (row.validators?.count ?? 0) }
        for row in alerts { sum += Self.rowBytes + (row.state?.count ?? 0) }
        for record in alertRecords { sum += record.length }
        for row in deliveries {
            sum += Self.rowBytes * (1 + row.topics.count * max(1, row.tags.count)) + row.body.count
        }
        for erasure in erasures {
            sum += Self.rowBytes + erasure.tag.utf8.count + erasure.value.utf8.count
        }
        for note in notes { sum += Self.rowBytes + note.body.count }
        return sum + Self.rowBytes * removedHistories.count
    }
}
