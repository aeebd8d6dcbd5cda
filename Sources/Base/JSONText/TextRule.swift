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
    /// What names something stands among others' words: it may not turn their direction around.
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

/// Whether a scalar shows anything. Joiners, direction marks, variation selectors and fillers do not, though
/// a part of what is seen may hang on them: the joiners of emoji.
private func isShown(_ scalar: Unicode.Scalar) -> Bool {
    !(scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        || blankScalars.contains(scalar))
}

/// Blank by their drawing alone, without a property that says so: the Braille pattern without dots, the
/// notehead of nothing, and what marks annotations between lines.
private let blankScalars: Set<Unicode.Scalar> = [
    "\u{2800}", "\u{1D159}", "\u{FFF9}", "\u{FFFA}", "\u{FFFB}",
]

/// Whether a scalar embeds, overrides or isolates a direction of writing (UAX #9, 2.1 to 2.5): what comes
/// behind it, of others too, may be shown in another order.
private func reordersText(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}

/// The text without the white space of Unicode at its ends.
package func trimmedText(_ text: some StringProtocol) -> String {
    let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(String.UnicodeScalarView(scalars[...last]))
}
