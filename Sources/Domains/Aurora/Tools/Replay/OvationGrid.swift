import Replay

/// One recorded OVATION aurora forecast: a value for each degree of longitude and latitude.
struct OvationGrid: Sendable, Equatable {
    static let longitudes = 0..<360
    static let latitudes = -90...90
    static let cellCount = longitudes.count * latitudes.count

    /// By longitude, then latitude: the order of the file.
    let values: [UInt8]
    let observed: Timestamp
    /// The forecast time of the file; the observation time plus the lead.
    let forecast: Timestamp

    /// Reads `ovation_aurora_latest.json`. The triples are scanned by hand: as arrays of arrays a
    /// decoder would take tens of megabytes for them.
    init(_ file: SourceFile) throws(RecordingError) {
        var scanner = TripleScanner(file: file)
        observed = try file.time(try scanner.text(after: "\"Observation Time\""))
        forecast = try file.time(try scanner.text(after: "\"Forecast Time\""))
        try scanner.skip(past: "\"coordinates\"")
        var values: [UInt8] = []
        values.reserveCapacity(OvationGrid.cellCount)
        for longitude in OvationGrid.longitudes {
            for latitude in OvationGrid.latitudes {
                let place = [try scanner.integer(), try scanner.integer()]
                guard place == [longitude, latitude] else {
                    throw file.error("has cell \(place) in place of [\(longitude), \(latitude)]")
                }
                guard let value = UInt8(exactly: try scanner.integer()), value <= 100 else {
                    throw file.error("has a value over 100 at \(place)")
                }
                values.append(value)
            }
        }
        self.values = values
    }

    /// Appends the product, spaced as by upstream: recorded values are written back byte for byte
    /// if the times are the recorded ones.
    func write(observed: Timestamp, forecast: Timestamp) -> [UInt8] {
        let bodyLengthMax = 1_100_000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(bodyLengthMax)
        bytes.append("{\"Observation Time\": ")
        bytes.append(zonedTimeTag: observed)
        bytes.append(", \"Forecast Time\": ")
        bytes.append(zonedTimeTag: forecast)
        bytes.append(", \"Data Format\": \"[Longitude, Latitude, Aurora]\", \"coordinates\": ")
        var separator = UInt8(ascii: "[")
        var index = 0
        for longitude in OvationGrid.longitudes {
            for latitude in OvationGrid.latitudes {
                bytes.append(separator)
                if index > 0 { bytes.append(UInt8(ascii: " ")) }
                bytes.append(UInt8(ascii: "["))
                bytes.append(integer: longitude)
                bytes.append(", ")
                bytes.append(integer: latitude)
                bytes.append(", ")
                bytes.append(integer: Int(values[index]))
                bytes.append(UInt8(ascii: "]"))
                separator = UInt8(ascii: ",")
                index += 1
            }
        }
        bytes.append("], \"type\": \"MultiPoint\"}")
        return bytes
    }
}

/// Reads texts and integers from JSON in their order.
private struct TripleScanner {
    private let file: SourceFile
    private let bytes: [UInt8]
    private var index = 0

    init(file: SourceFile) {
        self.file = file
        bytes = file.bytes
    }

    mutating func skip(past text: String) throws(RecordingError) {
        let key = Array(text.utf8)
        while index + key.count <= bytes.count {
            if bytes[index] == key[0], bytes[index..<index + key.count].elementsEqual(key) {
                index += key.count
                return
            }
            index += 1
        }
        throw file.error("has no \(text) where it belongs")
    }

    /// The next text in quotes after `key`.
    mutating func text(after key: String) throws(RecordingError) -> String {
        try skip(past: key)
        try skip(past: "\"")
        let start = index
        try skip(past: "\"")
        return String(decoding: bytes[start..<index - 1], as: UTF8.self)
    }

    /// The next integer after any JSON punctuation and white space.
    mutating func integer() throws(RecordingError) -> Int {
        while index < bytes.count, isSeparator(bytes[index]) { index += 1 }
        let isNegative = index < bytes.count && bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let start = index
        let digitsMax = 4
        var value = 0
        while index < bytes.count, (0x30...0x39).contains(bytes[index]), index - start < digitsMax {
            value = value * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        guard index > start else { throw file.error("has no number at byte \(index)") }
        return isNegative ? -value : value
    }

    private func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"),
            UInt8(ascii: " "), 0x09, 0x0A, 0x0D:
            return true
        default: return false
        }
    }
}
