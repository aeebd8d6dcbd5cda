/// Makes text from others safe for a terminal.
enum TerminalText {
    /// Returns a text without line breaks and control characters. JSON keeps its meaning.
    static func oneLine(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: line.unicodeScalars.append(" ")
            case 0x00...0x1F, 0x7F...0x9F:
                let digits = String(scalar.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    static func oneLine(_ json: ArraySlice<UInt8>) -> String {
        oneLine(String(decoding: json, as: UTF8.self))
    }

    /// Returns rows with aligned columns.
    static func table(_ rows: [[String]]) -> String {
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
