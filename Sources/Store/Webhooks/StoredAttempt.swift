/// A finished attempt to deliver a webhook message. Its number, status and next attempt are those of
/// the delivery's record, with which it is stored.
package struct NewAttempt: Sendable, Equatable {
    package enum Outcome: String, Sendable {
        case delivered
        /// Another attempt follows.
        case failed
        /// It failed, and none follows.
        case exhausted
        /// The endpoint answered 410: it gets no further messages.
        case gone
    }

    package var endpoint: String
    /// The wall time at which it began.
    package var time: Timestamp
    package var duration: Duration
    package var outcome: Outcome
    /// Why there was no response. Without U+0000, which PostgreSQL does not store.
    package var error: String?
    /// The beginning of the response's content; nil without one.
    package var content: [UInt8]?

    package init(
        endpoint: String,
        time: Timestamp,
        duration: Duration,
        outcome: Outcome,
        error: String? = nil,
        content: [UInt8]? = nil
    ) {
        self.endpoint = endpoint
        self.time = time
        self.duration = duration
        self.outcome = outcome
        self.error = error
        self.content = content
    }

    var length: Int {
        Change.rowBytes + endpoint.utf8.count + (error?.utf8.count ?? 0) + (content?.count ?? 0)
    }
}

/// An attempt in the list of an endpoint's attempts.
package struct StoredAttempt: Sendable, Equatable {
    package var attempt: NewAttempt
    /// Counts from 1, for each delivery.
    package var number: Int
    /// The HTTP status; nil without a response.
    package var statusCode: Int?
    /// When the next one is due; nil if none follows.
    package var next: Timestamp?
    package var messageID: String
    package var eventType: String
    /// Nil if the event has none, and for messages of earlier releases.
    package var topic: String?

    /// The number of attempts that are kept of each endpoint: the newest.
    package static let keptMax = 200
}
