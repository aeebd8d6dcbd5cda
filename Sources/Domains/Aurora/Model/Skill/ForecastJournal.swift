/// Decides when the forecasts of an hour are stored, and computes the outcome of a past hour.
///
/// Give it each derivation of a place. It counts one for each minute, so that the mean of an hour
/// does not depend on how often conditions are derived.
package struct ForecastJournal: Sendable {
    /// The data to write.
    package struct Entry: Hashable, Sendable {
        /// Of the hour before; nil when it was measured for less than 20 minutes.
        package var outcome: ForecastOutcome?
        /// Whether an hour begins: the forecasts of this moment are those of the hour.
        package var isBeginning: Bool
    }

    private struct Hour {
        var start: Timestamp
        var lastMinute: Timestamp?
        var sum = 0.0
        var minuteCount = 0
    }

    /// By the id of the place.
    private var hours: [String: Hour] = [:]

    private static let minuteCountMin = 20
    /// A forecast that is made later in the hour has another lead than its nominal one.
    private static let beginning = Duration.seconds(600)

    package init() {}

    /// Nil within an hour.
    package mutating func take(_ derivation: Derivation) -> Entry? {
        let conditions = derivation.conditions
        let now = conditions.updated
        let start = now.roundedDown(to: HourOutlook.length)
        var hour = hours[conditions.place.id] ?? Hour(start: start - HourOutlook.length)
        var entry: Entry?
        if hour.start != start {
            entry = Entry(
                outcome: outcome(of: hour, conditions.place),
                isBeginning: now - start < ForecastJournal.beginning
            )
            hour = Hour(start: start)
        }
        let minute = now.roundedDown(to: .seconds(60))
        let score = derivation.explanation.score
        if score.activity != nil, hour.lastMinute.map({ $0 < minute }) ?? true {
            hour.lastMinute = minute
            hour.sum += score.value
            hour.minuteCount += 1
        }
        hours[conditions.place.id] = hour
        return entry
    }

    private func outcome(of hour: Hour, _ place: Place) -> ForecastOutcome? {
        guard hour.minuteCount >= ForecastJournal.minuteCountMin else { return nil }
        return ForecastOutcome(
            place: place.id,
            target: hour.start,
            score: hour.sum / Double(hour.minuteCount)
        )
    }
}
