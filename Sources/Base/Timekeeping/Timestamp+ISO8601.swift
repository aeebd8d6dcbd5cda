extension Timestamp {
    /// `2025-12-21T11:00:00.000Z`
    package var iso8601: String {
        let remainder = Int(milliseconds % 1000)
        let millisecond = remainder < 0 ? remainder + 1000 : remainder
        return "\(CivilTime(self).text).\(padded(millisecond, 3))Z"
    }

    /// `2025-12-21T11:00:00Z`; a fraction is cut off.
    package var iso8601Seconds: String { "\(CivilTime(self).text)Z" }

    /// `2025-12-21`
    package var iso8601Date: String {
        let civil = CivilTime(self)
        return "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
    }

    /// Reads `2025-12-21T11:00:00`, with a space for the `T`, without seconds, with a fraction, with `Z`
    /// or an offset such as `+01:00`. A text without a zone is UTC. Nil for anything else; digits of the
    /// fraction past the third are cut off.
    package init?(iso8601 text: some StringProtocol) {
        var scanner = DigitScanner(text.utf8)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2)
        else { return nil }
        var second = 0
        var millisecond = 0
        if scanner.skip(":") {
            guard let value = scanner.number(digits: 2) else { return nil }
            second = value
            if scanner.skip(".") {
                guard let fraction = scanner.fraction() else { return nil }
                millisecond = fraction
            }
        }
        guard let offsetMinutes = scanner.zone(), scanner.isAtEnd,
            let civil = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second
            )
        else { return nil }
        self = Timestamp(civil, millisecond: millisecond) - .seconds(offsetMinutes * 60)
    }
}

extension CivilTime {
    /// `2025-12-21T11:00:00`, without a zone.
    fileprivate var text: String {
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        return "\(date)T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    }
}

func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Reads fixed-width decimal fields from ASCII text.
struct DigitScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice(bytes)
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        var value = 0
        for byte in rest.prefix(digits) {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        rest.removeFirst(digits)
        return value
    }

    /// One or more digits after a decimal point, as milliseconds.
    mutating func fraction() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        let leading = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return digits.count == 1 ? leading * 100 : digits.count == 2 ? leading * 10 : leading
    }

    /// Minutes east of UTC; none written means UTC.
    mutating func zone() -> Int? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(digits: 2), hours <= 23 else { return nil }
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes <= 59 else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
