/// Dates as feeds have them: RFC 822 with its frequent faults, W3CDTF and other forms of ISO 8601,
/// with names of months in many languages and the dates of China, Japan and Korea.
///
/// Never guesses: without a year, a month and a day in a known form, or with a zone that is not
/// known, there is no date. A time without a zone is UTC.
enum FeedDate {
    /// A longer text is no date.
    private static let lengthMax = 80

    static func parse(_ text: String) -> Timestamp? {
        let text = normalised(text)
        guard (4...lengthMax).contains(text.utf8.count) else { return nil }
        // A weekday comes first in most.
        let isISO = text.utf8.first.map(isDigit) ?? false
        if isISO, let words = isoWords(text) { return words.instant }
        return DateWords(words(text))?.instant
    }

    /// In lower case, with plain spaces and one form of each mark.
    private static func normalised(_ text: String) -> String {
        guard text.utf8.count <= 2 * lengthMax else { return "" }
        var text = text.lowercased()
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            text = String(text.map { $0.isWhitespace ? " " : $0 == "\u{2212}" ? "-" : $0 })
            text = eastAsian(text) ?? text
        }
        text = text.replacing("a. m.", with: "am").replacing("p. m.", with: "pm")
        return trimmed(text)
    }

    /// `2026-11-24 11:05` for `2026年11月24日(火) 11時05分`; nil for a text of another form.
    private static func eastAsian(_ text: String) -> String? {
        var rest = text[...]
        var fields: [String] = []
        for marks in ["年년", "月월", "日일"] {
            guard let end = rest.firstIndex(where: marks.contains) else { return nil }
            fields.append(trimmed(rest[..<end]))
            rest = rest[rest.index(after: end)...]
        }
        var time = String(rest)
        for (marks, mark) in [("時时시点", ":"), ("分분", ":"), ("秒초", " ")] {
            for character in marks { time = time.replacing("\(character) ", with: mark) }
            time = String(time.map { marks.contains($0) ? Character(mark) : $0 })
        }
        for word in ["上午", "午前", "오전"] { time = time.replacing(word, with: " am ") }
        for word in ["下午", "午後", "오후"] { time = time.replacing(word, with: " pm ") }
        // A weekday, in its own letters.
        let words = time.split(separator: " ").filter { $0.contains(where: \.isASCII) }
            .filter { !$0.hasPrefix("(") }
            .map { $0.hasSuffix(":") ? $0.dropLast() : $0 }
        // `am` may come before the time; behind it, it is known.
        let sorted =
            words.filter { !["am", "pm"].contains($0) }
            + words.filter { ["am", "pm"].contains($0) }
        return fields.joined(separator: "-") + " " + sorted.joined(separator: " ")
    }

    private static func words(_ text: String) -> [Substring] {
        text.split { $0 == "," || $0.isWhitespace }
    }

    /// `2003-12-31T10:14:55.5+01:00`, each part optional from the right; also `20031231`, and a
    /// space for `T`.
    private static func isoWords(_ text: String) -> DateWords? {
        var scanner = DateScanner(text)
        guard let year = scanner.digits(4) else { return nil }
        var month = 1
        var day = 1
        if scanner.skip("-") {
            guard let value = scanner.digits(1...2) else { return nil }
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
        if scanner.skip("t") || scanner.skipSpaces() {
            guard let value = scanner.time() else { return nil }
            time = value
        } else if !scanner.isAtEnd {
            guard scanner.rest == "z" else { return nil }
        }
        return DateWords(year: year, month: month, day: day, time: time, words(scanner.rest))
    }
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
