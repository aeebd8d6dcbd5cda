/// SWPC's `propagated-solar-wind-1-hour.json`: plasma and field of the last hour in 6.5 kB.
///
/// The arrival times are not used: they can run backwards, and the coupling is a mean of hours.
package enum PropagatedSolarWind {
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        let columns = SolarWind.Columns(speed: "speed", density: "density", by: "by", bz: "bz")
        return try SolarWind.decode(bytes, columns: columns, now: now)
    }
}
