/// SWPC's `noaa-scales.json`: NOAA's scales of space weather for the past day, now, and three days.
///
/// For the whole Earth, in the words of the service: they explain a night and enter no score.
package struct StormScales: Hashable, Sendable {
    /// The period of a line of the product; the raw value is the product's key for it.
    package enum Period: Int, CaseIterable, Sendable {
        case pastDay = -1
        case now, today, tomorrow, dayAfter
    }

    /// 0…5 each, of which 0 is below the scale; nil if the product has no value.
    package struct Line: Hashable, Sendable {
        package var period: Period
        package var time: Timestamp
        /// R
        package var radioBlackout: Int?
        /// S
        package var radiationStorm: Int?
        /// G
        package var geomagneticStorm: Int?
    }

    /// By period; that of now is always there.
    package var lines: [Line]
    package var notes = PayloadNotes()

    static let range = 0.0...5.0

    /// When the scales were those of now.
    package var time: Timestamp? { line(.now)?.time }

    package func line(_ period: Period) -> Line? {
        lines.first { $0.period == period }
    }

    /// Numbers are texts in the product, and accepted as either. Members with other keys are
    /// skipped.
    package static func decode(
        _ bytes: [UInt8],
        now: Timestamp
    ) throws(PayloadError) -> StormScales {
        var reader = try PayloadReader(bytes)
        var scales = StormScales(lines: [])
        try reader.object { (reader, key) throws(PayloadError) in
            guard let period = Int(key).flatMap(Period.init(rawValue:)), scales.line(period) == nil,
                try reader.peek() == UInt8(ascii: "{")
            else { return try reader.skip() }
            do throws(PayloadError) {
                scales.lines.append(try line(period, &reader, &scales.notes))
            } catch {
                // The line has been read as a whole, and only that of now is required.
                guard case .invalidTime = error, period != .now else { throw error }
            }
        }
        try reader.finish()
        scales.lines.sort { $0.period.rawValue < $1.period.rawValue }
        guard let time = scales.time else { throw .missingField("0") }
        guard time <= now + AuroraLimits.clockSkewMax else { throw .onlyFutureTimes(rowCount: 1) }
        scales.notes.nonFiniteCount = reader.nonFiniteCount
        return scales
    }

    private static func line(
        _ period: Period,
        _ reader: inout PayloadReader,
        _ notes: inout PayloadNotes
    ) throws(PayloadError) -> Line {
        var line = Line(period: period, time: Timestamp(milliseconds: 0))
        var date = ""
        var clock = ""
        try reader.object { (reader, name) throws(PayloadError) in
            switch name {
            case "DateStamp": date = try text(&reader)
            case "TimeStamp": clock = try text(&reader)
            case "R": line.radioBlackout = try scale(&reader, &notes)
            case "S": line.radiationStorm = try scale(&reader, &notes)
            case "G": line.geomagneticStorm = try scale(&reader, &notes)
            default: try reader.skip()
            }
        }
        guard let time = Timestamp(iso8601: "\(date)T\(clock)") else {
            throw .invalidTime("\(date) \(clock)", row: period.rawValue)
        }
        line.time = time
        return line
    }

    private static func text(_ reader: inout PayloadReader) throws(PayloadError) -> String {
        if case .text(let text) = try reader.scalar() { text } else { "" }
    }

    private static func scale(
        _ reader: inout PayloadReader,
        _ notes: inout PayloadNotes
    ) throws(PayloadError) -> Int? {
        guard try reader.peek() == UInt8(ascii: "{") else {
            try reader.skip()
            return nil
        }
        var found = JSONScalar.null
        try reader.object { (reader, name) throws(PayloadError) in
            guard name == "Scale" else { return try reader.skip() }
            found = try reader.scalar()
        }
        let number: Double? =
            switch found {
            case .number(let number): number
            case .text(let text): Double(text)
            case .null, .flag: nil
            }
        if found == .null { return nil }
        guard let number, range.contains(number), number == number.rounded() else {
            notes.rejectedNumberCount += 1
            return nil
        }
        return Int(number)
    }
}
