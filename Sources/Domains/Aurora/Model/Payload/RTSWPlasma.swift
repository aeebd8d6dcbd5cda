/// SWPC's `rtsw_wind_1m.json`: a day of the plasma at L1 from several spacecraft.
///
/// Newest first; now and then with a bare `NaN` in place of a number.
package enum RTSWPlasma {
    /// Keeps the rows marked active, whatever the spacecraft is called.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        let columns = SolarWind.Columns(
            speed: "proton_speed",
            density: "proton_density",
            marksActive: true
        )
        return try SolarWind.decode(bytes, columns: columns, now: now)
    }
}
