import PubSub
import Timekeeping

/// An event that asks for its place in a topic; committed, it is a `Publication`.
package struct TopicEvent: Sendable, Equatable {
    /// Bytes of an idempotency key, which is not empty either.
    package static let idempotencyKeyLengthMax = 512

    package var topic: Topic
    package var time: Timestamp
    /// JSON text that subscribers get.
    package var payload: [UInt8]
    /// What subscribers may filter by.
    package var tags: [String: String]
    /// Which client published it; nil for the hub itself and for the server API.
    package var info: ClientInfo?
    /// False for an event that only those get who are subscribed: offset 0, and no row.
    package var keepsHistory: Bool
    /// Whether subscribers that agreed to it may get the difference from the publication before.
    package var allowsDelta: Bool
    /// Names the event within its topic: of two with one key, the second is not published. See
    /// `StoreLimits.idempotencyWindow`.
    package var idempotencyKey: String?
    /// An event whose version is not above the topic's is not published.
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

    /// A domain event, whose subscribers get its CloudEvent.
    package init(topic: Topic, event: Event, tags: [String: String] = [:]) {
        self.init(topic: topic, time: event.time, payload: event.cloudEvent(), tags: tags)
    }

    /// Bytes of its texts.
    var length: Int {
        var sum = payload.count + (idempotencyKey?.utf8.count ?? 0)
        for (key, value) in tags { sum += key.utf8.count + value.utf8.count }
        if let info { sum += info.user.utf8.count + info.client.utf8.count }
        return sum + (info?.connectionInfo?.count ?? 0) + (info?.topicInfo?.count ?? 0)
    }

    /// Whether the topic is asked what it knows before the event gets its place.
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

/// The number that the producer gives to a topic's state, so that a late writer can't bring back what
/// was replaced.
///
/// A topic remembers the last one only. Numbers of different epochs can't be compared: an event of
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

/// What became of one event of a committed change.
package enum EventOutcome: Sendable, Equatable {
    /// With the epoch in which its offset counts.
    case published(Publication, TopicEpoch)
    /// An event with the same idempotency key was published there; this one is not.
    case duplicate(Position)
    /// The topic, which stands there, has this version or a higher one; this event is not published.
    case stale(Position)
    /// Its topic would be one too many in memory; this event is not published, the others of its change are.
    case refused(TopicRefusal)

    var isPublished: Bool {
        if case .published = self { true } else { false }
    }
}

/// What a commit made of the change's events.
package struct Committed: Sendable, Equatable {
    /// In the order of the change's events.
    package var outcomes: [EventOutcome]

    package init(outcomes: [EventOutcome]) {
        self.outcomes = outcomes
    }

    /// Of the events that were published, in order.
    package var publications: [Publication] { outcomes.publications }
}

extension [EventOutcome] {
    var publications: [Publication] {
        compactMap { outcome in
            if case .published(let publication, _) = outcome { publication } else { nil }
        }
    }
}
