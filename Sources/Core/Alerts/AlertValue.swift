// Alerts: rules as data, and the machine that turns rules and published values into one alert per
// crossing.

/// A published value that a rule can use.
package enum AlertValue: Sendable, Equatable {
    case number(Double)
    /// An integer that a `Double` cannot hold, such as an id above 2^53.
    case integer(Int128)
    case text(String)
}

extension AlertValue {
    /// In bytes. Longer texts are no numbers: the longest integer has 39 digits and a sign.
    private static let numberLengthMax = 48

    /// Reads a number as JSON writes it (RFC 8259 §6); nil for any other text, and for a number that
    /// is too large.
    init?(number text: some StringProtocol) {
        guard text.utf8.count <= AlertValue.numberLengthMax, AlertValue.isNumber(text.utf8)
        else {
            return nil
        }
        let text = String(text)
        guard let number = Double(text), number.isFinite else { return nil }
        if let integer = Int128(text), Int128(exactly: number) != integer {
            self = .integer(integer)
        } else {
            self = .number(number)
        }
    }

    /// Whether the digits of a number are those of its text: otherwise it is only the nearest number
    /// that can be held, and would equal other texts.
    static func holds(_ value: AlertValue, _ text: some StringProtocol) -> Bool {
        switch value {
        case .number(let number):
            // Both are exact: the shortest text that leads to the number, and an integer's own.
            let shortest = Int128(exactly: number).map { String($0) } ?? number.description
            return digits(text) == digits(shortest) || digits(text) == digits(number.description)
        case .integer, .text: return true
        }
    }

    /// Without sign, point, exponent, and zeros around the digits.
    private static func digits(_ text: some StringProtocol) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { (zero...zero + 9).contains($0) }.drop { $0 == zero }
        return digits.reversed().drop { $0 == zero }.reversed()
    }

    private static func isNumber(_ text: some Sequence<UInt8>) -> Bool {
        var rest = Array(text)[...]
        func takeDigits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let count = takeDigits()
        guard count == 1 || count > 1 && !isZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits() > 0 else { return false }
        }
        if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard takeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// The number that a value is or, for a text, that its characters are; nil for other texts.
    var asNumber: AlertValue? {
        guard case .text(let text) = self else { return self }
        return AlertValue(number: text)
    }

    /// The order of two numbers, compared exactly: -1, 0 or 1. Nil for a text.
    func order(_ other: AlertValue) -> Int? {
        switch (self, other) {
        case (.number(let left), .number(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.integer(let left), .number(let right)): AlertValue.order(left, right)
        case (.number(let left), .integer(let right)): -AlertValue.order(right, left)
        case (.text, _), (_, .text): nil
        }
    }

    private static func order(_ integer: Int128, _ number: Double) -> Int {
        let whole = number.rounded(.down)
        guard let floor = Int128(exactly: whole) else { return number > 0 ? -1 : 1 }
        return integer == floor ? (whole < number ? -1 : 0) : integer < floor ? -1 : 1
    }
}

extension AlertValue: CustomStringConvertible {
    /// As it is written in an expression: `72`, `"good"`.
    package var description: String {
        switch self {
        case .text(let text):
            let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
            return "\"\(String(escaped))\""
        case .integer(let integer): return integer.description
        case .number(let number):
            return Int64(exactly: number).map(String.init) ?? number.description
        }
    }
}
