/// The upstream products that this module understands.
package enum AuroraProduct: String, CaseIterable, Sendable {
    case planetaryK = "planetary_k"
    case kForecast = "k_forecast"
    case kOutlook = "k_outlook"
    case kMinutes = "k_minutes"
    case propagatedSolarWind = "propagated_solar_wind"
    case rtswField = "rtsw_field"
    case rtswPlasma = "rtsw_plasma"
    /// Withdrawn upstream; for recordings.
    case legacyField = "legacy_field"
    /// Withdrawn upstream; for recordings.
    case legacyPlasma = "legacy_plasma"
    case ovation
    case weather
    case scales
    case bulletins

    /// Reads the body of an answer with status 200.
    ///
    /// - Parameters:
    ///   - now: the domain clock; rows that are later by more than the clock skew are left out.
    ///   - place: the id of the place that the weather is for; other products ignore it.
    /// - Complexity: O(bytes), one pass; memory O(rows kept).
    package func decode(
        _ bytes: [UInt8],
        now: Timestamp,
        place: String = Place.tromso.id
    ) throws(PayloadError) -> AuroraPayload {
        switch self {
        case .planetaryK: .planetaryK(try PlanetaryK.decode(bytes, now: now))
        case .kForecast: .kForecast(try KForecast.decode(bytes, now: now))
        case .kOutlook: .kOutlook(try KOutlook.decode(bytes, now: now))
        case .kMinutes: .kMinutes(try KMinutes.decode(bytes, now: now))
        case .propagatedSolarWind: .solarWind(try PropagatedSolarWind.decode(bytes, now: now))
        case .rtswField: .solarWind(try RTSWField.decode(bytes, now: now))
        case .rtswPlasma: .solarWind(try RTSWPlasma.decode(bytes, now: now))
        case .legacyField: .solarWind(try LegacySolarWind.decodeField(bytes, now: now))
        case .legacyPlasma: .solarWind(try LegacySolarWind.decodePlasma(bytes, now: now))
        case .ovation: .ovation(try Ovation.decode(bytes, now: now))
        case .weather: .weather(place: place, try Locationforecast.decode(bytes, now: now))
        case .scales: .scales(try StormScales.decode(bytes, now: now))
        case .bulletins: .bulletins(try Bulletins.decode(bytes, now: now))
        }
    }
}

/// The content of one answer of an upstream.
package enum AuroraPayload: Hashable, Sendable {
    case planetaryK(PlanetaryK)
    case kForecast(KForecast)
    case kOutlook(KOutlook)
    case kMinutes(KMinutes)
    case solarWind(SolarWind)
    case ovation(Ovation)
    case weather(place: String, Locationforecast)
    case scales(StormScales)
    case bulletins(Bulletins)

    /// The parts that the decoder skipped, for metrics.
    package var notes: PayloadNotes {
        switch self {
        case .planetaryK(let value): value.notes
        case .kForecast(let value): value.notes
        case .kOutlook(let value): value.notes
        case .kMinutes(let value): value.notes
        case .solarWind(let value): value.notes
        case .ovation(let value): value.notes
        case .weather(_, let value): value.notes
        case .scales(let value): value.notes
        case .bulletins(let value): value.notes
        }
    }
}
