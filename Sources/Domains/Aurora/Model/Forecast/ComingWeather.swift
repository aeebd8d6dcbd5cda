import Glibc

/// The weather of coming hours: MET Norway's forecast as far as it reaches, then numbers that take its
/// place, since the forms have a number for every hour.
struct ComingWeather: Hashable {
    /// One hour of it.
    struct Hour: Hashable {
        /// Percent; nil when nothing was ever known of the clouds.
        var cloud: Double?
        /// Whether the clouds of the hour are forecast.
        var isKnown: Bool
        /// Of the forecast, for this hour.
        var step: WeatherStep?
        /// The last step before the hour.
        var last: WeatherStep?
    }

    private let forecast: Locationforecast?
    /// Percent, of this moment or the last that was known.
    private let cloudNow: Double?
    private let now: Timestamp
    private let isClear: Bool

    /// The mean cloud cover of the Earth, percent: King et al. 2013, doi:10.1109/TGRS.2012.2227333.
    static let meanCloud = 67.0
    /// The time in which the information on the clouds falls to 1/e.
    private static let cloudFall = Duration.seconds(12 * 3600)

    init(forecast: Locationforecast?, cloudNow: Double?, now: Timestamp, isClear: Bool = false) {
        self.forecast = forecast
        self.cloudNow = cloudNow
        self.now = now
        self.isClear = isClear
    }

    /// Since the run of the weather model; nil without one.
    var runAge: Duration? { forecast.map { now - $0.updatedAt } }

    func hour(at time: Timestamp) -> Hour {
        if isClear { return Hour(cloud: 0, isKnown: true) }
        let step = forecast?.step(at: time)
        let last = forecast?.steps.last { $0.time <= time }
        if let cloud = step?.cloud {
            return Hour(cloud: cloud, isKnown: true, step: step, last: last)
        }
        let lead = max(0, (time - now).inSeconds)
        let left = exp(-lead / ComingWeather.cloudFall.inSeconds)
        let cloud = cloudNow.map {
            ComingWeather.meanCloud + ($0 - ComingWeather.meanCloud) * left
        }
        return Hour(cloud: cloud, isKnown: false, step: step, last: last)
    }
}

extension ComingWeather.Hour {
    /// Percent.
    var shownCloud: Int { Int((cloud ?? ComingWeather.meanCloud).rounded()) }

    /// °C; of the last step before the hour where the hour has none, and 0 where nothing is known.
    var shownTemperature: Int { Int((step?.temperature ?? last?.temperature ?? 0).rounded()) }

    /// m/s; of the last step before the hour where the hour has none, and 0 where nothing is known.
    var shownWindSpeed: Int { Int((step?.windSpeed ?? last?.windSpeed ?? 0).rounded()) }

    /// The contract's word, `unknown` for weather that is not forecast. A forecast without a symbol, as
    /// that of the last step is, goes by its clouds.
    var shownConditions: String {
        if let conditions = step?.conditions { return conditions }
        guard isKnown, let cloud else { return "unknown" }
        switch cloud {
        case ..<12.5: return "clear"
        case ..<37.5: return "fair"
        case ..<87.5: return "partly_cloudy"
        default: return "cloudy"
        }
    }
}
