/// One word for a feed, as metrics, `/readyz` and an operator see it.
package enum FeedStatus: String, Sendable, Codable, CaseIterable {
    /// No attempt has finished.
    case starting
    case healthy
    /// The last attempt failed; the next one follows after a backoff.
    case failing
    /// Too many failures in a row: single probes, further and further apart.
    case open
    /// The upstream refuses us; an operator has to act. Probed a few times a day.
    case stopped
}

/// The health of a feed at one moment.
package struct FeedHealth: Sendable, Equatable {
    package var status: FeedStatus
    package var consecutiveFailures: Int
    /// The start of the last attempt.
    package var lastAttempt: Timestamp?
    /// The last response that was accepted or not modified; it may be from before a restart.
    package var lastSuccess: Timestamp?
    /// Kept after the feed has recovered.
    package var lastFailure: Failure?
    package var nextAttempt: Timestamp

    package struct Failure: Sendable, Equatable {
        package var reason: String
        package var time: Timestamp
    }
}

/// One failed attempt. Its description is the line for the log.
package struct FeedProblem: Sendable, Equatable {
    package let feed: String
    /// At most `reasonLengthMax` characters, without control characters.
    package let reason: String
    package let consecutiveFailures: Int
    package let status: FeedStatus
    package let nextAttempt: Timestamp

    /// Reasons may quote an upstream; a log line is no place for its page.
    package static let reasonLengthMax = 200

    static func clipped(_ reason: String) -> String {
        var clipped = String.UnicodeScalarView()
        for scalar in reason.unicodeScalars.prefix(reasonLengthMax) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            clipped.append(isControl ? " " : scalar)
        }
        return String(clipped)
    }
}
