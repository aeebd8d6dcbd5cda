extension AuroraProduct {
    /// The interval of polls while the coupling is about to become too old; nil for products that are
    /// no source of it.
    package var hastenedInterval: Duration? {
        switch self {
        case .propagatedSolarWind, .rtswField, .rtswPlasma, .legacyField, .legacyPlasma:
            AuroraLimits.solarWindHastenedInterval
        case .planetaryK, .kForecast, .kOutlook, .kMinutes, .ovation, .weather, .scales,
            .bulletins:
            nil
        }
    }
}

extension AuroraPayload {
    /// Nil for a payload without rows, and for products that do not age: each row of the forecast
    /// of Kp and of the outlook has its own time, and a bulletin its validity.
    package var freshness: DataFreshness? {
        switch self {
        case .solarWind(let value):
            value.minutes.last.map {
                DataFreshness(time: $0.time, ageMax: AuroraLimits.solarWindAgeMax)
            }
        case .planetaryK(let value):
            value.intervals.last.map {
                DataFreshness(time: $0.start, ageMax: AuroraLimits.kIntervalAgeMax)
            }
        case .kMinutes(let value):
            value.minutes.last.map {
                DataFreshness(time: $0.time, ageMax: AuroraLimits.kMinuteAgeMax)
            }
        case .ovation(let value):
            DataFreshness(
                time: value.observation,
                ageMax: value.forecast - value.observation + AuroraLimits.ovationAgeMax
            )
        case .weather(_, let value):
            DataFreshness(time: value.updatedAt, ageMax: AuroraLimits.weatherAgeMax)
        case .scales(let value):
            value.time.map { DataFreshness(time: $0, ageMax: AuroraLimits.scalesAgeMax) }
        case .kForecast, .kOutlook, .bulletins: nil
        }
    }
}
