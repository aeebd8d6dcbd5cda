import PubSub
import Timekeeping

/// Everything that becomes true together: it is committed as a whole or not at all.
package struct Change: Sendable, Equatable {
    /// In the order in which they get their cursors.
    package var events: [TopicEvent]
    package var state: [StateRow]
    package var feeds: [FeedRow]
    package var alerts: [AlertRow]
    package var deliveries: [NewDelivery]
    /// Topics whose histories end with the change, its own events among them: `HubStore.removeHistory` says
    /// how.
    package var removedHistories: [Topic]
    /// What is taken out of histories, of the change's own events, too: an event that tells of an erasure
    /// must not have the tag that is erased. Each costs the writer and every loop a look at all that the
    /// topic keeps: many belong into several changes. Webhooks that tell of nothing else are deleted
    /// (`NewDelivery.topics`), those of the change itself, too; wake their sender, or what waits behind them
    /// waits until something else does.
    package var erasures: [Erasure]
    /// The domain clock's time after this change; kept so that a recording goes on where it stopped.
    package var clock: Timestamp?

    package init(
        events: [TopicEvent] = [],
        state: [StateRow] = [],
        feeds: [FeedRow] = [],
        alerts: [AlertRow] = [],
        deliveries: [NewDelivery] = [],
        removedHistories: [Topic] = [],
        erasures: [Erasure] = [],
        clock: Timestamp? = nil
    ) {
        self.events = events
        self.state = state
        self.feeds = feeds
        self.alerts = alerts
        self.deliveries = deliveries
        self.removedHistories = removedHistories
        self.erasures = erasures
        self.clock = clock
    }
}

/// One value of a domain's state. The domain alone knows what its bytes mean.
package struct StateRow: Sendable, Equatable {
    /// Characters of the name of a domain, key, feed, rule, subject or endpoint; no name is empty.
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

/// What a feed sends to its upstream to be spared an unchanged answer.
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
    /// What a row takes beside the bytes of its texts: columns, index entries, the values here.
    package static let rowBytes = 64

    /// About how many bytes the change holds while it waits.
    package var length: Int {
        var sum = 0
        for event in events { sum += Self.rowBytes + event.length }
        for row in state { sum += Self.rowBytes + row.key.utf8.count + (row.value?.count ?? 0) }
        for row in feeds { sum += Self.rowBytes + (row.validators?.count ?? 0) }
        for row in alerts { sum += Self.rowBytes + (row.state?.count ?? 0) }
        for row in deliveries {
            sum += Self.rowBytes * (1 + row.topics.count * row.tags.count) + row.body.count
        }
        for erasure in erasures {
            sum += Self.rowBytes + erasure.tag.utf8.count + erasure.value.utf8.count
        }
        return sum + Self.rowBytes * removedHistories.count
    }
}
