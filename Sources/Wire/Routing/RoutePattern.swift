/// The segments of a pattern such as `/movies/:id/reviews`.
struct RoutePattern {
    enum Segment: Equatable {
        case literal(String)
        case parameter(String)
    }

    let segments: [Segment]

    /// Parses a pattern, and traps on an invalid one. Patterns are part of the program, so an
    /// invalid one is a programming error, and would otherwise only appear as a path that is never
    /// found.
    ///
    /// - A pattern begins with a slash, and no segment is empty. `/` has no segment.
    /// - A literal has only characters that no client escapes: letters, digits, `-`, `.`, `_`, `~`
    ///   (RFC 3986 §2.3). Wildcards and `{name}` do not exist.
    /// - A parameter is a colon and a name of letters, digits and `_`, which is unique in the
    ///   pattern.
    init(_ text: String) {
        precondition(text.hasPrefix("/"), "\(text) does not begin with a slash")
        let texts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        segments = text == "/" ? [] : texts.map { RoutePattern.segment($0, of: text) }
        let parameters = segments.filter { if case .parameter = $0 { true } else { false } }
        for (index, parameter) in parameters.enumerated() {
            precondition(!parameters[..<index].contains(parameter), "\(text) names two alike")
        }
    }

    private static func segment(_ text: Substring, of pattern: String) -> Segment {
        precondition(!text.isEmpty, "\(pattern) has an empty segment")
        guard text.hasPrefix(":") else {
            precondition(text.utf8.allSatisfy(isUnreserved), "\(pattern) has no literal \(text)")
            return .literal(String(text))
        }
        let name = text.dropFirst()
        precondition(!name.isEmpty, "\(pattern) has a parameter without a name")
        precondition(name.utf8.allSatisfy(isOfName), "\(pattern) has no parameter \(text)")
        return .parameter(String(name))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isOfName(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "~")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
