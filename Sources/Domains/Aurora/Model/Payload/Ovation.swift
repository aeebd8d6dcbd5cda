import Timekeeping

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
    /// in any order but each cell exactly once; members may also come in any order. A grid of zeros
    /// is refused: the model never makes one, an empty input does.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> Ovation {
        var reader = try PayloadReader(bytes)
        var times: [String: JSONScalar] = [:]
        var grid: [UInt8]?
        try reader.object { (reader, name) throws(PayloadError) in
            switch name {
            case "coordinates": grid = try readGrid(&reader)
            case observationName, forecastName: times[name] = try reader.scalar()
            default: try reader.skip()
            }
        }
        try reader.finish()
        guard let grid else { throw .missingField("coordinates") }
        guard grid.contains(where: { $0 > 0 }) else { throw .invalidGrid("all values are 0") }
        let observation = try time(observationName, in: times)
        let forecast = try time(forecastName, in: times)
        guard observation <= now + AuroraLimits.clockSkewMax,
            forecast <= now + AuroraLimits.ovationLeadMax
        else { throw .onlyFutureTimes(rowCount: 1) }
        guard var ovation = Ovation(observation: observation, forecast: forecast, values: grid)
        else { throw .invalidGrid("values over 100") }
        ovation.notes.nonFiniteCount = reader.nonFiniteCount
        return ovation
    }

    private static let observationName = "Observation Time"
    private static let forecastName = "Forecast Time"
    private static let unset = UInt8.max

    private static func readGrid(_ reader: inout PayloadReader) throws(PayloadError) -> [UInt8] {
        var grid = [UInt8](repeating: unset, count: valueCount)
        var count = 0
        try reader.array { (reader, _) throws(PayloadError) in
            let (longitude, latitude, value) = try readTriple(&reader)
            let cell = longitude * latitudeCount + latitude + 90
            guard grid[cell] == unset else {
                throw .invalidGrid("longitude \(longitude), latitude \(latitude) comes twice")
            }
            grid[cell] = UInt8(value)
            count += 1
        }
        guard count == valueCount else {
            throw .invalidGrid("\(count) of \(valueCount) cells")
        }
        return grid
    }

    private static func readTriple(
        _ reader: inout PayloadReader
    ) throws(PayloadError) -> (longitude: Int, latitude: Int, value: Int) {
        var triple = (longitude: 0, latitude: 0, value: 0)
        var count = 0
        try reader.array { (reader, position) throws(PayloadError) in
            count += 1
            switch position {
            case 0: triple.longitude = try reader.naturalNumber(max: longitudeCount - 1)
            case 1: triple.latitude = try reader.integer(magnitudeMax: 90)
            case 2: triple.value = try reader.naturalNumber(max: 100)
            default: throw .invalidGrid("a cell of more than 3 numbers")
            }
        }
        guard count == 3 else { throw .invalidGrid("a cell of \(count) numbers") }
        return triple
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
