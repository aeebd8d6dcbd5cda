/// Makes text of peers safe for a line that people read on a terminal.
///
/// All scalars of the general categories Cc, Cf, Zl and Zp are escaped, as `\u{202E}`: scalars that
/// break lines, control a terminal, change the direction of the following text, or are invisible.
enum LogText {
    static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Returns the text with hidden scalars escaped.
    static func visible(_ text: String) -> String {
        // Nearly every line is plain ASCII, for which this check is enough.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if isHidden(scalar) {
                visible += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns a line of JSON with hidden scalars as `\u202E`, which decodes to the same text.
    static func visible(json line: [UInt8]) -> [UInt8] {
        guard line.contains(where: { $0 >= 0x7F }) else { return line }
        var visible: [UInt8] = []
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            if isHidden(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: true)
                    visible += Array("\\u".utf8)
                    visible += Array(
                        (String(repeating: "0", count: 4 - digits.count) + digits).utf8
                    )
                }
            } else {
                visible += Array(String(scalar).utf8)
            }
        }
        return visible
    }
}
