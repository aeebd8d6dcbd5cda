import Replay

extension SolarWindTable {
    /// Reads a pair of files that SWPC made: field and plasma, either both as arrays of objects
    /// (`rtsw_mag_1m`, `rtsw_wind_1m`; rows of inactive craft are left out) or both as arrays of
    /// rows under a header (`mag-7-day`, `plasma-7-day`). Any order, any gaps.
    init(field: SourceFile, plasma: SourceFile) throws(RecordingError) {
        let fields = try SolarWindRow.decode(field, FieldRow.self)
        let plasmas = try SolarWindRow.decode(plasma, PlasmaRow.self)
        let times = (fields + plasmas).map(\.time)
        for value in (fields + plasmas).lazy.flatMap(\.values)
        where abs(value) > SolarWindTable.valueMax {
            throw field.error("or \(plasma.path) has the value \(value)")
        }
        guard let first = times.min(), let last = times.max() else {
            throw field.error("holds no rows")
        }
        guard last - first < .seconds(60 * SolarWindTable.minuteCountMax) else {
            throw field.error("spans more than \(SolarWindTable.minuteCountMax) minutes")
        }
        self.init(first...last)
        for row in fields {
            let values = row.values
            self[row.time].rows.insert(.field)
            self[row.time].bx = values[0]
            self[row.time].by = values[1]
            self[row.time].bz = values[2]
            self[row.time].bt = values[3]
        }
        for row in plasmas {
            let values = row.values
            self[row.time].rows.insert(.plasma)
            self[row.time].speed = values[0]
            self[row.time].density = values[1]
            self[row.time].temperature = values[2]
        }
    }
}

/// A row of either shape, with its values in the order of `SolarWindColumns.names`.
private struct SolarWindRow {
    var time: Timestamp
    var values: [Float]

    static func decode<Row: SolarWindColumns>(
        _ file: SourceFile,
        _: Row.Type
    ) throws(RecordingError) -> [SolarWindRow] {
        if file.isArrayOfArrays { return try decodeLegacy(file, names: Row.names) }
        return try file.decode([Row].self).filter(\.active).map { row throws(RecordingError) in
            SolarWindRow(
                time: try file.time(row.timeTag),
                values: row.values.map(Float.init(missing:))
            )
        }
    }

    private static func decodeLegacy(
        _ file: SourceFile,
        names: [String]
    ) throws(RecordingError) -> [SolarWindRow] {
        let rows = try file.decode([[String?]].self)
        guard let header = rows.first, let timeColumn = header.firstIndex(of: "time_tag") else {
            throw file.error("has no column 'time_tag'")
        }
        let columns = try names.map { name throws(RecordingError) in
            guard let column = header.firstIndex(of: name) else {
                throw file.error("has no column '\(name)'")
            }
            return column
        }
        return try rows.dropFirst().map { row throws(RecordingError) in
            guard row.count == header.count else {
                throw file.error("has a row of \(row.count) of \(header.count) columns")
            }
            return SolarWindRow(
                time: try file.time(row[timeColumn] ?? "null"),
                values: columns.map { row[$0].flatMap(Float.init) ?? .nan }
            )
        }
    }
}

/// The columns of a row of objects, and their names in the legacy shape.
private protocol SolarWindColumns: Decodable {
    static var names: [String] { get }
    var timeTag: String { get }
    var active: Bool { get }
    var values: [Double?] { get }
}

private struct FieldRow: SolarWindColumns {
    static let names = ["bx_gsm", "by_gsm", "bz_gsm", "bt"]

    var timeTag: String
    var active: Bool
    var bx, by, bz, bt: Double?

    var values: [Double?] { [bx, by, bz, bt] }

    enum CodingKeys: String, CodingKey {
        case timeTag = "time_tag"
        case active, bt
        case bx = "bx_gsm"
        case by = "by_gsm"
        case bz = "bz_gsm"
    }
}

private struct PlasmaRow: SolarWindColumns {
    static let names = ["speed", "density", "temperature"]

    var timeTag: String
    var active: Bool
    var speed, density, temperature: Double?

    var values: [Double?] { [speed, density, temperature] }

    enum CodingKeys: String, CodingKey {
        case timeTag = "time_tag"
        case active
        case speed = "proton_speed"
        case density = "proton_density"
        case temperature = "proton_temperature"
    }
}

extension Float {
    fileprivate init(missing value: Double?) {
        self = value.map { Float($0) } ?? .nan
    }
}
