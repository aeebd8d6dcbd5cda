/// Reads the parts of a rule, one after another.
struct ZoneRuleReader {
    private var rest: Substring.UTF8View

    init(_ text: some StringProtocol) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    /// Three letters or more, or in angle brackets letters, digits and signs.
    mutating func skipName() -> Bool {
        let isQuoted = skip(UInt8(ascii: "<"))
        let name = rest.prefix { byte in
            ZoneRuleReader.isLetter(byte)
                || isQuoted
                    && (ZoneRuleReader.isDigit(byte) || byte == UInt8(ascii: "+")
                        || byte == UInt8(ascii: "-"))
        }
        rest.removeFirst(name.count)
        return name.count >= 3 && (!isQuoted || skip(UInt8(ascii: ">")))
    }

    /// Seconds that a clock is behind UTC: `-1` is an hour ahead.
    mutating func offset() -> Int? { time(hoursMax: 24) }

    /// `,M3.5.0/2`
    mutating func change() -> ZoneRule.Change? {
        guard skip(UInt8(ascii: ",")), let day = day() else { return nil }
        guard skip(UInt8(ascii: "/")) else { return ZoneRule.Change(day: day, time: 2 * 3600) }
        return time(hoursMax: 167).map { ZoneRule.Change(day: day, time: $0) }
    }

    private mutating func day() -> ZoneRule.Change.Day? {
        if skip(UInt8(ascii: "J")) { return number(1...365).map { .ofYearWithoutLeapDay($0) } }
        guard skip(UInt8(ascii: "M")) else { return number(0...365).map { .ofYear($0) } }
        guard let month = number(1...12), skip(UInt8(ascii: ".")), let week = number(1...5),
            skip(UInt8(ascii: ".")), let weekday = number(0...6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private mutating func time(hoursMax: Int) -> Int? {
        let isNegative = skip(UInt8(ascii: "-"))
        if !isNegative { _ = skip(UInt8(ascii: "+")) }
        guard let hours = number(0...hoursMax) else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] where skip(UInt8(ascii: ":")) {
            guard let count = number(0...59) else { return nil }
            seconds += count * unit
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        // The greatest number has three digits.
        let digits = rest.prefix(3).prefix(while: ZoneRuleReader.isDigit)
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(number) ? number : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
