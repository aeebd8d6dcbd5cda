/// What a text of a request may be. It is taken without the space around it.
package struct TextRule: Sendable {
    package enum Unit: String, Sendable {
        /// Unicode scalars: what people see as one character may have any number of them.
        case characters
        case bytes
    }

    package var lengthMax: Int
    package var unit: Unit
    /// Line breaks and tabs are a part of prose; other control characters are a part of nothing, and
    /// U+0000 ends a text early where C strings are used.
    package var isProse: Bool

    package init(lengthMax: Int, unit: Unit = .characters, isProse: Bool = false) {
        self.lengthMax = lengthMax
        self.unit = unit
        self.isProse = isProse
    }

    package var expected: String { "a string of 1 to \(lengthMax) \(unit.rawValue)" }

    /// The text without the space around it.
    package func check(_ text: String, field: String) throws(RequestError) -> String {
        let trimmed = trimmedText(text)
        guard !trimmed.isEmpty else { throw .empty(field: field) }
        let length = unit == .bytes ? trimmed.utf8.count : trimmed.unicodeScalars.count
        guard length <= lengthMax else {
            throw .tooLong(field: field, length: length, unit: unit.rawValue, limit: lengthMax)
        }
        for (index, scalar) in trimmed.unicodeScalars.enumerated() where isRefused(scalar) {
            throw .controlCharacter(field: field, scalar: scalar.value, index: index)
        }
        return trimmed
    }

    private func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.properties.generalCategory == .control else { return false }
        return !(isProse && ["\n", "\r", "\t"].contains(scalar))
    }
}

/// The text without the white space of Unicode at its ends.
package func trimmedText(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(String.UnicodeScalarView(scalars[...last]))
}
