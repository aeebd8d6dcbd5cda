/// A word of an expression, with its place in the text.
struct AlertToken: Equatable {
    enum Kind: Equatable {
        case name(String)
        /// Not a text.
        case number(AlertValue)
        case text(String)
        case comparator(AlertExpression.Comparator)
        case and, or, not
        case open, close
        case end
    }

    var kind: Kind
    /// Counted from 1.
    var column: Int
    /// The token as in the text, for messages.
    var spelling: String

    var quoted: String { kind == .end ? "the end" : "'\(spelling)'" }
}

/// Splits an expression into tokens; the last one is `.end`.
struct AlertTokens {
    private(set) var tokens: [AlertToken] = []
    private let scalars: [Unicode.Scalar]
    private var index = 0

    /// Spellings from other languages, and those to use instead.
    private static let hints: [(spelling: String, instead: String)] = [
        ("&&", "and"), ("||", "or"), ("!", "not"), ("=", "=="), ("'", "\""),
    ]

    init(_ text: String) throws(AlertExpressionError) {
        scalars = Array(text.unicodeScalars)
        guard scalars.count <= AlertExpression.lengthMax else {
            throw AlertExpressionError(
                column: AlertExpression.lengthMax + 1,
                message: "length \(scalars.count) over limit \(AlertExpression.lengthMax)"
            )
        }
        while true {
            skip { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
            let start = index
            let kind = try next()
            tokens.append(
                AlertToken(kind: kind, column: start + 1, spelling: spelling(from: start))
            )
            if kind == .end { return }
        }
    }

    private mutating func next() throws(AlertExpressionError) -> AlertToken.Kind {
        guard let first = peek() else { return .end }
        if isWordStart(first) { return try name() }
        if isDigit(first) || first == "-" { return try number() }
        if first == "\"" { return try text() }
        if take("(") { return .open }
        if take(")") { return .close }
        // The longer spelling first: "<=" before "<".
        for comparator in AlertExpression.Comparator.allCases where take(comparator.rawValue) {
            return .comparator(comparator)
        }
        for hint in Self.hints where take(hint.spelling) {
            throw error(
                at: index - hint.spelling.unicodeScalars.count,
                "'\(hint.spelling)' means nothing here; write '\(hint.instead)'"
            )
        }
        throw error(at: index, "unexpected character '\(first.escaped(asASCII: false))'")
    }

    private mutating func name() throws(AlertExpressionError) -> AlertToken.Kind {
        let start = index
        skip(isWordPart)
        while take(".") {
            guard let next = peek(), isWordStart(next) else {
                throw error(at: index - 1, "expected a name after '\(spelling(from: start))'")
            }
            skip(isWordPart)
        }
        switch spelling(from: start) {
        case "and": return .and
        case "or": return .or
        case "not": return .not
        case let name: return .name(name)
        }
    }

    private mutating func number() throws(AlertExpressionError) -> AlertToken.Kind {
        let start = index
        _ = take("-")
        var isNumber = skipDigits()
        if take(".") { isNumber = skipDigits() && isNumber }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            isNumber = skipDigits() && isNumber
        }
        let end = index
        skip { isWordPart($0) || $0 == "." }
        let spelling = spelling(from: start)
        guard isNumber, index == end, let number = Double(spelling) else {
            throw error(at: start, "'\(spelling)' is not a number")
        }
        guard number.isFinite else { throw error(at: start, "'\(spelling)' is too large") }
        let value = AlertValue(number: spelling) ?? .number(number)
        guard AlertValue.holds(value, spelling) else {
            throw error(
                at: start,
                "'\(spelling)' has too many digits; the nearest number that can be compared is \(value)"
            )
        }
        return .number(value)
    }

    private mutating func text() throws(AlertExpressionError) -> AlertToken.Kind {
        let start = index
        index += 1
        var content = String.UnicodeScalarView()
        while let scalar = peek() {
            index += 1
            switch scalar {
            case "\"": return .text(String(content))
            case "\\":
                guard let escaped = peek(), escaped == "\"" || escaped == "\\" else {
                    throw error(at: index - 1, #"only \" and \\ can follow a backslash"#)
                }
                index += 1
                content.append(escaped)
            default:
                guard scalar.value >= 0x20 else {
                    throw error(at: index - 1, "control character in a text")
                }
                content.append(scalar)
            }
        }
        throw error(at: start, "text without a closing '\"'")
    }

    // MARK: Characters

    private func peek() -> Unicode.Scalar? {
        index < scalars.count ? scalars[index] : nil
    }

    private mutating func skip(_ matches: (Unicode.Scalar) -> Bool) {
        while let scalar = peek(), matches(scalar) { index += 1 }
    }

    /// False when there was none.
    private mutating func skipDigits() -> Bool {
        let start = index
        skip(isDigit)
        return index > start
    }

    private mutating func take(_ spelling: String) -> Bool {
        guard scalars[index...].starts(with: spelling.unicodeScalars) else { return false }
        index += spelling.unicodeScalars.count
        return true
    }

    private func spelling(from start: Int) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<index])
        return String(view)
    }

    private func error(at index: Int, _ message: String) -> AlertExpressionError {
        AlertExpressionError(column: index + 1, message: message)
    }
}

private func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    (0x30...0x39).contains(scalar.value)
}

private func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
}

private func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    isWordStart(scalar) || isDigit(scalar)
}
