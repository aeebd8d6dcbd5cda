/// The rules for a text of a request. Surrounding space is removed.
package struct TextRule: Sendable {
    package enum Unit: String, Sendable {
        /// Unicode scalars: a visible character may have any number of them.
        case characters
        case bytes
    }

    package var lengthMax: Int
    package var unit: Unit
    /// Line breaks and tabs are a part of prose; other control characters are a part of nothing, and
    /// U+0000 ends a text early where C strings are used.
    package var isProse: Bool
    /// Whether the text is a name. A name appears within other texts: it must not reverse their
    /// direction.
    package var isName: Bool

    package init(
        lengthMax: Int,
        unit: Unit = .characters,
        isProse: Bool = false,
        isName: Bool = false
    ) {
        self.lengthMax = lengthMax
        self.unit = unit
        self.isProse = isProse
        self.isName = isName
    }

    package var expected: String { "a string of 1 to \(lengthMax) \(unit.rawValue)" }

    /// The text without the space around it. One that shows nothing is empty.
    package func check(_ text: String, field: String) throws(RequestError) -> String {
        let trimmed = trimmedText(text)
        guard trimmed.unicodeScalars.contains(where: isShown) else { throw .empty(field: field) }
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
        if isName, reordersText(scalar) { return true }
        guard scalar.properties.generalCategory == .control else { return false }
        return !(isProse && ["\n", "\r", "\t"].contains(scalar))
    }
}

/// Whether a scalar is visible. Joiners, direction marks, variation selectors and fillers are not,
/// though they can affect visible text: the joiners of emoji.
private func isShown(_ scalar: Unicode.Scalar) -> Bool {
    !(scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        || blankScalars.contains(scalar))
}

/// Scalars that are only drawn blank, without a corresponding property: the Braille pattern without
/// dots, the null notehead, and the interlinear annotation characters.
private let blankScalars: Set<Unicode.Scalar> = [
    "\u{2800}", "\u{1D159}", "\u{FFF9}", "\u{FFFA}", "\u{FFFB}",
]

/// Whether a scalar embeds, overrides or isolates a direction of writing (UAX #9, 2.1 to 2.5): the
/// text after it, also that of others, may be shown in another order.
private func reordersText(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}

/// The text without the white space of Unicode at its ends.
package func trimmedText(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(String.UnicodeScalarView(scalars[...last]))
}
