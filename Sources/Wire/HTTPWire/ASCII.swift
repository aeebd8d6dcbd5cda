// The octets that HTTP's grammar names, and the character classes it builds from them.

extension UInt8 {
    static let horizontalTab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    var isLetter: Bool { lowercased >= UInt8(ascii: "a") && lowercased <= UInt8(ascii: "z") }

    /// `tchar` of RFC 9110 §5.6.2.
    var isTokenCharacter: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    /// A character of `OWS`, RFC 9110 §5.6.3.
    var isWhitespace: Bool { self == .space || self == .horizontalTab }

    /// Anything below the space, and DEL; the horizontal tab is not counted, fields may hold it.
    var isControl: Bool { (self < .space && self != .horizontalTab) || self == .delete }

    /// `VCHAR` of RFC 5234 §B.1: a printable character of ASCII, the space excluded.
    var isVisible: Bool { self > .space && self < .delete }

    /// The letters A to Z in lower case, every other byte as it is.
    var lowercased: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    /// The value of a hexadecimal digit, nil for any other byte.
    var hexadecimalValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = lowercased
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") else { return nil }
        return letter - UInt8(ascii: "a") + 10
    }
}

/// Whether both texts are equal except for the case of the letters A to Z.
func equalsIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    let left = left.utf8
    let right = right.utf8
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
}

/// True for a `token` of RFC 9110 §5.6.2: at least one character, all of them token characters.
func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter)
}

/// The text of a field, a target or a reason phrase.
///
/// RFC 9110 §5.5: "Historically, HTTP allowed field content with text in the ISO-8859-1 charset".
/// Bytes that are not UTF-8 are read in that charset, so that different values do not become equal
/// replacement characters.
func fieldText(_ bytes: Span<UInt8>) -> String {
    if let validated = try? UTF8Span(validating: bytes) { return String(copying: validated) }
    var scalars = String.UnicodeScalarView()
    for index in bytes.indices { scalars.append(Unicode.Scalar(bytes[index])) }
    return String(scalars)
}

/// A peer's text for an error message: short, and with nothing that could forge a log line.
func excerpt(_ text: some StringProtocol) -> String {
    let lengthMax = 40
    let visible = text.unicodeScalars.prefix(lengthMax).map { scalar in
        scalar.isASCII && !scalar.value.isControlScalar ? String(scalar) : "?"
    }
    return visible.joined() + (text.unicodeScalars.count > lengthMax ? "…" : "")
}

/// A byte for an error message, as `0x0a`.
func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "0x" + (digits.count == 1 ? "0" : "") + digits
}

extension UInt32 {
    fileprivate var isControlScalar: Bool { self < 0x20 || self == 0x7F }
}
