import Replay

/// The planetary K index of one window of three hours.
struct KpRow: Sendable, Equatable {
    /// Kp in thirds, 0…27: the index has no finer steps.
    var thirds: UInt8
    var runningA: Int
    var stationCount: Int
}

/// The three-hour rows of one recording of `noaa-planetary-k-index.json`.
struct KpTable: Sendable, Equatable {
    /// The length of a row.
    static let window = Duration.seconds(3 * 3600)

    /// By the start of the window.
    private(set) var rows: [Timestamp: KpRow] = [:]

    /// Reads the product in either shape.
    init(_ file: SourceFile) throws(RecordingError) {
        for row in try KpTable.decode(file) {
            let time = try file.time(row.timeTag)
            let thirds = (row.kp * 3).rounded()
            guard (0...27).contains(thirds) else { throw file.error("has Kp \(row.kp)") }
            rows[time] = KpRow(
                thirds: UInt8(thirds),
                runningA: row.runningA,
                stationCount: row.stationCount
            )
        }
    }

    private static func decode(_ file: SourceFile) throws(RecordingError) -> [Row] {
        guard file.isArrayOfArrays else { return try file.decode([Row].self) }
        let rows = try file.decode([[String]].self)
        guard rows.first == ["time_tag", "Kp", "a_running", "station_count"] else {
            throw file.error("has other columns than time_tag, Kp, a_running, station_count")
        }
        return try rows.dropFirst().map { row throws(RecordingError) in
            guard row.count == 4, let kp = Double(row[1]), let runningA = Int(row[2]),
                let stationCount = Int(row[3])
            else { throw file.error("has the row \(row)") }
            return Row(timeTag: row[0], kp: kp, runningA: runningA, stationCount: stationCount)
        }
    }

    private struct Row: Decodable {
        var timeTag: String
        var kp: Double
        var runningA: Int
        var stationCount: Int

        enum CodingKeys: String, CodingKey {
            case timeTag = "time_tag"
            case kp = "Kp"
            case runningA = "a_running"
            case stationCount = "station_count"
        }
    }
}

extension [UInt8] {
    /// Appends Kp as SWPC prints it: 0.33, 0.67, 1.00.
    mutating func append(kpThirds thirds: UInt8) {
        append(integer: Int(thirds / 3))
        append([".00", ".33", ".67"][Int(thirds % 3)])
    }
}
