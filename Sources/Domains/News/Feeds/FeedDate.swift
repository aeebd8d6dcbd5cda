import Timekeeping

/// Dates as feeds have them: RFC 822 with its frequent faults, W3CDTF and other forms of ISO 8601.
///
/// Never guesses: without a year, a month and a day in a known form there is no date. A time
/// without a zone is UTC.
enum FeedDate {
    /// A longer text is no date.
    private static let lengthMax = 80

    static func parse(_ text: String) -> Timestamp? {
        let text = trimmed(text)
        guard (4...lengthMax).contains(text.utf8.count) else { return nil }
        // A weekday comes first in most.
        let isISO = text.utf8.first.map(isDigit) ?? false
        return (isISO ? parseISO(text) : nil) ?? parseWords(text)
    }

    /// `2003-12-31T10:14:55.5+01:00`, each part optional from the right; also `20031231`, and a
    /// space for `T`.
    private static func parseISO(_ text: String) -> Timestamp? {
        var scanner = DateScanner(text)
        guard let year = scanner.digits(4) else { return nil }
        var month = 1
        var day = 1
        if scanner.skip("-") {
            guard let value = scanner.digits(2) else { return nil }
            month = value
            if scanner.skip("-") {
                guard let value = scanner.digits(1...2) else { return nil }
                day = value
            }
        } else if !scanner.isAtEnd {
            guard let second = scanner.digits(2), let third = scanner.digits(2) else { return nil }
            (month, day) = (second, third)
        }
        var time = DateTime(hour: 0, minute: 0, second: 0)
        var offset = 0
        if scanner.skip("T") || scanner.skip("t") || scanner.skipSpaces() {
            guard let value = scanner.time() else { return nil }
            time = value
            _ = scanner.skipSpaces()
            guard let value = zone(scanner.rest) else { return nil }
            offset = value
        } else if !scanner.isAtEnd {
            guard ["Z", "z"].contains(scanner.rest) else { return nil }
        }
        return instant(year, month, day, time, offset)
    }

    /// `Thu, 01 Jan 2004 19:48:21 GMT`, and the same words in another order: `Thu Aug 30 17:26:16
    /// +0200 2012`.
    private static func parseWords(_ text: String) -> Timestamp? {
        var words = DateWords()
        let isSeparator: (UInt8) -> Bool = { isSpace($0) || $0 == UInt8(ascii: ",") }
        for word in text.utf8.split(whereSeparator: isSeparator) {
            guard words.add(word) else { return nil }
        }
        guard let year = words.year, let month = words.month, let day = words.day else {
            return nil
        }
        let time = words.time ?? DateTime(hour: 0, minute: 0, second: 0)
        return instant(year, month, day, time, words.offset ?? 0)
    }

    private static func instant(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ time: DateTime,
        _ offset: Int
    ) -> Timestamp? {
        guard year >= 1,
            let civil = CivilTime(
                year: year,
                month: month,
                day: day,
                hour: time.hour,
                minute: time.minute,
                second: time.second
            )
        else { return nil }
        return Timestamp(civil, millisecond: time.millisecond) - .seconds(offset * 60)
    }

    /// Minutes east of UTC of `Z`, `+01:00`, `-0500`, `+01`, `GMT+1`, `Etc/GMT`, `EST` and the
    /// other zones of RFC 822. An unknown name is UTC, as no text at all; nil for a broken number.
    static func zone(_ text: some StringProtocol) -> Int? {
        if text == "GMT" || text == "Z" || text == "+0000" { return 0 }
        var name = text.lowercased()
        for prefix in ["etc/", "gmt", "utc", "ut"] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        guard name.hasPrefix("+") || name.hasPrefix("-") else { return zones[name] ?? 0 }
        let digits = name.dropFirst().filter { $0 != ":" }
        guard (1...4).contains(digits.count), let number = Int(digits),
            digits.allSatisfy(\.isNumber)
        else { return nil }
        let minutes = digits.count <= 2 ? number * 60 : number / 100 * 60 + number % 100
        guard minutes <= 24 * 60 else { return nil }
        return name.hasPrefix("-") ? -minutes : minutes
    }

    /// RFC 822 §5.1, with the short forms that sites use and Central European time.
    private static let zones: [String: Int] = [
        "adt": -180, "ast": -240, "at": -240, "edt": -240, "est": -300, "et": -300, "cdt": -300,
        "cst": -360, "ct": -360, "mdt": -360, "mst": -420, "mt": -420, "pdt": -420, "pst": -480,
        "pt": -480, "met": 60, "mest": 120, "cet": 60, "cest": 120, "bst": 60, "a": -60, "n": 60,
        "m": -720, "y": 720,
    ]
}

/// A time of day.
struct DateTime: Equatable {
    var hour: Int
    var minute: Int
    var second: Int
    var millisecond = 0
}

/// Reads fields of digits.
struct DateScanner {
    private var bytes: ArraySlice<UInt8>

    init(_ text: some StringProtocol) { bytes = ArraySlice(text.utf8) }

    var isAtEnd: Bool { bytes.isEmpty }
    var rest: String { String(decoding: bytes, as: UTF8.self) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = bytes.first, UInt32(first) == character.value else { return false }
        bytes.removeFirst()
        return true
    }

    mutating func skipSpaces() -> Bool {
        let count = bytes.count
        bytes = bytes.drop(while: isSpace)
        return bytes.count < count
    }

    mutating func digits(_ count: Int) -> Int? { digits(count...count) }

    mutating func digits(_ counts: ClosedRange<Int>) -> Int? {
        let digits = bytes.prefix(counts.upperBound).prefix { (0x30...0x39).contains($0) }
        guard digits.count >= counts.lowerBound else { return nil }
        bytes.removeFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// `10:14:55.5`, `10:14`, `10`.
    mutating func time() -> DateTime? {
        guard let hour = digits(1...2) else { return nil }
        var time = DateTime(hour: hour, minute: 0, second: 0)
        guard skip(":") else { return time }
        guard let minute = digits(1...2) else { return nil }
        time.minute = minute
        guard skip(":") else { return time }
        guard let second = digits(1...2) else { return nil }
        time.second = second
        if skip(".") || skip(",") {
            let fraction = bytes.prefix { (0x30...0x39).contains($0) }
            bytes.removeFirst(fraction.count)
            let padded = Array(fraction.prefix(3)) + [0x30, 0x30, 0x30]
            time.millisecond = padded.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        return skip(":") ? nil : time
    }
}
