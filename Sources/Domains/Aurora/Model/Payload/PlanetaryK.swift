/// SWPC's `noaa-planetary-k-index.json`: the planetary K index of 3-hour intervals.
///
/// The newest interval is 3 to 6 hours old: `time_tag` is its start, and it appears after its end.
package struct PlanetaryK: Hashable, Sendable {
    /// Oldest first, one for each start.
    package var intervals: [KInterval]
    package var notes = PayloadNotes()

    /// Accepts rows of texts under a header and rows as objects, in any order.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> PlanetaryK {
        let columns = [
            TableColumn(names: ["time_tag"]), TableColumn(names: ["Kp", "kp"]),
        ]
        var intervals: [KInterval] = []
        let notes = try ProductTable.read(bytes, columns: columns, now: now) {
            (row) throws(PayloadError) in
            guard let kp = row.number(1, in: AuroraLimits.kpRange) else { return }
            intervals.append(KInterval(start: try row.time(0), kp: kp))
        }
        guard !intervals.isEmpty else { throw .noUsableRows("none has a Kp") }
        return PlanetaryK(intervals: intervals.oldestFirst(by: \.start), notes: notes)
    }
}

/// The planetary K index of 3 hours of UTC.
package struct KInterval: Hashable, Sendable {
    package static let length = Duration.seconds(3 * 3600)

    package var start: Timestamp
    /// 0…9, in thirds.
    package var kp: Double

    package init(start: Timestamp, kp: Double) {
        self.start = start
        self.kp = kp
    }
}
