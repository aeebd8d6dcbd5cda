import Timekeeping

/// Decides which texts are worth a request in the background: the line of those that wait, and those
/// for which no request is to be sent for a while.
///
/// **Inputs and duties.** Ask `admit` for every text that a list lacks, and make the text when it says
/// so. Each `true` is to be followed by one `finish` with its key. `rest` and `pause` note what a
/// request has come to.
///
/// **Not here.** It makes no text and reads no clock.
struct TextBacklog: Sendable {
    /// Texts that wait or are being made. With more, the list that lacks the text asks again later.
    static let waitingMax = 256
    /// Texts that rest.
    static let restingMax = 10_000
    /// How long a text rests after a request that the provider refused or did not answer.
    static let restLength = Duration.seconds(600)
    /// The longest pause: budgets are those of a day.
    static let pauseMax = Duration.seconds(86_400)

    private(set) var waiting: Set<[UInt8]> = []
    private var resting: [[UInt8]: Timestamp] = [:]
    private var pausedUntil: Timestamp?

    /// Whether to make a text: not while it waits or rests, the line is full, or a pause lasts.
    mutating func admit(_ key: [UInt8], now: Timestamp) -> Bool {
        // A clock that was set back ends a pause that is too long.
        if let pausedUntil, now < pausedUntil, pausedUntil - now <= TextBacklog.pauseMax {
            return false
        }
        guard waiting.count < TextBacklog.waitingMax, !isResting(key, now: now) else {
            return false
        }
        return waiting.insert(key).inserted
    }

    mutating func finish(_ key: [UInt8]) { waiting.remove(key) }

    /// Notes that a request for a text has failed.
    mutating func rest(_ key: [UInt8], now: Timestamp) {
        if resting.count >= TextBacklog.restingMax {
            resting = resting.filter { isResting(until: $0.value, now: now) }
            // Over its bound with entries that all rest: then most requests fail, and the source's
            // own breaker is open.
            if resting.count >= TextBacklog.restingMax { resting = [:] }
        }
        resting[key] = now + TextBacklog.restLength
    }

    /// Whether no request for a text is to be sent, in the background or by a caller that waits.
    func isResting(_ key: [UInt8], now: Timestamp) -> Bool {
        resting[key].map { isResting(until: $0, now: now) } ?? false
    }

    private func isResting(until end: Timestamp, now: Timestamp) -> Bool {
        now < end && end - now <= TextBacklog.restLength
    }

    /// Notes that the source takes no request before `end`, whatever it is about.
    mutating func pause(until end: Timestamp) {
        pausedUntil = max(end, pausedUntil ?? end)
    }
}
