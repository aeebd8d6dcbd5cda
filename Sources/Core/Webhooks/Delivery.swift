/// The progress of one message to one endpoint: the state of one row of the outbox.
///
/// **States.** pending → delivered, exhausted, gone or dropped; these four are final. To deliver a message
/// again, give it a new `Delivery`.
///
/// **Input and duties.** When `nextAttempt` has come and the order allows it (`nextDue`), send the
/// message and call `finish` with the result; store the delivery before anything else is done. The
/// attempt itself leaves no trace before it is finished: after a crash it is repeated, and the
/// receiver identifies the message by its id.
///
/// **Rules.** Only a 2xx is a success; redirects are not followed and count as failures. 410 asks
/// for the endpoint to be switched off. `Retry-After` is a floor below the schedule, and so is a
/// minute where the receiver is overloaded. No attempt follows the last one of the schedule,
/// whatever the receiver requests.
///
/// The store keeps the encoded form: the names of cases and labels are part of the file format.
package struct Delivery: Sendable, Equatable, Codable {
    package private(set) var state: State
    /// The number of finished attempts.
    package private(set) var attempts = 0
    /// The answer to the last attempt; nil when there was none.
    package private(set) var lastStatus: Int?

    package enum State: Sendable, Equatable, Codable {
        case pending(nextAttempt: Timestamp)
        case delivered(at: Timestamp)
        /// The schedule ended without a success.
        case exhausted(at: Timestamp)
        /// The endpoint answered 410.
        case gone(at: Timestamp)
        /// Too much waited for the endpoint, or this for too long.
        case dropped(at: Timestamp)
    }

    /// A whole attempt, from connecting to the last byte of the response. The caller applies it.
    package static let timeout = Duration.seconds(20)
    /// The longest wait that a receiver may demand through `Retry-After`.
    package static let retryAfterMax = Duration.seconds(24 * 3600)
    /// The shortest wait after a time-out and after a status that indicates overload.
    package static let overloadWaitMin = Duration.seconds(60)

    /// A message that is due for its first attempt.
    package init(now: Timestamp) {
        state = .pending(nextAttempt: now)
    }

    package mutating func finish(
        _ result: DeliveryResult,
        schedule: RetrySchedule,
        now: Timestamp,
        random: Double
    ) -> DeliveryOutcome {
        guard case .pending = state else { preconditionFailure("delivery is over: \(state)") }
        attempts += 1
        lastStatus = result.status
        switch result {
        case .response(200...299, _):
            state = .delivered(at: now)
            return .delivered
        case .response(410, _):
            state = .gone(at: now)
            return .disableEndpoint
        case .response, .failed:
            guard let delay = schedule.delay(afterAttempts: attempts, random: random) else {
                state = .exhausted(at: now)
                return .exhausted
            }
            let next = now + max(delay, result.floor(now: now))
            state = .pending(nextAttempt: next)
            return .retry(at: next)
        }
    }

    /// Gives the message up without a further attempt.
    package mutating func drop(now: Timestamp) {
        guard case .pending = state else { preconditionFailure("delivery is over: \(state)") }
        state = .dropped(at: now)
    }

    /// When the next attempt is due; nil when there will be none.
    package var nextAttempt: Timestamp? {
        guard case .pending(let nextAttempt) = state else { return nil }
        return nextAttempt
    }
}

/// The result of one attempt.
package enum DeliveryResult: Sendable, Equatable {
    /// `retryAfter` is the header's text.
    case response(status: Int, retryAfter: String?)
    case failed(DeliveryFailure)

    fileprivate var status: Int? {
        switch self {
        case .response(let status, _): status
        case .failed: nil
        }
    }

    /// The shortest wait that the result allows before the next attempt.
    fileprivate func floor(now: Timestamp) -> Duration {
        switch self {
        case .response(let status, let retryAfter):
            // Standard Webhooks: 429, 502 and 504 ask for a slower pace.
            let isOverload = [429, 502, 504].contains(status)
            let asked = retryDelay(retryAfter, now: now, waitMax: Delivery.retryAfterMax) ?? .zero
            return max(asked, isOverload ? Delivery.overloadWaitMin : .zero)
        case .failed(.timedOut): return Delivery.overloadWaitMin
        case .failed(.connectFailed), .failed(.noAnswer), .failed(.notAllowed): return .zero
        }
    }
}

/// Why an attempt brought no response.
package enum DeliveryFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case timedOut(after: Duration)
    case connectFailed(String)
    /// A connection was made, but no valid answer came over it, for the reason in the text.
    case noAnswer(String)
    /// The attempt was not made: the endpoint's address is one that the hub does not call.
    case notAllowed(String)

    package var description: String {
        switch self {
        case .timedOut(let duration): "no response within \(duration)"
        case .connectFailed(let text): "cannot connect: \(text)"
        case .noAnswer(let text): text
        case .notAllowed(let text): "not allowed: \(text)"
        }
    }
}

/// The consequence of one attempt.
package enum DeliveryOutcome: Sendable, Equatable {
    case delivered
    case retry(at: Timestamp)
    case exhausted
    /// The message is dropped, and the endpoint accepts no further ones.
    case disableEndpoint
}
