/// The forecast of one hour, as it is kept until the score that came is known.
package struct StoredForecast: Hashable, Sendable {
    /// The id of the place.
    package var place: String
    /// The beginning of the hour.
    package var target: Timestamp
    /// From the hour in which the forecast was made to the target, in hours.
    package var lead: Int
    /// 0…100
    package var score: Double
    /// The chance that the score is at least that of the level, 0…1.
    package var moderate: Double
    package var good: Double
    /// The score if the measured activity stays as it is, with the darkness and clouds of the target.
    package var persistence: Double

    package init(
        place: String,
        target: Timestamp,
        lead: Int,
        score: Double,
        moderate: Double,
        good: Double,
        persistence: Double
    ) {
        self.place = place
        self.target = target
        self.lead = lead
        self.score = score
        self.moderate = moderate
        self.good = good
        self.persistence = persistence
    }

    /// Hours.
    package static let leads = [3, 12, 24, 48, 72]
}

/// The score that came: the mean of the measured scores of an hour.
package struct ForecastOutcome: Hashable, Sendable {
    /// The id of the place.
    package var place: String
    /// The beginning of the hour.
    package var target: Timestamp
    /// 0…100
    package var score: Double

    package init(place: String, target: Timestamp, score: Double) {
        self.place = place
        self.target = target
        self.score = score
    }
}

extension Outlook {
    /// The forecasts of this moment that are kept: of dark hours, at the leads of `StoredForecast`. Of the
    /// others the sun's place is all there is to forecast. None unless the activity is measured, since there
    /// would be nothing to persist.
    package var keptForecasts: [StoredForecast] {
        guard let current = hours.first, current.isMeasured, let activity = current.factors.activity
        else { return [] }
        return StoredForecast.leads.compactMap { lead in
            let target = current.time + .seconds(3600 * lead)
            guard let hour = hours.first(where: { $0.time == target }), hour.isDark else {
                return nil
            }
            return StoredForecast(
                place: place.id,
                target: target,
                lead: lead,
                score: hour.factors.value,
                moderate: chance(of: .moderate, in: hour),
                good: chance(of: .good, in: hour),
                persistence: 100 * activity * hour.factors.visibility
            )
        }
    }
}
