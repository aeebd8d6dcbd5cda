/// The skill that the forecasts of coming hours would have had in a stretch of recorded Kp.
///
/// At the end of each interval of three hours its Kp is the last known one, and the forecast is
/// made of it and of the climate, without any later data. The actual score is the expected one at
/// the recorded Kp of the target, under a clear sky: such a recording has no grid, solar wind or
/// clouds. Only dark hours count.
package struct ForecastEvaluation: Sendable {
    /// The forecasts of one event at one lead.
    package struct Result: Hashable, Sendable {
        package let level: Level
        /// Hours
        package let lead: Int
        package var skill = ForecastSkill()
        package var reliability = [ReliabilityBin](
            repeating: ReliabilityBin(),
            count: ReliabilityBin.count
        )
        /// By the hour of the day, UTC.
        private var byHour: [Int: ReliabilityBin] = [:]

        init(level: Level, lead: Int) {
            self.level = level
            self.lead = lead
        }

        mutating func add(chance: Double, persistence: Bool, event: Bool, hour: Int) {
            skill.add(chance: chance, persistence: persistence, event: event)
            reliability[ReliabilityBin.index(of: chance)].add(chance: chance, event: event)
            byHour[hour, default: ReliabilityBin()].add(chance: chance, event: event)
        }

        /// Against the share of events at the same hour of the day, which is harder to beat.
        package var skillAgainstHourlyClimatology: Double? {
            let sum = byHour.values.map { hour in
                let share = Double(hour.events) / Double(hour.count)
                return Double(hour.count) * share * (1 - share)
            }.reduce(0, +)
            return skill.count > 0 ? skill.skill(against: sum / Double(skill.count)) : nil
        }
    }

    package static let levels: [Level] = [.moderate, .good]

    /// By level, then lead.
    package private(set) var results: [Result]
    private let place: Place
    private let bounds: LevelBounds
    private let activity: ExpectedActivity
    private let intervals: [Timestamp: Double]

    /// - Parameter intervals: in any order. A forecast is made only where its target is among them.
    /// - Complexity: O(intervals), some hundred evaluations of the model for each.
    package init(
        _ intervals: [KInterval],
        place: Place = .tromso,
        bounds: LevelBounds = .standard
    ) {
        self.place = place
        self.bounds = bounds
        activity = ExpectedActivity(place)
        self.intervals = Dictionary(intervals.map { ($0.start, $0.kp) }) { first, _ in first }
        results = ForecastEvaluation.levels.flatMap { level in
            StoredForecast.leads.map { Result(level: level, lead: $0) }
        }
        for interval in intervals { forecast(after: interval) }
    }

    private mutating func forecast(after interval: KInterval) {
        let now = interval.start + KInterval.length
        let course = KCourse(forecast: [], outlook: [])
        let coming = ComingHours(place: place, now: now, kp: interval.kp, course: course)
        let measured = activity.value(kp: interval.kp, at: now)
        for index in results.indices {
            let target = now + .seconds(3600 * results[index].lead)
            let visibility = Score.darkness(sunElevation: place.sunElevation(at: target))
            guard let kp = intervals[target], visibility > 0 else { continue }
            let bound = bounds.bound(of: results[index].level)
            let came = 100 * activity.value(kp: kp, at: target) * visibility
            results[index].add(
                chance: coming.chance(of: bound, at: target),
                persistence: 100 * measured * visibility >= bound,
                event: came >= bound,
                hour: CivilTime(target).hour
            )
        }
    }
}
