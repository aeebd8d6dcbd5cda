/// The upstreams' data so far, as far back as any answer of this module needs it.
///
/// A value of a few hundred kilobytes. `apply` adds a payload; `deriveConditions` reads;
/// `encodedPart` and `restore` (AuroraState+Parts.swift) carry it over a restart. Sorted oldest
/// first throughout.
package struct AuroraState: Hashable, Sendable {
    /// One element for each minute, of the last `AuroraLimits.solarWindKept`.
    package private(set) var solarWind: [SolarWindMinute] = []
    /// Kp of 3-hour intervals as SWPC states it afterwards.
    package private(set) var kIntervals: [KInterval] = []
    /// The running estimate of Kp.
    package private(set) var kMinutes: [KMinute] = []
    /// The whole forecast product, its past rows included.
    package private(set) var kForecast: [KForecastInterval] = []
    /// The days of the 27-day outlook.
    package private(set) var outlook: [OutlookDay] = []
    package private(set) var ovation: Ovation?
    /// By the id of the place.
    package private(set) var weather: [String: Locationforecast] = [:]
    package private(set) var scales: StormScales?
    /// Those that were not over when the product was read.
    package private(set) var bulletins: [Bulletin] = []

    package init() {}

    /// Merges a payload and drops data that have become too old.
    ///
    /// The later payload takes precedence if two have the same minute or interval; an OVATION grid
    /// or a model run older than the one held is an upstream's stale cache and is ignored.
    ///
    /// - Returns: whether an input of a derivation may have changed.
    @discardableResult
    package mutating func apply(_ payload: AuroraPayload, now: Timestamp) -> Bool {
        switch payload {
        case .solarWind(let value):
            return merge(value.minutes, into: \.solarWind, time: \.time, now: now) {
                $0.overlaid(by: $1)
            }
        case .planetaryK(let value):
            return merge(value.intervals, into: \.kIntervals, time: \.start, now: now) { $1 }
        case .kMinutes(let value):
            return merge(value.minutes, into: \.kMinutes, time: \.time, now: now) { $1 }
        case .kForecast(let value):
            return replace(\.kForecast, with: value.intervals)
        case .kOutlook(let value):
            return replace(\.outlook, with: value.days)
        case .ovation(let value):
            return apply(value, now: now)
        case .weather(let place, let value):
            return apply(value, place: place, now: now)
        case .scales(let value):
            return apply(value, now: now)
        case .bulletins(let value):
            return replace(\.bulletins, with: value.bulletins)
        }
    }

    private mutating func apply(_ new: Ovation, now: Timestamp) -> Bool {
        if let ovation, isOutdated(new.observation, held: ovation.observation, now: now) {
            return false
        }
        var new = new
        new.notes = PayloadNotes()
        return replace(\.ovation, with: new)
    }

    private mutating func apply(_ new: StormScales, now: Timestamp) -> Bool {
        if let time = new.time, let held = scales?.time, isOutdated(time, held: held, now: now) {
            return false
        }
        return replace(\.scales, with: StormScales(lines: new.lines))
    }

    private mutating func apply(
        _ new: Locationforecast,
        place: String,
        now: Timestamp
    ) -> Bool {
        if let held = weather[place], isOutdated(new.updatedAt, held: held.updatedAt, now: now) {
            return false
        }
        guard weather[place] != nil || weather.count < AuroraLimits.placeCountMax else {
            return false
        }
        let steps = Array(new.steps.prefix(AuroraLimits.weatherStepCountMax))
        let forecast = Locationforecast(updatedAt: new.updatedAt, steps: steps)
        guard weather[place] != forecast else { return false }
        weather[place] = forecast
        return true
    }

    /// The stored time counts only while it is not in the future: a recording can be started again.
    private func isOutdated(_ new: Timestamp, held: Timestamp, now: Timestamp) -> Bool {
        new < held && held <= now + AuroraLimits.clockSkewMax
    }

    private mutating func replace<Part: Equatable>(
        _ part: WritableKeyPath<AuroraState, Part>,
        with value: Part
    ) -> Bool {
        guard self[keyPath: part] != value else { return false }
        self[keyPath: part] = value
        return true
    }

    /// Merges two lists sorted by time, and keeps the rows that are neither too old nor in the
    /// future.
    private mutating func merge<Row: Hashable>(
        _ rows: [Row],
        into part: WritableKeyPath<AuroraState, [Row]>,
        time: (Row) -> Timestamp,
        now: Timestamp,
        combine: (_ held: Row, _ new: Row) -> Row
    ) -> Bool {
        let kept = (now - Self.kept(part))...(now + AuroraLimits.clockSkewMax)
        var merged: [Row] = []
        merged.reserveCapacity(self[keyPath: part].count + rows.count)
        var held = self[keyPath: part][...]
        for row in rows {
            while let first = held.first, time(first) < time(row) {
                merged.append(held.removeFirst())
            }
            if let first = held.first, time(first) == time(row) {
                merged.append(combine(held.removeFirst(), row))
            } else {
                merged.append(row)
            }
        }
        merged += held
        return replace(part, with: merged.filter { kept.contains(time($0)) })
    }

    private static func kept(_ part: PartialKeyPath<AuroraState>) -> Duration {
        switch part {
        case \AuroraState.solarWind: AuroraLimits.solarWindKept
        case \AuroraState.kMinutes: AuroraLimits.kMinutesKept
        default: AuroraLimits.kIntervalsKept
        }
    }
}

extension AuroraState {
    /// Sets the parts that a restart brings back.
    mutating func restore(solarWind: [SolarWindMinute]) {
        self.solarWind = solarWind
    }

    mutating func restore(
        kIntervals: [KInterval],
        kMinutes: [KMinute],
        kForecast: [KForecastInterval]
    ) {
        self.kIntervals = kIntervals
        self.kMinutes = kMinutes
        self.kForecast = kForecast
    }

    mutating func restore(outlook: [OutlookDay]) {
        self.outlook = outlook
    }

    mutating func restore(ovation: Ovation?) {
        self.ovation = ovation
    }

    mutating func restore(weather: Locationforecast?, place: String) {
        self.weather[place] = weather
    }

    mutating func restore(scales: StormScales?) {
        self.scales = scales
    }

    mutating func restore(bulletins: [Bulletin]) {
        self.bulletins = bulletins
    }
}
