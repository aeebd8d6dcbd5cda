/// SWPC's `rtsw_mag_1m.json`: a day of the magnetic field at L1 from several spacecraft.
///
/// Newest first; the rows of one minute are in no order.
package enum RTSWField {
    /// Keeps the rows marked active, whatever the spacecraft is called.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> SolarWind {
        let columns = SolarWind.Columns(by: "by_gsm", bz: "bz_gsm", marksActive: true)
        return try SolarWind.decode(bytes, columns: columns, now: now)
    }
}
