@testable import Aurora

/// States for outlooks: as much or as little of the sky as a test wants.
struct Sky {
    var now = at("2025-12-21T11:20:00Z")
    var place = Place.tromso
    /// Of every forecast interval; nil forecasts none.
    var kp: Double? = 4.33
    /// Of every hour, percent; nil forecasts none.
    var cloud: Double? = 25
    var temperature: Double? = -4
    /// What is measured at `now`.
    var ovation: UInt8?
    var weatherHours = 24 * 9

    var state: AuroraState {
        var state = AuroraState()
        if let kp {
            let start = now.roundedDown(to: KInterval.length)
            let intervals = (-8..<24).map {
                KForecastInterval(start: start.minutes(180 * $0), kp: kp, status: .predicted)
            }
            state.apply(.kForecast(KForecast(intervals: intervals)), now: now)
        }
        if let cloud {
            let start = now.roundedDown(to: .seconds(3600))
            let steps = (0..<weatherHours).map {
                WeatherStep(
                    time: start.minutes(60 * $0),
                    cloud: cloud,
                    temperature: temperature,
                    windSpeed: 7.6,
                    symbol: "partlycloudy_night"
                )
            }
            let forecast = Locationforecast(updatedAt: now.minutes(-30), steps: steps)
            state.apply(.weather(place: place.id, forecast), now: now)
        }
        if let ovation {
            state.apply(.ovation(evenOvation(ovation, observation: now.minutes(-10))), now: now)
        }
        return state
    }

    var derivation: Derivation {
        deriveConditions(place: place, state: state, now: now, previousLevel: nil)
    }

    var outlook: Outlook { Outlook(derivation, state: state) }
    var tonight: Tonight { Tonight(outlook) }
}
