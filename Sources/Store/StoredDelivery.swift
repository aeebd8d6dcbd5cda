/// A webhook message before its first attempt.
package struct NewDelivery: Sendable, Equatable {
    package var endpoint: String
    /// Unique for the endpoint, and the same in every attempt.
    package var messageID: String
    package var eventType: String
    package var subject: String?
    package var body: [UInt8]
    /// The wall time of its creation, at which the first attempt is due.
    package var createdAt: Timestamp
    /// The topics of the events in the message, as far as the endpoint receives them, and their
    /// tags: erasures (`Change.erasures`) that cover all of these also delete the message from the
    /// outbox, whether it is pending or has ended. Without topics or tags no erasure deletes it.
    package var topics: [Topic]
    package var tags: [String: String]
    /// The topic of the message's event, for the list of attempts; the first one if the endpoint
    /// receives several. Nil if the event has none.
    package var topic: Topic?
    /// The index of the change's event on which the message depends: if that is not published, for
    /// example a duplicate, there is no message. Nil for a message that is always written.
    package var eventIndex: Int?

    package init(
        endpoint: String,
        messageID: String,
        eventType: String,
        subject: String?,
        body: [UInt8],
        createdAt: Timestamp,
        topics: [Topic] = [],
        tags: [String: String] = [:],
        topic: Topic? = nil,
        eventIndex: Int? = nil
    ) {
        self.endpoint = endpoint
        self.messageID = messageID
        self.eventType = eventType
        self.subject = subject
        self.body = body
        self.createdAt = createdAt
        self.topics = topics
        self.tags = tags
        self.topic = topic
        self.eventIndex = eventIndex
    }
}

/// A webhook message in the outbox.
package struct StoredDelivery: Sendable, Equatable, Identifiable {
    /// Increases in the order of commits, over all endpoints.
    package var id: Int64
    package var endpoint: String
    package var messageID: String
    package var eventType: String
    package var subject: String?
    package var body: [UInt8]
    package var createdAt: Timestamp
    package var status: DeliveryStatus
    /// The number of attempts made.
    package var attempts: Int
    /// The HTTP status of the last attempt; nil when there was no response.
    package var statusCode: Int?
    /// The delivery machine's state; empty before the first attempt.
    package var state: [UInt8]
}

/// The status of a delivery. Times are wall time.
package enum DeliveryStatus: Sendable, Equatable {
    case pending(nextAttempt: Timestamp)
    case delivered(at: Timestamp)
    case failed(at: Timestamp)
}

/// The new state of a delivery after an attempt, or after an operator's command to replay or give
/// up.
package struct DeliveryRecord: Sendable, Equatable {
    package var deliveryID: Int64
    package var status: DeliveryStatus
    package var attempts: Int
    package var statusCode: Int?
    package var state: [UInt8]

    package init(
        deliveryID: Int64,
        status: DeliveryStatus,
        attempts: Int,
        statusCode: Int?,
        state: [UInt8]
    ) {
        self.deliveryID = deliveryID
        self.status = status
        self.attempts = attempts
        self.statusCode = statusCode
        self.state = state
    }
}

/// The numbers of deliveries in the outbox.
package struct DeliveryCounts: Sendable, Equatable {
    package var pending = 0
    package var delivered = 0
    package var failed = 0
    /// The creation time of the oldest pending delivery.
    package var oldestPending: Timestamp?
}
