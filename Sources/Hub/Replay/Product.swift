import Timekeeping

/// What the fake upstream serves, by the path that upstream serves it under.
enum Product: String, Sendable, CaseIterable {
    case propagatedSolarWind = "/products/geospace/propagated-solar-wind-1-hour.json"
    case field = "/json/rtsw/rtsw_mag_1m.json"
    case plasma = "/json/rtsw/rtsw_wind_1m.json"
    case planetaryK = "/products/noaa-planetary-k-index.json"
    case planetaryKMinutes = "/json/planetary_k_index_1m.json"
    case planetaryKForecast = "/products/noaa-planetary-k-index-forecast.json"
    case ovation = "/json/ovation_aurora_latest.json"
    case scales = "/products/noaa-scales.json"
    case bulletins = "/products/alerts.json"
    case locationforecast = "/weatherapi/locationforecast/2.0/compact"

    var path: String { rawValue }

    /// The name in entity tags.
    var name: String {
        switch self {
        case .propagatedSolarWind: return "propagated"
        case .field: return "field"
        case .plasma: return "plasma"
        case .planetaryK: return "kp"
        case .planetaryKMinutes: return "kp-minutes"
        case .planetaryKForecast: return "kp-forecast"
        case .ovation: return "ovation"
        case .scales: return "scales"
        case .bulletins: return "bulletins"
        case .locationforecast: return "weather"
        }
    }
}

extension Recording {
    /// When the version of the product that is served at `clock` was made. The body of a version is
    /// the same whenever it is asked for.
    func version(of product: Product, at clock: Timestamp) -> Timestamp {
        switch product {
        case .propagatedSolarWind, .field, .plasma, .planetaryKMinutes:
            return clock.roundedDown(to: .seconds(60))
        case .planetaryK:
            // The row of a window is out when the window is over.
            return clock.roundedDown(to: KpTable.window)
        case .planetaryKForecast: return KpForecast.issue(at: clock)
        case .ovation:
            let position = ovation.timeline.position(at: clock)
            return max(clock.roundedDown(to: manifest.ovationEvery), position.began)
        case .scales, .bulletins: return clock.roundedDown(to: KpBulletins.every)
        case .locationforecast: return clock.roundedDown(to: Locationforecast.every)
        }
    }

    /// The body of the version that was made at `version`.
    func body(of product: Product, version: Timestamp) -> [UInt8] {
        switch product {
        case .propagatedSolarWind: return solarWind.propagatedHour(until: version - .l1Delay)
        case .field: return solarWind.fieldDay(until: version - .l1Delay)
        case .plasma: return solarWind.plasmaDay(until: version - .l1Delay)
        case .planetaryK: return planetaryK.week(until: version)
        case .planetaryKMinutes: return planetaryK.minutes(until: version - .l1Delay)
        case .planetaryKForecast: return planetaryK.forecast(issued: version)
        case .ovation: return ovation.latest(observed: version)
        case .scales: return planetaryK.scales(at: version)
        case .bulletins: return planetaryK.bulletins(until: version)
        case .locationforecast: return weather.forecast(issued: version)
        }
    }
}

extension Duration {
    /// How long a minute measured at L1 takes to be published; upstream takes 5 to 7 minutes.
    fileprivate static let l1Delay = Duration.seconds(5 * 60)
}

extension Track<OvationGrid> {
    /// The grid that plays at `observed`, restamped; the lead of the recording is kept.
    func latest(observed: Timestamp) -> [UInt8] {
        let grid = playing(at: observed).table
        return grid.write(observed: observed, forecast: observed + (grid.forecast - grid.observed))
    }
}
