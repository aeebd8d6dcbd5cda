/// A number of a text by its value: `1,200`, `1200` and `1.2 thousand` are equal.
struct NumberValue: Hashable, Sendable {
    /// As a decimal number, so that equal values are equal: digits without zeros at either end.
    let digits: String
    /// The power of ten of the last digit.
    let exponent: Int
    /// With `%`, `percent` or `per cent`.
    let isPercentage: Bool

    /// The numbers of a text, in order. Numbers inside of words, such as `Q4` or `MH370`, are
    /// words: they are found as their digits.
    static func numbers(in input: some StringProtocol) -> [NumberValue] {
        let scalars = Array(input.unicodeScalars)
        var numbers: [NumberValue] = []
        var index = 0
        while index < scalars.count {
            if digit(scalars[index]) != nil {
                let (number, end) = number(at: index, in: scalars)
                numbers.append(number)
                index = end
            } else if isLetter(scalars[index]) {
                var end = index
                while end < scalars.count, isLetter(scalars[end]) { end += 1 }
                let isWhole = end == scalars.count || digit(scalars[end]) == nil
                if isWhole, let value = words[text(scalars[index..<end])] {
                    let (exponent, next) = scale(after: end, in: scalars)
                    numbers.append(
                        NumberValue(digits: value, exponent: exponent, isPercentage: false)
                            .percentage(after: next, in: scalars)
                    )
                    end = next
                }
                index = end
            } else {
                index += 1
            }
        }
        return numbers
    }

    /// Small numbers in words. `One` is left out: it mostly counts nothing.
    private static let words: [String: String] = [
        "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
        "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "dozen": "12", "twenty": "20",
        "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
        "eighty": "80",
        "ninety": "90", "hundred": "100",
    ]

    private static let scales: [String: Int] = [
        "hundred": 2, "thousand": 3, "k": 3, "million": 6, "millions": 6, "mln": 6, "mn": 6, "m": 6,
        "billion": 9, "billions": 9, "bln": 9, "bn": 9, "b": 9, "trillion": 12, "trn": 12, "tn": 12,
    ]

    init(digits: some StringProtocol, exponent: Int, isPercentage: Bool) {
        let significant = digits.drop { $0 == "0" }
        let zeros = significant.reversed().prefix { $0 == "0" }.count
        self.digits = significant.isEmpty ? "0" : String(significant.dropLast(zeros))
        self.exponent = significant.isEmpty ? 0 : exponent + zeros
        self.isPercentage = isPercentage
    }

    private static func number(at start: Int, in scalars: [Unicode.Scalar]) -> (NumberValue, Int) {
        var digits = ""
        var decimals: Int?
        var index = start
        while index < scalars.count {
            if let digit = digit(scalars[index]) {
                digits.append(digit)
                if decimals != nil { decimals! += 1 }
            } else if scalars[index] == ".", decimals == nil, index + 1 < scalars.count,
                digit(scalars[index + 1]) != nil
            {
                decimals = 0
            } else if scalars[index] == ",", decimals == nil, isThousands(after: index, in: scalars)
            {
            } else {
                break
            }
            index += 1
        }
        let (exponent, end) = scale(after: index, in: scalars)
        let number = NumberValue(
            digits: digits,
            exponent: exponent - (decimals ?? 0),
            isPercentage: false
        )
        return (number.percentage(after: end, in: scalars), end)
    }

    /// Whether exactly three digits follow.
    private static func isThousands(after comma: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let rest = scalars[(comma + 1)...].prefix(4)
        return rest.prefix(3).count == 3 && rest.prefix(3).allSatisfy { digit($0) != nil }
            && (rest.count == 3 || digit(rest[comma + 4]) == nil)
    }

    /// `million` after a space, or `m` right after the digits.
    private static func scale(after end: Int, in scalars: [Unicode.Scalar]) -> (
        exponent: Int, end: Int
    ) {
        var start = end
        if start < scalars.count, scalars[start] == " " || scalars[start] == "-" { start += 1 }
        var wordEnd = start
        while wordEnd < scalars.count, isLetter(scalars[wordEnd]) { wordEnd += 1 }
        let word = text(scalars[start..<wordEnd])
        // `5 m` are metres, `5 b` is nothing.
        guard let exponent = scales[word], start == end || word.count > 2 || word == "bn" else {
            return (0, end)
        }
        return (exponent, wordEnd)
    }

    private func percentage(after end: Int, in scalars: [Unicode.Scalar]) -> NumberValue {
        let rest = NumberValue.text(scalars[end...].prefix(10)).drop { $0 == " " || $0 == "-" }
        let isPercentage = ["%", "percent", "per cent"].contains { rest.hasPrefix($0) }
        return NumberValue(digits: digits, exponent: exponent, isPercentage: isPercentage)
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text.lowercased()
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic
    }

    /// Digits of every script count, as their value: `٣` is 3.
    private static func digit(_ scalar: Unicode.Scalar) -> Character? {
        if scalar.isASCII { return (48...57).contains(scalar.value) ? Character(scalar) : nil }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue
        else {
            return nil
        }
        return Character(String(Int(value)))
    }
}
