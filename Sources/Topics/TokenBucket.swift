/// A rate limit: so many events per second, and so many at once after a pause.
package struct RateLimit: Sendable, Hashable {
    package let perSecond: Double
    package let burst: Int
    /// Of one token, in nanoseconds.
    let interval: Int64
    /// Of an empty bucket until it is full, in nanoseconds.
    let fillTime: Int64

    /// Between a token in about three hours and a million a second.
    package static let perSecondRange = 0.0001...1_000_000
    /// With the slowest rate a bucket of this size still fills within the numbers of a clock.
    package static let burstMax = 100_000

    package init(perSecond: Double, burst: Int) {
        precondition(Self.perSecondRange.contains(perSecond), "rate \(perSecond)")
        precondition((1...Self.burstMax).contains(burst), "burst \(burst)")
        self.perSecond = perSecond
        self.burst = burst
        interval = Int64((1e9 / perSecond).rounded())
        fillTime = interval * Int64(burst)
    }
}

/// A rate limiter: a bucket that fills up at a constant rate, from which every event takes a token.
///
/// Its only state is the instant at which it is full again. An event moves that instant on by the
/// interval of one token, and is refused if the instant would then be further ahead than an empty
/// bucket needs. The arithmetic is of integers, so that it does not drift, and an event at the
/// predicted time is not refused.
///
/// The time is that of a monotonic clock in milliseconds. If it goes back, the bucket waits for it:
/// fewer events pass, never more.
package struct TokenBucket: Sendable, Hashable {
    package let limit: RateLimit
    /// In nanoseconds of the clock.
    package private(set) var fullAt = Int64.min

    package init(_ limit: RateLimit) {
        self.limit = limit
    }

    package init(perSecond: Double, burst: Int) {
        self.init(RateLimit(perSecond: perSecond, burst: burst))
    }

    package init(_ limit: RateLimit, fullAt: Int64) {
        self.limit = limit
        self.fullAt = fullAt
    }

    /// Takes `count` tokens; false, and nothing taken, when there are not so many. More than `burst`
    /// there never are.
    package mutating func take(_ count: Int = 1, now: Int64) -> Bool {
        precondition(count >= 0, "\(count) tokens")
        guard count <= limit.burst else { return false }
        let time = Self.nanoseconds(now)
        let next = max(fullAt, time) + limit.interval * Int64(count)
        guard next - time <= limit.fillTime else { return false }
        fullAt = next
        return true
    }

    /// Milliseconds until `count` tokens, or a full bucket if they are more, can be taken; 0 when they
    /// are there.
    package func retryAfter(_ count: Int = 1, now: Int64) -> Int64 {
        precondition(count >= 0, "\(count) tokens")
        let time = Self.nanoseconds(now)
        let needed = limit.interval * Int64(min(count, limit.burst))
        let wait = max(fullAt, time) - time + needed - limit.fillTime
        return wait <= 0 ? 0 : (wait + 999_999) / 1_000_000
    }

    /// A full bucket is like one that was never used.
    package func isFull(now: Int64) -> Bool { fullAt <= Self.nanoseconds(now) }

    /// Traps for a time that is not one of a process: 292 years.
    private static func nanoseconds(_ milliseconds: Int64) -> Int64 { milliseconds * 1_000_000 }
}
