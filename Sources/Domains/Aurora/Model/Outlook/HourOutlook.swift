import Glibc

/// The outlook for one hour: for the current one from measured values, for a coming one from the
/// values expected at its beginning.
///
/// At the beginning of an hour the two agree, because the expected values start from the measured
/// ones.
package struct HourOutlook: Hashable, Sendable {
    /// The beginning of the hour.
    package let time: Timestamp
    /// The hour that it is.
    package let isNow: Bool
    /// Whether the score is that of the `now` form.
    package let isMeasured: Bool
    package let factors: Score
    /// 0…100
    package let score: Int
    package let level: Level
    package let confidence: Confidence
    /// 0…1
    package let confidenceValue: Double
    package let visibility: Visibility
    /// 0…9
    package let kp: Double
    /// Nil where Kp is measured.
    package let kpSource: KCourse.Source?
    let weather: ComingWeather.Hour
    /// Degrees, of the moment or the beginning of the hour.
    package let sunElevation: Double

    package var end: Timestamp { time + HourOutlook.length }
    package var limitingFactor: LimitingFactor { factors.limitingFactor }
    package var isDark: Bool { factors.darkness > 0 }

    static let length = Duration.seconds(3600)

    /// A coming hour.
    init(at time: Timestamp, _ coming: ComingHours, bounds: LevelBounds) {
        self.init(at: time, hour: time, isNow: false, coming, bounds: bounds)
    }

    /// The hour that it is, as the `now` form has it; as expected where nothing fresh is known of the
    /// activity.
    static func current(
        _ derivation: Derivation,
        _ coming: ComingHours,
        bounds: LevelBounds
    ) -> HourOutlook {
        let now = derivation.conditions.updated
        let hour = now.roundedDown(to: HourOutlook.length)
        return derivation.conditions.limitingFactor == .data
            ? HourOutlook(at: now, hour: hour, isNow: true, coming, bounds: bounds)
            : HourOutlook(measured: derivation, hour: hour, coming)
    }

    private init(measured derivation: Derivation, hour: Timestamp, _ coming: ComingHours) {
        let conditions = derivation.conditions
        let now = conditions.updated
        time = hour
        isNow = true
        isMeasured = true
        factors = derivation.explanation.score
        score = conditions.score
        level = conditions.level
        confidence = conditions.confidence
        confidenceValue = derivation.explanation.confidence.value
        visibility = conditions.visibility
        let expected = coming.kp(at: now)
        kp = conditions.kp ?? roundedToTenths(expected.kp)
        kpSource = conditions.kp == nil ? expected.source : nil
        weather = coming.weather(at: now)
        sunElevation = conditions.place.sunElevation(at: now)
    }

    private init(
        at time: Timestamp,
        hour: Timestamp,
        isNow: Bool,
        _ coming: ComingHours,
        bounds: LevelBounds
    ) {
        let factors = coming.score(at: time)
        let expected = coming.kp(at: time)
        self.time = hour
        self.isNow = isNow
        isMeasured = false
        self.factors = factors
        score = bounds.shownScore(factors.value, previous: nil)
        level = bounds.level(of: factors.value, previous: nil)
        weather = coming.weather(at: time)
        confidenceValue = HourOutlook.confidence(
            factors,
            expected.source,
            lead: time - coming.now,
            runAge: coming.runAge
        )
        confidence = Confidence(value: confidenceValue)
        visibility = Visibility(factors)
        kp = roundedToTenths(expected.kp)
        kpSource = expected.source
        sunElevation = coming.place.sunElevation(at: time)
    }

    /// The confidence from Kp and cloud together at a lead of 0: a convention, below the 0.75 of
    /// `high`, as neither predicts when in the evening a substorm comes.
    private static func confidenceAtOnce(_ source: KCourse.Source) -> Double {
        switch source {
        case .forecast: 0.6
        case .outlook: 0.35
        case .climate: 0.2
        }
    }

    /// The lead in which that falls to 1/e.
    private static let confidenceFall = Duration.seconds(48 * 3600)

    private static func confidence(
        _ factors: Score,
        _ source: KCourse.Source,
        lead: Duration,
        runAge: Duration?
    ) -> Double {
        let fall = exp(-max(0, lead.inSeconds) / confidenceFall.inSeconds)
        let cloudFactor = ConfidenceEstimate.cloudFactor(age: factors.isCloudKnown ? runAge : nil)
        let known = confidenceAtOnce(source) * fall * cloudFactor
        let clearSky = factors.isCloudKnown ? factors.clearSky ?? 1 : 1
        let blocked = (1 - clearSky) * fall * cloudFactor
        // The position of the sun is certain for any hour; clouds are not.
        return max(known, ConfidenceEstimate.certainty * max(1 - factors.darkness, blocked))
    }
}
