/// The planetary K index that stands for this moment.
struct KReading: Hashable {
    enum Source: String {
        case minuteEstimate = "planetary_k_index_1m"
        case interval = "noaa_planetary_k_index"
        case forecast = "noaa_planetary_k_index_forecast"
    }

    var kp: Double
    /// The minute of the estimate, or the start of the 3-hour interval.
    var time: Timestamp
    var source: Source
    /// Too old to count; nothing better is known.
    var isStale = false

    /// The first of these that is fresh: the running estimate, the newest interval, the forecast
    /// for the current interval. Failing that, the newest interval or estimate, marked stale. An
    /// estimate that a fresh interval contradicts does not count.
    init?(_ state: AuroraState, now: Timestamp) {
        let horizon = now + AuroraLimits.clockSkewMax
        let interval = state.kIntervals.last { $0.start <= horizon }.map {
            KReading(kp: $0.kp, time: $0.start, source: .interval)
        }
        let fresh = interval.flatMap {
            now - $0.time <= AuroraLimits.kIntervalAgeMax ? $0 : nil
        }
        var estimate = Self.estimate(state, horizon: horizon)
        if let kp = fresh?.kp, estimate?.isContradicted(by: kp) == true { estimate = nil }
        if let estimate, now - estimate.time <= AuroraLimits.kMinuteAgeMax {
            self = estimate
            return
        }
        if let fresh {
            self = fresh
            return
        }
        let current = state.kForecast.last { $0.start <= now && now - $0.start < KInterval.length }
        if let current {
            self.init(kp: current.kp, time: current.start, source: .forecast)
            return
        }
        guard var newest = [estimate, interval].compactMap({ $0 }).max(by: { $0.time < $1.time })
        else { return nil }
        newest.isStale = true
        self = newest
    }

    private init(kp: Double, time: Timestamp, source: Source) {
        self.kp = kp
        self.time = time
        self.source = source
    }

    /// Whether an estimate is far below the Kp of the newest interval: SWPC's estimate is 0 for
    /// hours of some storms. Kp hardly ever falls so far within six hours, and if it did,
    /// the next interval has it.
    private func isContradicted(by interval: Double) -> Bool {
        (kp == 0 && interval >= 2) || kp + KReading.fallMax < interval
    }

    private static let fallMax = 4.0

    /// The estimate restarts near 0 with each 3-hour window, so that a rule on it would fire at 00,
    /// 03, 06 …: if Kp of the window before is greater, that counts.
    private static func estimate(_ state: AuroraState, horizon: Timestamp) -> KReading? {
        guard let newest = state.kMinutes.last(where: { $0.time <= horizon }) else { return nil }
        let windowStart = newest.time.roundedDown(to: KInterval.length)
        let previousStart = windowStart - KInterval.length
        let previous =
            state.kMinutes.last { $0.time < windowStart && $0.time >= previousStart }?.kp
            ?? state.kIntervals.last { $0.start == previousStart }?.kp
        return KReading(
            kp: max(newest.kp, previous ?? 0),
            time: newest.time,
            source: .minuteEstimate
        )
    }
}
