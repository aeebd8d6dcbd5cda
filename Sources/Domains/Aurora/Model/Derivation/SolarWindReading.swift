/// The solar wind at one moment, from its minutes.
///
/// Gaps are bridged by holding: the plasma for 30 minutes, the field for 5. Everything depends on
/// the newest measured minute, not on `now`: data arrive 5 to 7 minutes late, and between two of
/// them nothing changes.
struct SolarWindReading {
    /// A number and the minute it was measured in.
    struct Sample: Hashable {
        var value: Double
        var time: Timestamp
    }

    /// The mean of the coupling over 4 hours, newest hours weighing most.
    struct Coupling: Hashable {
        var value: Double
        /// The newest minute in it.
        var time: Timestamp
        /// True when the newest speed was held, or when more than half of the minutes are missing.
        var isHeld: Bool
        /// Of 240.
        var minuteCount: Int
    }

    /// The newest minute that has the speed or the field.
    private(set) var head: Timestamp?
    private(set) var speed: Sample?
    private(set) var density: Sample?
    private(set) var bz: Sample?
    private(set) var bt: Sample?
    private(set) var coupling: Coupling?
    /// From means of 3 hours; see `kpFromSolarWind`.
    private(set) var kpEstimate: Double?

    /// - Parameter minutes: oldest first.
    init(_ minutes: [SolarWindMinute], now: Timestamp) {
        let horizon = now + AuroraLimits.clockSkewMax
        let end = minutes.lastIndex {
            $0.time <= horizon && ($0.speed != nil || ($0.by != nil && $0.bz != nil))
        }
        guard let end else { return }
        let minutes = minutes[...end]
        let head = minutes[end].time
        self.head = head
        speed = Self.newest(minutes, \.speed, since: head - AuroraLimits.plasmaHoldMax)
        density = Self.newest(minutes, \.density, since: head - AuroraLimits.plasmaHoldMax)
        bz = Self.newest(minutes, \.bz, since: head - AuroraLimits.fieldHoldMax)
        bt = Self.newest(minutes, \.bt, since: head - AuroraLimits.fieldHoldMax)
        measureCoupling(HeldMinutes(minutes, from: head - Self.span, through: head))
    }

    /// True when all of it is too old to count.
    func isStale(_ now: Timestamp) -> Bool {
        head.map { now - $0 > AuroraLimits.solarWindAgeMax } ?? false
    }

    /// The newest number however old it is.
    ///
    /// - Parameter minutes: oldest first.
    static func last(
        _ minutes: [SolarWindMinute],
        _ value: KeyPath<SolarWindMinute, Double?>,
        now: Timestamp
    ) -> Sample? {
        let horizon = now + AuroraLimits.clockSkewMax
        for minute in minutes.reversed() where minute.time <= horizon {
            if let value = minute[keyPath: value] { return Sample(value: value, time: minute.time) }
        }
        return nil
    }

    private static func newest(
        _ minutes: ArraySlice<SolarWindMinute>,
        _ value: KeyPath<SolarWindMinute, Double?>,
        since: Timestamp
    ) -> Sample? {
        for minute in minutes.reversed() {
            if minute.time < since { return nil }
            if let value = minute[keyPath: value] { return Sample(value: value, time: minute.time) }
        }
        return nil
    }

    // MARK: Coupling

    /// Newest hour first. Source: Newell et al. 2010, JGR 115, A03216.
    private static let hourWeights = [1, 0.65, 0.4225, 0.2746]
    private static let minutesPerHour = 60
    /// The 4 hours, and one before them, whose last numbers may be held into them.
    private static let span = Duration.seconds(5 * 3600)
    private static let minutesOfKp = 180

    private mutating func measureCoupling(_ held: HeldMinutes) {
        // Oldest first and without a gap: the distance in minutes is the distance in the array.
        guard let newest = held.minutes.last(where: { $0.isMeasured && $0.coupling != nil })
        else { return }
        let usable = held.minutes.filter { $0.time <= newest.time }
        var mean = WeightedMean()
        var minuteCount = 0
        for (hour, weight) in Self.hourWeights.enumerated() {
            let minutes = usable.dropLast(hour * Self.minutesPerHour).suffix(Self.minutesPerHour)
            let values = minutes.compactMap(\.coupling)
            guard !values.isEmpty else { continue }
            minuteCount += values.count
            mean.add(values.reduce(0, +) / Double(values.count), weight: weight)
        }
        guard let value = mean.value else { return }
        let isSparse = minuteCount < Self.hourWeights.count * Self.minutesPerHour / 2
        let isSpeedHeld = newest.time - newest.speedTime > AuroraLimits.fieldHoldMax
        coupling = Coupling(
            value: value,
            time: newest.time,
            isHeld: isSparse || isSpeedHeld,
            minuteCount: minuteCount
        )
        measureKp(usable.suffix(Self.minutesOfKp))
    }

    private mutating func measureKp(_ minutes: ArraySlice<HeldMinutes.Minute>) {
        var coupling = WeightedMean()
        var viscous = WeightedMean()
        for minute in minutes {
            if let value = minute.coupling { coupling.add(value, weight: 1) }
            if let value = minute.viscous { viscous.add(value, weight: 1) }
        }
        guard let coupling = coupling.value, let viscous = viscous.value else { return }
        kpEstimate = kpFromSolarWind(coupling: coupling, viscous: viscous)
    }
}

/// A mean that is nil without values.
struct WeightedMean {
    private var sum = 0.0
    private(set) var weight = 0.0

    mutating func add(_ value: Double, weight: Double) {
        sum += value * weight
        self.weight += weight
    }

    var value: Double? { weight > 0 ? sum / weight : nil }
}

/// Minutes without a gap, each with the numbers that stand for it.
private struct HeldMinutes {
    struct Minute {
        var time: Timestamp
        var speedTime: Timestamp
        /// False when all of it was held.
        var isMeasured: Bool
        var coupling: Double?
        /// √density · speed²
        var viscous: Double?
    }

    private(set) var minutes: [Minute] = []
    private var plasma: SolarWindMinute?
    private var density: SolarWindReading.Sample?
    private var field: SolarWindMinute?

    init(_ measured: ArraySlice<SolarWindMinute>, from start: Timestamp, through end: Timestamp) {
        let minute = Duration.seconds(60)
        var rest = measured.drop { $0.time < start }
        var time = start
        while time <= end {
            var row: SolarWindMinute?
            if let first = rest.first, first.time <= time { row = rest.removeFirst() }
            take(row)
            minutes.append(held(at: time, isMeasured: row?.isUseful ?? false))
            time = time + minute
        }
    }

    private mutating func take(_ row: SolarWindMinute?) {
        guard let row else { return }
        if row.speed != nil { plasma = row }
        if let value = row.density {
            density = SolarWindReading.Sample(value: value, time: row.time)
        }
        if row.by != nil, row.bz != nil { field = row }
    }

    private func held(at time: Timestamp, isMeasured: Bool) -> Minute {
        var minute = Minute(time: time, speedTime: time, isMeasured: isMeasured)
        guard let plasma, let speed = plasma.speed,
            time - plasma.time <= AuroraLimits.plasmaHoldMax
        else { return minute }
        minute.speedTime = plasma.time
        if let density, time - density.time <= AuroraLimits.plasmaHoldMax {
            minute.viscous = density.value.squareRoot() * speed * speed
        }
        if let field, let by = field.by, let bz = field.bz,
            time - field.time <= AuroraLimits.fieldHoldMax
        {
            minute.coupling = newellCoupling(speed: speed, by: by, bz: bz)
        }
        return minute
    }
}

extension SolarWindMinute {
    /// Whether the minute has something that the coupling needs.
    fileprivate var isUseful: Bool { speed != nil || (by != nil && bz != nil) }
}
