import DequeModule

/// The samples of the last hour, one a second, and of the last day, one a minute.
///
/// **Function.** The caller takes totals of the hub whenever `next` is reached, and gives them to
/// `take`. Samples of minutes are always made. Samples of seconds are made only while the
/// statistics are watched: the first totals of such a time are where its first sample begins, so
/// there is one sample less than totals, and none that covers the time before.
///
/// **Late totals.** A sample covers the time since the totals before it of its kind. If the caller
/// is late, because a loop hangs, the sample covers more than its interval, and no sample replaces
/// the missing ones.
///
/// Times are those of a monotonic clock, in any origin. A value; the caller has the clock.
package struct StatsRing: Sendable {
    /// A ring of samples.
    package enum Span: String, CaseIterable, Sendable {
        case hour, day

        /// The time between two samples.
        package var interval: Duration {
            switch self {
            case .hour: .seconds(1)
            case .day: .seconds(60)
            }
        }

        package var countMax: Int {
            switch self {
            case .hour: 3600
            case .day: 1440
            }
        }
    }

    private var seconds = Track()
    private var minutes = Track()

    /// - Parameters:
    ///   - totals: where the first minute begins.
    ///   - now: the time of these totals.
    package init(_ totals: HubTotals = HubTotals(), now: Duration) {
        minutes.begin(totals, due: now + Span.day.interval)
    }

    /// The time at which `take` is due; `now` or earlier if it is overdue.
    package func next(now: Duration, isWatched: Bool) -> Duration {
        guard isWatched else { return minutes.due ?? now }
        // A minute ends with a second while there are samples of seconds.
        return seconds.due ?? now
    }

    /// Takes totals into account, whether or not they are due.
    ///
    /// - Returns: the sample of a second that ends with them, if any.
    package mutating func take(
        _ totals: HubTotals,
        time: Timestamp,
        now: Duration,
        isWatched: Bool
    ) -> HubSample? {
        _ = minutes.take(totals, time: time, now: now, .day)
        guard isWatched else {
            seconds.end()
            return nil
        }
        guard seconds.due != nil else {
            seconds.begin(totals, due: now + Span.hour.interval)
            return nil
        }
        return seconds.take(totals, time: time, now: now, .hour)
    }

    /// The samples, oldest first: at most `span.countMax`, none older than as many intervals.
    package func samples(_ span: Span, time: Timestamp) -> [HubSample] {
        let oldest = time - span.interval * span.countMax
        let samples = span == .hour ? seconds.samples : minutes.samples
        return samples.filter { $0.time > oldest }
    }
}

/// The samples of one kind.
private struct Track: Sendable {
    private(set) var samples: Deque<HubSample> = []
    /// Where the next sample begins; nil while no samples are made.
    private var start: HubTotals?
    /// When the next sample is due; nil while no samples are made.
    private(set) var due: Duration?
    /// The longest turn since `start`.
    private var longestTurn: Duration?

    mutating func begin(_ totals: HubTotals, due: Duration) {
        start = totals
        self.due = due
        longestTurn = nil
    }

    /// Makes no further samples until the next `begin`; the existing ones stay.
    mutating func end() {
        start = nil
        due = nil
    }

    /// Adds a sample if one is due.
    mutating func take(
        _ totals: HubTotals,
        time: Timestamp,
        now: Duration,
        _ span: StatsRing.Span
    ) -> HubSample? {
        guard let start, let due else { return nil }
        if let turn = totals.longestTurn { longestTurn = max(longestTurn ?? turn, turn) }
        guard now >= due else { return nil }
        let sample = HubSample(from: start, to: totals, longestTurn: longestTurn, time: time)
        samples.append(sample)
        if samples.count > span.countMax { samples.removeFirst() }
        // In step with the time before, unless a whole interval was missed.
        let next = due + span.interval
        begin(totals, due: next > now ? next : now + span.interval)
        return sample
    }
}
