import DomainKit

/// Decides which texts to request in the background. It tracks the texts that wait, and those for
/// which no request may be sent for some time.
///
/// **Use.** Call `admit` for every text that a list lacks, and write the text if it returns true.
/// Then call `finish` once with its key. Call `rest` or `pause` after a request that failed.
///
/// It writes no text and reads no clock.
struct TextBacklog: Sendable {
    /// The most texts that wait or are being written. Lists request further ones again later.
    static let waitingMax = 256
    /// The most texts that rest.
    static let restingMax = 10_000
    /// The time that a text rests after a request without a usable answer.
    static let restLength = Duration.seconds(600)
    /// The longest pause: budgets are renewed daily.
    static let pauseMax = Duration.seconds(86_400)

    private(set) var waiting: Set<[UInt8]> = []
    private var resting: [[UInt8]: Timestamp] = [:]
    private var pausedUntil: Timestamp?

    /// Whether to write a text: not while it waits or rests, the backlog is full, or a pause lasts.
    mutating func admit(_ key: [UInt8], now: Timestamp) -> Bool {
        // Ignores a pause that is too long, because the clock was set back.
        if let pausedUntil, now < pausedUntil, pausedUntil - now <= TextBacklog.pauseMax {
            return false
        }
        guard waiting.count < TextBacklog.waitingMax, !isResting(key, now: now) else {
            return false
        }
        return waiting.insert(key).inserted
    }

    mutating func finish(_ key: [UInt8]) { waiting.remove(key) }

    /// Records that a request for a text has failed.
    mutating func rest(_ key: [UInt8], now: Timestamp) {
        if resting.count >= TextBacklog.restingMax {
            resting = resting.filter { isResting(until: $0.value, now: now) }
            // If all entries still rest, most requests fail, and the source's circuit breaker
            // limits them.
            if resting.count >= TextBacklog.restingMax { resting = [:] }
        }
        resting[key] = now + TextBacklog.restLength
    }

    /// Whether requests for a text are suspended, in the background and for waiting callers.
    func isResting(_ key: [UInt8], now: Timestamp) -> Bool {
        resting[key].map { isResting(until: $0, now: now) } ?? false
    }

    private func isResting(until end: Timestamp, now: Timestamp) -> Bool {
        now < end && end - now <= TextBacklog.restLength
    }

    /// Records that the source accepts no requests before `end`, for any text.
    mutating func pause(until end: Timestamp) {
        pausedUntil = max(end, pausedUntil ?? end)
    }
}
