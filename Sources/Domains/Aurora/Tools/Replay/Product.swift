/// The products that the fake upstreams serve, by the path of the real upstream.
enum Product: String, Sendable, CaseIterable {
    case propagatedSolarWind = "/products/geospace/propagated-solar-wind-1-hour.json"
    case field = "/json/rtsw/rtsw_mag_1m.json"
    case plasma = "/json/rtsw/rtsw_wind_1m.json"
    case planetaryK = "/products/noaa-planetary-k-index.json"
    case planetaryKMinutes = "/json/planetary_k_index_1m.json"
    case planetaryKForecast = "/products/noaa-planetary-k-index-forecast.json"
    case outlook = "/text/27-day-outlook.txt"
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
        case .outlook: return "outlook"
        case .ovation: return "ovation"
        case .scales: return "scales"
        case .bulletins: return "bulletins"
        case .locationforecast: return "weather"
        }
    }
}
