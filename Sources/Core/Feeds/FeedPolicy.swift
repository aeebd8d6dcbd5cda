// Feeds: when an upstream is polled, with which requests, and how its failures are handled.

/// The polling intervals of one upstream product, and the backoff when the upstream fails.
///
/// The values come from the configuration. The caller must check them, because the initialiser
/// traps on a policy that contradicts itself.
package struct FeedPolicy: Sendable, Equatable {
    /// From one start to the next while the feed is healthy.
    package let interval: Duration
    /// From one start to the next while the data are needed before their turn; at most `interval`.
    package let hastenedInterval: Duration
    /// The share of `interval` by which a start moves either way, so that feeds do not march in
    /// step and none settles on the full hour.
    package let jitter: Double
    /// The whole request, from connecting to the last byte. The caller applies it.
    package let timeout: Duration
    /// The largest body that is read. The caller applies it.
    package let bodyBytesMax: Int
    /// Without a success for longer than this the feed is stale.
    package let staleAfter: Duration
    /// Failure n waits up to `backoffBase` · 2ⁿ, and never longer than `backoffMax`.
    package let backoffBase: Duration
    package let backoffMax: Duration
    /// So many failures in a row open the circuit: from then on single probes.
    package let failuresToOpen: Int
    /// The wait before the first probe; it doubles with each that fails, up to `probeDelayMax`.
    package let probeDelay: Duration
    package let probeDelayMax: Duration
    /// Whether the upstream forbids asking again before `Expires` or `max-age`.
    package let honoursExpires: Bool
    /// The longest wait that an upstream may demand through `Retry-After`, `Expires` or `max-age`;
    /// a longer one is more often a mistake in its headers than intended.
    package let upstreamWaitMax: Duration
    /// Answers after which asking again changes nothing until an operator acts, such as 401 and
    /// 403.
    package let stopsOn: Set<Int>
    /// The wait of a stopped feed before it looks whether an operator has acted upstream.
    package let stoppedProbeDelay: Duration
    /// The number of redirects of a request that are followed. With 0 a redirect is a failure.
    package let redirectsMax: Int

    /// - Parameters:
    ///   - hastenedInterval: a longer one than `interval` is `interval`, and so is nil.
    ///   - staleAfter: three intervals when nil.
    package init(
        interval: Duration,
        hastenedInterval: Duration? = nil,
        jitter: Double = 0.1,
        timeout: Duration = .seconds(20),
        bodyBytesMax: Int = 8 << 20,
        staleAfter: Duration? = nil,
        backoffBase: Duration = .seconds(2),
        backoffMax: Duration = .seconds(15 * 60),
        failuresToOpen: Int = 5,
        probeDelay: Duration = .seconds(60),
        probeDelayMax: Duration = .seconds(15 * 60),
        honoursExpires: Bool = false,
        upstreamWaitMax: Duration = .seconds(24 * 3600),
        stopsOn: Set<Int> = [],
        stoppedProbeDelay: Duration = .seconds(6 * 3600),
        redirectsMax: Int = 0
    ) {
        precondition(interval > .zero)
        precondition(hastenedInterval ?? interval > .zero)
        precondition((0..<1).contains(jitter))
        precondition(timeout > .zero)
        precondition(bodyBytesMax > 0)
        precondition(backoffBase > .zero)
        precondition(backoffMax >= backoffBase)
        precondition(failuresToOpen > 0)
        precondition(probeDelay > .zero)
        precondition(probeDelayMax >= probeDelay)
        precondition(upstreamWaitMax > .zero)
        precondition(stopsOn.allSatisfy { (400...599).contains($0) })
        precondition(stoppedProbeDelay >= probeDelay)
        precondition(redirectsMax >= 0)
        self.interval = interval
        self.hastenedInterval = min(hastenedInterval ?? interval, interval)
        self.jitter = jitter
        self.timeout = timeout
        self.bodyBytesMax = bodyBytesMax
        self.staleAfter = staleAfter ?? interval * 3
        self.backoffBase = backoffBase
        self.backoffMax = backoffMax
        self.failuresToOpen = failuresToOpen
        self.probeDelay = probeDelay
        self.probeDelayMax = probeDelayMax
        self.honoursExpires = honoursExpires
        self.upstreamWaitMax = upstreamWaitMax
        self.stopsOn = stopsOn
        self.stoppedProbeDelay = stoppedProbeDelay
        self.redirectsMax = redirectsMax
        precondition(self.staleAfter >= interval)
    }
}

extension FeedPolicy {
    /// `interval` · U(1 − jitter, 1 + jitter).
    func jitteredInterval(random: Double) -> Duration {
        interval * (1 + jitter * (2 * random - 1))
    }

    /// Full jitter: U(0, min(`backoffMax`, `backoffBase` · 2ⁿ)) for failure n, counted from 1.
    ///
    /// Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    func backoff(failure: Int, random: Double) -> Duration {
        var ceiling = backoffBase
        var doublings = 0
        while doublings < failure, ceiling < backoffMax {
            ceiling *= 2
            doublings += 1
        }
        return min(ceiling, backoffMax) * random
    }

    /// A wait that only grows: it is never shorter than the delay, and probes of several feeds
    /// spread.
    func spread(_ delay: Duration, random: Double) -> Duration {
        delay * (1 + jitter * random)
    }
}
