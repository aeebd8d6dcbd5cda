import Glibc
import Timekeeping

/// What can be said of one hour: of the one that it is by what is measured, of a coming one by what is
/// forecast for it.
///
/// Nobody forecasts the solar wind or the OVATION grid for hours to come, so the activity of a coming
/// hour is that of the K forecast alone. What is not known is nil, and no number stands in for it.
package struct HourOutlook: Hashable, Sendable {
    /// The beginning of the hour.
    package let time: Timestamp
    /// The hour that it is.
    package let isNow: Bool
    package let factors: Score
    /// 0…100; nil when nothing is known of the activity and the sky would let it be seen.
    package let score: Int?
    package let level: Level?
    package let confidence: Confidence
    package let visibility: Visibility
    package let kp: Double?
    package let weather: WeatherStep?
    /// Degrees, at half past.
    package let sunElevation: Double

    package var end: Timestamp { time + HourOutlook.length }
    package var limitingFactor: LimitingFactor { factors.limitingFactor }
    package var isDark: Bool { factors.darkness > 0 }

    static let length = Duration.seconds(3600)
    /// How well Kp and cloud together tell of an hour that comes at once: a convention, below the 0.75 of
    /// `high`, as neither says when in the evening a substorm comes.
    private static let confidenceAtOnce = 0.6
    /// The lead in which that falls to 1/e.
    private static let confidenceFall = Duration.seconds(48 * 3600)

    /// A coming hour.
    init(
        at time: Timestamp,
        place: Place,
        state: AuroraState,
        now: Timestamp,
        bounds: LevelBounds
    ) {
        let step = state.weather[place.id]?.step(at: time)
        let interval = state.kForecast.last {
            $0.start <= time && time - $0.start < KInterval.length
        }
        let sun = place.sunElevation(at: time + HourOutlook.length / 2)
        let factors = Score(
            Score.Inputs(
                ovation: nil,
                coupling: nil,
                kp: interval?.kp,
                cloud: step?.cloud.map { $0 / 100 },
                sunElevation: sun
            )
        )
        let isKnown = factors.limitingFactor != .data
        self.time = time
        isNow = false
        self.factors = factors
        score = isKnown ? bounds.shownScore(factors.value, previous: nil) : nil
        level = isKnown ? bounds.level(of: factors.value, previous: nil) : nil
        confidence = Confidence(
            value: HourOutlook.confidence(
                factors,
                lead: time - now,
                runAge: state.weather[place.id].map { now - $0.updatedAt }
            )
        )
        visibility = Visibility(factors)
        kp = interval.map { roundedToTenths($0.kp) }
        weather = step
        sunElevation = sun
    }

    /// The hour that it is, as the `now` form has it.
    init(_ derivation: Derivation, state: AuroraState) {
        let conditions = derivation.conditions
        let now = conditions.updated
        let isKnown = conditions.limitingFactor != .data
        time = now.roundedDown(to: HourOutlook.length)
        isNow = true
        factors = derivation.explanation.score
        score = isKnown ? conditions.score : nil
        level = isKnown ? conditions.level : nil
        confidence = conditions.confidence
        visibility = conditions.visibility
        kp = conditions.kp
        weather = state.weather[conditions.place.id]?.step(at: now)
        sunElevation = conditions.place.sunElevation(at: now)
    }

    private static func confidence(_ factors: Score, lead: Duration, runAge: Duration?) -> Double {
        let fall = exp(-max(0, lead.inSeconds) / confidenceFall.inSeconds)
        let cloud = factors.clearSky == nil ? nil : runAge
        let cloudFactor = ConfidenceEstimate.cloudFactor(age: cloud)
        let known = factors.activity == nil ? 0 : confidenceAtOnce * fall * cloudFactor
        let blocked = (1 - (factors.clearSky ?? 1)) * fall * cloudFactor
        // Where the sun stands is certain for any hour; clouds are not.
        return max(known, ConfidenceEstimate.certainty * max(1 - factors.darkness, blocked))
    }
}
