/// The statistics of a hub: its samples, and whether they are watched at present.
///
/// They are watched while event streams read them, and for a minute after a request. `Hub`
/// takes the totals: once a minute while they are not watched.
package final class HubStatistics: Sendable {
    /// The time for which a request counts as watching.
    package static let watchDuration = Duration.seconds(60)

    /// Rings when the statistics begin to be watched.
    package let alarm = Alarm()
    private let state: Locked<State>
    private let clock: @Sendable () -> Duration

    private struct State: Sendable {
        var ring: StatsRing
        var watchedUntil: Duration
        /// Event streams that read the statistics, when the last totals were taken.
        var readers = 0

        func isWatched(_ now: Duration) -> Bool { readers > 0 || now < watchedUntil }
    }

    /// - Parameter clock: a monotonic clock.
    package init(clock: @escaping @Sendable () -> Duration = HubStatistics.monotonicClock()) {
        self.clock = clock
        let now = clock()
        state = Locked(State(ring: StatsRing(now: now), watchedUntil: now))
    }

    /// A clock that begins at zero.
    package static func monotonicClock() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    /// Notes a request, or an event stream that begins to read the statistics.
    package func watch() {
        let now = clock()
        let begins = state.withLock { state in
            defer { state.watchedUntil = now + HubStatistics.watchDuration }
            return !state.isWatched(now)
        }
        if begins { alarm.ring() }
    }

    /// The time until totals are due; zero or less if they are.
    package var pause: Duration {
        let now = clock()
        return state.withLock { $0.ring.next(now: now, isWatched: $0.isWatched(now)) - now }
    }

    /// Takes totals into account, whether or not they are due.
    ///
    /// - Parameter readers: event streams that read the statistics.
    /// - Returns: the sample for the event streams, if any.
    package func take(_ totals: HubTotals, readers: Int, time: Timestamp) -> HubSample? {
        let now = clock()
        return state.withLock { state in
            state.readers = readers
            let isWatched = state.isWatched(now)
            return state.ring.take(totals, time: time, now: now, isWatched: isWatched)
        }
    }

    /// The samples of the last hour or day, oldest first.
    package func samples(_ span: StatsRing.Span, time: Timestamp) -> [HubSample] {
        state.withLock { $0.ring }.samples(span, time: time)
    }
}
