/// The quality of probabilities of an event: the Brier score, and the skill against two trivial
/// forecasts.
///
/// Source: Brier 1950, Mon. Wea. Rev. 78, 1; skill as in Wilks, *Statistical Methods in the Atmospheric
/// Sciences*, chapter 8.
package struct ForecastSkill: Hashable, Sendable {
    package private(set) var count = 0
    /// The number of times that the event occurred.
    package private(set) var events = 0
    /// The sum of (probability - event)².
    package private(set) var squaredError = 0.0
    /// The same of persistence: the event that is now comes.
    package private(set) var persistenceSquaredError = 0.0

    package init() {}

    package init(
        count: Int,
        events: Int,
        squaredError: Double,
        persistenceSquaredError: Double
    ) {
        self.count = count
        self.events = events
        self.squaredError = squaredError
        self.persistenceSquaredError = persistenceSquaredError
    }

    package mutating func add(chance: Double, persistence: Bool, event: Bool) {
        count += 1
        if event { events += 1 }
        let error = chance - (event ? 1 : 0)
        squaredError += error * error
        if persistence != event { persistenceSquaredError += 1 }
    }

    /// 0 is perfect; nil without a forecast.
    package var brier: Double? { count > 0 ? squaredError / Double(count) : nil }

    /// The Brier score of the climatology: for each hour the share of events in all hours.
    package var climatologyBrier: Double? {
        guard count > 0 else { return nil }
        let share = Double(events) / Double(count)
        return share * (1 - share)
    }

    package var persistenceBrier: Double? {
        count > 0 ? persistenceSquaredError / Double(count) : nil
    }

    /// 1 is perfect, 0 as good as the climatology, below 0 worse; nil when the climatology has no error.
    package var skillAgainstClimatology: Double? { skill(against: climatologyBrier) }
    package var skillAgainstPersistence: Double? { skill(against: persistenceBrier) }

    package func skill(against reference: Double?) -> Double? {
        guard let brier, let reference, reference > 0 else { return nil }
        return 1 - brier / reference
    }
}

/// A line of a reliability table: the forecasts whose chance lies in a fifth of 0…1, and how often the event
/// came.
package struct ReliabilityBin: Hashable, Sendable {
    package var count = 0
    package var events = 0
    package var chanceSum = 0.0

    package init() {}

    package init(count: Int, events: Int, chanceSum: Double) {
        self.count = count
        self.events = events
        self.chanceSum = chanceSum
    }

    package static let count = 5
    /// `0-20`, in percent.
    package static let names = (0..<count).map { "\($0 * 100 / count)-\(($0 + 1) * 100 / count)" }

    package static func index(of chance: Double) -> Int {
        min(count - 1, max(0, Int(chance * Double(count))))
    }

    package mutating func add(chance: Double, event: Bool) {
        count += 1
        if event { events += 1 }
        chanceSum += chance
    }
}
