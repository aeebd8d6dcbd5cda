/// Text from outside, in a form that may be kept and shown.
package enum OutsideText {
    /// Returns the text without control characters other than line ends and tabs, without white
    /// space around it, and cut at a character to at most `bytesMax` bytes. Nil when nothing is
    /// left.
    package static func kept(_ text: String, bytesMax: Int) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where isKept(scalar) { scalars.append(scalar) }
        let trimmed = trimmed(Substring(String(scalars)))
        guard trimmed.utf8.count > bytesMax else { return trimmed.isEmpty ? nil : String(trimmed) }
        var length = 0
        let cut = trimmed.prefix { character in
            length += character.utf8.count
            return length <= bytesMax
        }
        return cut.isEmpty ? nil : String(cut)
    }

    /// Returns a name: one line of at most `lengthMax` characters. Nil when nothing is left.
    package static func keptName(
        _ text: String,
        lengthMax: Int = ProviderLimits.nameLengthMax
    ) -> String? {
        // A character may be any number of scalars; no name needs more bytes than this.
        let bytesPerCharacter = 4
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let name = kept(line, bytesMax: lengthMax * bytesPerCharacter) else { return nil }
        return String(name.prefix(lengthMax))
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\n" || scalar == "\t"
        default: true
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
