/// Numbers with a unit in the configuration: a whole number and a unit without a space.
package enum UnitText {
    /// In milliseconds.
    private static let durationUnits: [(name: String, size: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]
    /// In bytes.
    private static let byteUnits: [(name: String, size: Int)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// Reads `25s`, `250ms`, `5m`, `24h` or `7d`.
    package static func duration(_ text: String) -> Duration? {
        read(text, durationUnits).map { .milliseconds($0) }
    }

    /// Reads `16KiB`, `1MiB`, `1GiB` or `512B`.
    package static func byteCount(_ text: String) -> Int? {
        read(text, byteUnits)
    }

    /// Returns the shortest text: the largest unit that divides the value without a remainder.
    package static func text(_ duration: Duration) -> String {
        let seconds = Int(duration.components.seconds)
        let fraction = Int(duration.components.attoseconds / 1_000_000_000_000_000)
        let milliseconds = seconds * 1000 + fraction
        return milliseconds == 0 ? "0s" : text(milliseconds, durationUnits)
    }

    package static func text(byteCount: Int) -> String {
        byteCount == 0 ? "0B" : text(byteCount, byteUnits)
    }

    private static func read(_ text: String, _ units: [(name: String, size: Int)]) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let number = Int(digits), let unit = units.first(where: { $0.name == name })
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit.size)
        return overflow ? nil : product
    }

    private static func text(_ number: Int, _ units: [(name: String, size: Int)]) -> String {
        for (name, size) in units where number % size == 0 {
            return "\(number / size)\(name)"
        }
        preconditionFailure("the smallest unit is 1")
    }
}
