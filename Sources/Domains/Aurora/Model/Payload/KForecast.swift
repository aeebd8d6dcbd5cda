/// SWPC's `noaa-planetary-k-index-forecast.json`: 3-hour intervals from 7 days back to 3 days
/// ahead.
package struct KForecast: Hashable, Sendable {
    /// Oldest first, one for each start.
    package var intervals: [KForecastInterval]
    package var notes = PayloadNotes()

    /// Accepts rows of texts under a header and rows as objects, in any order. A row whose status
    /// is not one of the three is taken as predicted: the least that can be claimed.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> KForecast {
        let columns = [
            TableColumn(names: ["time_tag"]), TableColumn(names: ["kp", "Kp"]),
            TableColumn(names: ["observed"]),
        ]
        var intervals: [KForecastInterval] = []
        let notes = try ProductTable.read(bytes, columns: columns, now: now, allowsFuture: true) {
            (row) throws(PayloadError) in
            let start = try row.time(0)
            guard let kp = row.number(1, in: AuroraLimits.kpRange),
                start <= now + AuroraLimits.forecastAheadMax
            else { return }
            let status = row.text(2).flatMap(KForecastInterval.Status.init) ?? .predicted
            intervals.append(KForecastInterval(start: start, kp: kp, status: status))
        }
        guard !intervals.isEmpty else { throw .noUsableRows("none has a Kp") }
        return KForecast(intervals: intervals.oldestFirst(by: \.start), notes: notes)
    }
}

/// The planetary K index of 3 hours of UTC, past or future.
package struct KForecastInterval: Hashable, Sendable {
    package enum Status: String, CaseIterable, Sendable {
        case observed, estimated, predicted
    }

    package var start: Timestamp
    /// 0…9
    package var kp: Double
    package var status: Status

    package init(start: Timestamp, kp: Double, status: Status) {
        self.start = start
        self.kp = kp
        self.status = status
    }
}
