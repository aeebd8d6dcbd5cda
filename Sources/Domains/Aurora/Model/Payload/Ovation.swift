/// SWPC's `ovation_aurora_latest.json`: the modelled aurora on a grid of one degree.
///
/// A value is an index from 0 to 100, not a calibrated probability.
package struct Ovation: Hashable, Sendable {
    package static let longitudeCount = 360
    package static let latitudeCount = 181
    package static let valueCount = longitudeCount * latitudeCount

    /// When the solar wind that drives the model was measured.
    package var observation: Timestamp
    /// The time that the grid is for.
    package var forecast: Timestamp
    /// `valueCount` values; the cell of a longitude and latitude is at `longitude * 181 + latitude
    /// + 90`.
    package let values: [UInt8]
    package var notes = PayloadNotes()

    /// Nil unless there are `valueCount` values, none over 100.
    package init?(observation: Timestamp, forecast: Timestamp, values: [UInt8]) {
        guard values.count == Self.valueCount, values.allSatisfy({ $0 <= 100 }) else { return nil }
        self.observation = observation
        self.forecast = forecast
        self.values = values
    }

    /// The value of the cell at a longitude of 0…359 degrees east and a latitude of -90…90.
    package func value(longitude: Int, latitude: Int) -> Int {
        Int(values[longitude * Self.latitudeCount + latitude + 90])
    }

    /// Reads the grid straight into its bytes: the rest of the body is never held. Triples may come
    /// in any order but each cell only once; members may also come in any order. A cell without a
    /// value in the range is left out, as 0; a grid that lacks more than `AuroraLimits.ovationGapMax`
    /// is refused. So is a grid of zeros: the model never makes one, an empty input does.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> Ovation {
        var reader = try PayloadReader(bytes)
        var times: [String: JSONScalar] = [:]
        var read: (grid: [UInt8], rejectedCount: Int)?
        try reader.object { (reader, name) throws(PayloadError) in
            switch name {
            case "coordinates": read = try readGrid(&reader)
            case observationName, forecastName: times[name] = try reader.scalar()
            default: try reader.skip()
            }
        }
        try reader.finish()
        guard let (grid, rejectedCount) = read else { throw .missingField("coordinates") }
        guard grid.contains(where: { $0 > 0 }) else { throw .invalidGrid("all values are 0") }
        let observation = try time(observationName, in: times)
        let forecast = try time(forecastName, in: times)
        guard observation <= now + AuroraLimits.clockSkewMax,
            forecast <= now + AuroraLimits.ovationLeadMax
        else { throw .onlyFutureTimes(rowCount: 1) }
        guard var ovation = Ovation(observation: observation, forecast: forecast, values: grid)
        else { throw .invalidGrid("values over 100") }
        ovation.notes.nonFiniteCount = reader.nonFiniteCount
        ovation.notes.rejectedNumberCount = rejectedCount
        return ovation
    }

    private static let observationName = "Observation Time"
    private static let forecastName = "Forecast Time"
    private static let unset = UInt8.max

    private static func readGrid(
        _ reader: inout PayloadReader
    ) throws(PayloadError) -> (grid: [UInt8], rejectedCount: Int) {
        var grid = [UInt8](repeating: unset, count: valueCount)
        var (count, rejectedCount) = (0, 0)
        try reader.array { (reader, _) throws(PayloadError) in
            guard let (cell, value) = try readTriple(&reader) else { return rejectedCount += 1 }
            guard grid[cell] == unset else {
                let (longitude, row) = cell.quotientAndRemainder(dividingBy: latitudeCount)
                throw .invalidGrid("longitude \(longitude), latitude \(row - 90) comes twice")
            }
            grid[cell] = value
            count += 1
        }
        guard valueCount - count <= AuroraLimits.ovationGapMax else {
            throw .invalidGrid("\(count) of \(valueCount) cells")
        }
        return (grid.map { $0 == unset ? 0 : $0 }, rejectedCount)
    }

    /// Reads one element; nil for an invalid cell.
    private static func readTriple(
        _ reader: inout PayloadReader
    ) throws(PayloadError) -> (cell: Int, value: UInt8)? {
        guard try reader.peek() == UInt8(ascii: "[") else {
            try reader.skip()
            return nil
        }
        var triple: (longitude: Double?, latitude: Double?, value: Double?)
        var count = 0
        try reader.array { (reader, position) throws(PayloadError) in
            count += 1
            switch position {
            case 0: triple.longitude = try reader.lenientNumber()
            case 1: triple.latitude = try reader.lenientNumber()
            case 2: triple.value = try reader.lenientNumber()
            default: try reader.skip()
            }
        }
        guard count == 3, let longitude = triple.longitude.flatMap({ Int(exactly: $0) }),
            let latitude = triple.latitude.flatMap({ Int(exactly: $0) }), let value = triple.value,
            (0..<longitudeCount).contains(longitude), (-90...90).contains(latitude),
            (0.0...100.0).contains(value)
        else { return nil }
        return (longitude * latitudeCount + latitude + 90, UInt8(value.rounded()))
    }

    private static func time(
        _ name: String,
        in times: [String: JSONScalar]
    ) throws(PayloadError) -> Timestamp {
        guard let value = times[name] else { throw .missingField(name) }
        guard case .text(let text) = value else { throw .invalidTime(nil, row: 1) }
        guard let time = Timestamp(iso8601: text) else { throw .invalidTime(text, row: 1) }
        return time
    }
}
