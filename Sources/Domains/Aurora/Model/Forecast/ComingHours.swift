import Glibc

/// The forecast for one place in the coming hours, as seen from one moment.
///
/// Kp is that of `KCourse`, plus the decaying departure of the measured Kp from it. The activity and
/// its bound are those expected at that Kp, plus the decaying departures of the measured ones. All
/// departures are whole at the moment itself, so that an hour that begins has the score that is
/// measured.
struct ComingHours: Hashable {
    let place: Place
    let now: Timestamp
    private let activity: ExpectedActivity
    private let course: KCourse
    private let weather: ComingWeather
    /// Measured minus expected Kp; 0 without a measurement.
    private let kpDeparture: Double
    /// Measured minus expected activity; nothing without a measurement.
    private let activityDeparture: Score.Departure

    /// The grid and the coupling, which is a mean over four hours, predict little of later hours.
    private static let activityFall = Duration.seconds(3 * 3600)

    /// An expected Kp.
    struct ExpectedK: Hashable {
        /// 0…9
        var kp: Double
        var source: KCourse.Source
        /// One standard deviation.
        var deviation: Double
    }

    init(_ derivation: Derivation, state: AuroraState) {
        let conditions = derivation.conditions
        let explanation = derivation.explanation
        place = conditions.place
        now = conditions.updated
        activity = ExpectedActivity(place)
        course = KCourse(state)
        weather = ComingWeather(
            forecast: state.weather[place.id],
            cloudNow: explanation.input("cloud_coverage")?.value,
            now: now
        )
        let expected = course.expected(at: now).kp
        let measured = explanation.input("kp")?.usable
        kpDeparture = measured.map { $0 - expected } ?? 0
        let expectedScore = Score(
            activity.inputs(
                kp: measured ?? expected,
                localTime: activity.position.localTime(at: now)
            )
        )
        let score = explanation.score
        activityDeparture =
            score.mean.map {
                Score.Departure(
                    mean: $0 - (expectedScore.mean ?? 0),
                    bound: score.bound - expectedScore.bound
                )
            } ?? Score.Departure()
    }

    /// From only Kp, under a clear sky; for evaluations.
    init(place: Place, now: Timestamp, kp: Double, course: KCourse) {
        self.place = place
        self.now = now
        self.course = course
        activity = ExpectedActivity(place)
        weather = ComingWeather(forecast: nil, cloudNow: 0, now: now, isClear: true)
        kpDeparture = kp - course.expected(at: now).kp
        activityDeparture = Score.Departure()
    }

    func kp(at time: Timestamp) -> ExpectedK {
        let (kp, source) = course.expected(at: time)
        let left = kpDeparture * KClimate.persistence(after: time - now)
        return ExpectedK(
            kp: min(9, max(0, kp + left)),
            source: source,
            deviation: KClimate.deviation(after: time - now)
        )
    }

    /// Since the run of the weather model; nil without one.
    var runAge: Duration? { weather.runAge }

    func weather(at time: Timestamp) -> ComingWeather.Hour { weather.hour(at: time) }

    func score(at time: Timestamp) -> Score {
        let localTime = activity.position.localTime(at: time)
        var inputs = activity.inputs(kp: kp(at: time).kp, localTime: localTime)
        inputs.sunElevation = place.sunElevation(at: time)
        let sky = weather.hour(at: time)
        inputs.cloud = sky.isKnown ? sky.cloud.map { $0 / 100 } : nil
        inputs.lost.cloud = sky.isKnown ? nil : sky.cloud.map { $0 / 100 }
        return Score(inputs, departure: departure(at: time))
    }

    /// The chance that the score at `time` is at least `bound`, 0…1: Kp is taken as normally distributed
    /// around the expected one. Darkness and clouds are taken as forecast.
    func chance(of bound: Double, at time: Timestamp) -> Double {
        let visibility = score(at: time).visibility
        let localTime = activity.position.localTime(at: time)
        let departure = departure(at: time)
        func isReached(_ kp: Double) -> Bool {
            100 * activity.value(kp: kp, localTime: localTime, departure: departure) * visibility
                >= bound
        }
        guard isReached(9) else { return 0 }
        if isReached(0) { return 1 }
        var (below, reached) = (0.0, 9.0)
        for _ in 0..<ComingHours.bisections {
            let middle = (below + reached) / 2
            if isReached(middle) { reached = middle } else { below = middle }
        }
        let expected = kp(at: time)
        guard expected.deviation > 0 else { return expected.kp >= reached ? 1 : 0 }
        return 0.5 * erfc((reached - expected.kp) / expected.deviation / 2.0.squareRoot())
    }

    /// Kp to 0.001.
    private static let bisections = 13

    private func departure(at time: Timestamp) -> Score.Departure {
        let lead = max(0, (time - now).inSeconds)
        return activityDeparture.reduced(to: exp(-lead / ComingHours.activityFall.inSeconds))
    }
}
