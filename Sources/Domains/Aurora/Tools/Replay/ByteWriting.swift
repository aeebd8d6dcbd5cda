import Base

// Number and time texts for bodies of tens of thousands of values, where a String for each would
// cost most of the time.
extension [UInt8] {
    mutating func append(_ text: String) {
        append(contentsOf: text.utf8)
    }

    mutating func append(integer: Int) {
        if integer < 0 {
            append(UInt8(ascii: "-"))
            return append(magnitude: integer.magnitude)
        }
        append(magnitude: UInt(integer))
    }

    /// Appends `value` with exactly `places` digits after the point, or `null` when it is missing
    /// (not a number).
    mutating func append(decimal value: Float, places: Int) {
        guard value.isFinite else { return append("null") }
        let scale = [1, 10, 100, 1000][places]
        let scaled = Int((Double(value) * Double(scale)).rounded())
        if scaled < 0 { append(UInt8(ascii: "-")) }
        let (whole, fraction) = Int(scaled.magnitude).quotientAndRemainder(dividingBy: scale)
        append(magnitude: UInt(whole))
        guard places > 0 else { return }
        append(UInt8(ascii: "."))
        var unit = scale / 10
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(fraction / unit % 10))
            unit /= 10
        }
    }

    /// Appends `2026-09-26T18:47:00`, without a zone, in quotes.
    mutating func append(timeTag time: Timestamp) {
        append(UInt8(ascii: "\""))
        append(contentsOf: time.iso8601Seconds.utf8.dropLast())
        append(UInt8(ascii: "\""))
    }

    /// Appends `2026-09-26T18:47:00Z` in quotes.
    mutating func append(zonedTimeTag time: Timestamp) {
        append(UInt8(ascii: "\""))
        append(time.iso8601Seconds)
        append(UInt8(ascii: "\""))
    }

    private mutating func append(magnitude: UInt) {
        if magnitude >= 10 { append(magnitude: magnitude / 10) }
        append(UInt8(ascii: "0") + UInt8(magnitude % 10))
    }
}
