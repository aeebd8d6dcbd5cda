import PubSub
import Timekeeping

/// A webhook message that waits for its first attempt.
package struct NewDelivery: Sendable, Equatable {
    package var endpoint: String
    /// Unique for the endpoint, and the same in every attempt.
    package var messageID: String
    package var eventType: String
    package var subject: String?
    package var body: [UInt8]
    /// The wall time; also when the first attempt is due.
    package var createdAt: Timestamp
    /// Where what it tells is published, as far as the endpoint hears of it, and with which tags: erasures
    /// (`Change.erasures`) that cover all of these take the message out of the outbox, too, whether it
    /// waits or has ended. Without topics or tags none does.
    package var topics: [Topic]
    package var tags: [String: String]
    /// The event of its change without which it is not written: one that is not published, such as a duplicate, has
    /// no message. Nil for a message that is always written.
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
        self.eventIndex = eventIndex
    }
}

/// A webhook message in the outbox.
package struct StoredDelivery: Sendable, Equatable, Identifiable {
    /// Counts up in the order of commits, over all endpoints.
    package var id: Int64
    package var endpoint: String
    package var messageID: String
    package var eventType: String
    package var subject: String?
    package var body: [UInt8]
    package var createdAt: Timestamp
    package var status: DeliveryStatus
    /// Attempts that were made.
    package var attempts: Int
    /// The HTTP status of the last attempt; nil when there was no answer.
    package var statusCode: Int?
    /// The delivery machine's own; empty before the first attempt.
    package var state: [UInt8]
}

/// Where a delivery stands. Times are wall time.
package enum DeliveryStatus: Sendable, Equatable {
    case pending(nextAttempt: Timestamp)
    case delivered(at: Timestamp)
    case failed(at: Timestamp)
}

/// What is known of a delivery after an attempt, or after a person's command to replay or give up.
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

/// How many deliveries the outbox holds.
package struct DeliveryCounts: Sendable, Equatable {
    package var pending = 0
    package var delivered = 0
    package var failed = 0
    /// When the oldest pending delivery was created.
    package var oldestPending: Timestamp?
}
