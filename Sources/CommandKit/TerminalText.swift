/// Makes text from others safe for a terminal.
///
/// Scalars that control a terminal, break a line or change the direction of the text around them
/// become escapes as in JSON, which thus keeps its meaning.
package enum TerminalText {
    /// Returns a text of several lines with escapes; line feeds and tabs stay.
    package static func visible(_ text: String) -> String {
        escaped(text) { scalar in
            scalar == "\n" || scalar == "\t" ? scalar : nil
        }
    }

    /// Returns a text with escapes and without line breaks.
    package static func oneLine(_ text: String) -> String {
        escaped(text) { scalar in
            scalar == "\n" || scalar == "\t" || scalar == "\r" ? " " : nil
        }
    }

    /// - Parameter substitute: returns nil for a scalar that becomes an escape if it is hidden.
    private static func escaped(
        _ text: String,
        _ substitute: (Unicode.Scalar) -> Unicode.Scalar?
    ) -> String {
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            if let substitute = substitute(scalar) {
                line.unicodeScalars.append(substitute)
            } else if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1.
        case 0x00...0x1F, 0x7F...0x9F: true
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9 §2).
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // The line and the paragraph separator.
        case 0x2028...0x2029: true
        default: false
        }
    }

    package static func oneLine(_ json: ArraySlice<UInt8>) -> String {
        oneLine(String(decoding: json, as: UTF8.self))
    }

    /// Returns rows with aligned columns.
    package static func table(_ rows: [[String]]) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                guard column < row.count - 1 else { continue }
                line += String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
