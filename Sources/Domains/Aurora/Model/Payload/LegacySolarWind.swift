/// SWPC's `products/solar-wind/plasma-*.json` and `mag-*.json`, withdrawn in 2026: for recordings.
package enum LegacySolarWind {
    package static func decodePlasma(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        let columns = SolarWind.Columns(speed: "speed", density: "density")
        return try SolarWind.decode(bytes, columns: columns, now: now)
    }

    package static func decodeField(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        let columns = SolarWind.Columns(by: "by_gsm", bz: "bz_gsm")
        return try SolarWind.decode(bytes, columns: columns, now: now)
    }
}
