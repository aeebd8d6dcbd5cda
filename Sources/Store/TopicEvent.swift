/// An event before its commit; committed, it is a `Publication`.
package struct TopicEvent: Sendable, Equatable {
    /// The maximum length of an idempotency key in bytes; it is not empty.
    package static let idempotencyKeyLengthMax = 512

    package var topic: Topic
    package var time: Timestamp
    /// The JSON text that subscribers receive.
    package var payload: [UInt8]
    /// The tags by which subscribers may filter.
    package var tags: [String: String]
    /// The client that published it; nil for the hub itself and for the server API.
    package var info: ClientInfo?
    /// False for an event that only current subscribers receive: offset 0, and no row.
    package var keepsHistory: Bool
    /// Whether subscribers that have agreed to it may receive the difference from the previous
    /// publication.
    package var allowsDelta: Bool
    /// Identifies the event within its topic: if two have one key, the second is not published. See
    /// `StoreLimits.idempotencyWindow`.
    package var idempotencyKey: String?
    /// The event's version: if it is not above the topic's, the event is not published.
    package var version: EventVersion?
    package var source: EventSource

    package init(
        topic: Topic,
        time: Timestamp,
        payload: [UInt8],
        tags: [String: String] = [:],
        info: ClientInfo? = nil,
        keepsHistory: Bool = true,
        allowsDelta: Bool = false,
        idempotencyKey: String? = nil,
        version: EventVersion? = nil,
        source: EventSource = .hub
    ) {
        self.topic = topic
        self.time = time
        self.payload = payload
        self.tags = tags
        self.info = info
        self.keepsHistory = keepsHistory
        self.allowsDelta = allowsDelta
        self.idempotencyKey = idempotencyKey
        self.version = version
        self.source = source
    }

    /// A domain event, which subscribers receive as a CloudEvent.
    package init(topic: Topic, event: Event, tags: [String: String] = [:]) {
        self.init(topic: topic, time: event.time, payload: event.cloudEvent(), tags: tags)
    }

    /// The length of its texts in bytes.
    var length: Int {
        var sum = payload.count + (idempotencyKey?.utf8.count ?? 0)
        for (key, value) in tags { sum += key.utf8.count + value.utf8.count }
        if let info { sum += info.user.utf8.count + info.client.utf8.count }
        return sum + (info?.connectionInfo?.count ?? 0) + (info?.topicInfo?.count ?? 0)
    }

    /// Whether the event's publication depends on the topic's key or version.
    var isConditional: Bool { idempotencyKey != nil || version != nil }

    func publication(offset: UInt64, cursor: UInt64) -> Publication {
        Publication(
            topic: topic,
            offset: offset,
            cursor: cursor,
            time: time,
            payload: payload,
            tags: tags,
            info: info,
            allowsDelta: allowsDelta
        )
    }
}

/// The producer's number of a topic's state, so that a late writer cannot restore a replaced state.
///
/// A topic keeps only the last one. Numbers of different epochs cannot be compared: an event of
/// another epoch than the last one's is published and begins that epoch.
package struct EventVersion: Sendable, Hashable {
    package var number: UInt64
    package var epoch: String

    package init(number: UInt64, epoch: String = "") {
        self.number = number
        self.epoch = epoch
    }

    func isAbove(_ last: EventVersion?) -> Bool {
        guard let last, ExactText(last.epoch) == ExactText(epoch) else { return true }
        return number > last.number
    }
}

/// The result of one event of a committed change.
package enum EventOutcome: Sendable, Equatable {
    /// With the epoch of its offset.
    case published(Publication, TopicEpoch)
    /// An event with the same idempotency key was published at this position; this one is not.
    case duplicate(Position)
    /// The topic, whose current position this is, has this version or a higher one; this event is
    /// not published.
    case stale(Position)
    /// Its topic would exceed the maximum in memory; this event is not published, the others of its
    /// change are.
    case refused(TopicRefusal)

    var isPublished: Bool {
        if case .published = self { true } else { false }
    }
}

/// The results of the events of a change.
package struct Committed: Sendable, Equatable {
    /// In the order of the change's events.
    package var outcomes: [EventOutcome]

    package init(outcomes: [EventOutcome]) {
        self.outcomes = outcomes
    }

    /// The published events, in order.
    package var publications: [Publication] { outcomes.publications }
}

extension [EventOutcome] {
    var publications: [Publication] {
        compactMap { outcome in
            if case .published(let publication, _) = outcome { publication } else { nil }
        }
    }
}
