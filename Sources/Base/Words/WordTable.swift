// Words: tables of words and names, in the one text format of all of them.

/// Why a text is no table: `events.txt:12: unknown section "legal"`.
package struct WordTableError: Error, Equatable, CustomStringConvertible {
    package let table: String
    /// From 1; nil for the table as a whole.
    package let line: Int?
    package let problem: String

    package var description: String {
        "\(table)\(line.map { ":\($0)" } ?? ""): \(problem)"
    }
}

/// A table of words or names, in sections.
///
/// A line is a section's name in brackets, an entry, a comment that begins with `#`, or empty. An
/// entry is a word or a phrase, or several of them with `=` between them:
///
///     # Kinds of companies, right before their name.
///     [roles]
///     airline
///
///     [hints]
///     nike=shoe=shoes
///
/// A section is not empty, and not in the table twice. The first word or phrase of an entry is not
/// in its section twice. One space is between the words of a phrase, and none around it.
///
/// The table keeps its text. The entries are made at each call.
package struct WordTable: Sendable {
    private struct Section {
        let name: String
        /// Of the name.
        let line: Int
        /// Of the first entry.
        var firstLine = 0
        /// From the first entry to the last.
        var text: Substring = ""
    }

    private let name: String
    private var parts: [Section] = []

    /// In the order of the table.
    package var sections: [String] { parts.map(\.name) }

    /// - Parameters:
    ///   - name: of the file, for errors.
    ///   - sections: those that the table must have; nil for any.
    /// - Complexity: O(bytes)
    package init(
        name: String,
        _ text: String,
        sections: [String]? = nil
    ) throws(WordTableError) {
        self.name = name
        func error(_ line: Int?, _ problem: String) -> WordTableError {
            WordTableError(table: name, line: line, problem: problem)
        }
        var keys: Set<Substring> = []
        for (index, line) in WordTable.lines(of: text[...]).enumerated() {
            if line.utf8.first == UInt8(ascii: "[") {
                try add(section: line, index + 1, sections)
                keys = []
            } else if WordTable.isEntry(line) {
                guard !parts.isEmpty else { throw error(index + 1, "entry before a section") }
                let fields = WordTable.fields(of: line)
                guard fields.allSatisfy(WordTable.isTrimmed) else {
                    throw error(index + 1, "empty word, or space around it")
                }
                guard keys.insert(fields[0]).inserted else {
                    throw error(index + 1, "\"\(fields[0])\" is in the section twice")
                }
                append(line, index + 1)
            }
        }
        try checkLast()
        for section in sections ?? [] where !self.sections.contains(section) {
            throw error(nil, "no section \"\(section)\"")
        }
    }

    /// A table within the program. Tests read each of them, so an error is one of the program.
    ///
    /// - Parameters:
    ///   - name: of the file.
    ///   - text: in UTF-8, with a zero byte at its end.
    package init(
        embedded name: UnsafePointer<CChar>,
        _ text: UnsafePointer<CChar>,
        sections: [String]? = nil
    ) {
        let name = String(cString: name)
        guard let text = String(validatingCString: text) else {
            preconditionFailure("\(name): no UTF-8")
        }
        do {
            try self.init(name: name, text, sections: sections)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Entries

    /// The words and phrases of a section, each an entry.
    ///
    /// - Precondition: The table has the section, whose entries are one word or phrase each.
    package func words(_ section: String) -> [String] {
        entries(of: section).map { line, fields in
            precondition(fields.count == 1, "\(name):\(line): more than one word or phrase")
            return String(fields[0])
        }
    }

    /// The words and phrases of the entries of a section.
    ///
    /// - Precondition: The table has the section.
    package func rows(_ section: String) -> [[String]] {
        entries(of: section).map { $0.fields.map(String.init) }
    }

    private func entries(of section: String) -> [(line: Int, fields: [Substring])] {
        guard let part = parts.first(where: { $0.name == section }) else {
            preconditionFailure("\(name): no section \"\(section)\"")
        }
        return WordTable.lines(of: part.text).enumerated().filter { WordTable.isEntry($1) }
            .map { (part.firstLine + $0, WordTable.fields(of: $1)) }
    }

    // MARK: Reading

    private mutating func add(
        section line: Substring,
        _ number: Int,
        _ expected: [String]?
    ) throws(WordTableError) {
        try checkLast()
        func error(_ problem: String) -> WordTableError {
            WordTableError(table: name, line: number, problem: problem)
        }
        let section = line.dropFirst().prefix { $0 != "]" }
        guard WordTable.isTrimmed(section), line == "[\(section)]" else {
            throw error("not a section's name in brackets")
        }
        guard !sections.contains(String(section)) else {
            throw error("section \"\(section)\" is in the table twice")
        }
        guard expected?.contains(String(section)) ?? true else {
            throw error("unknown section \"\(section)\"")
        }
        parts.append(Section(name: String(section), line: number))
    }

    private mutating func append(_ line: Substring, _ number: Int) {
        let last = parts.count - 1
        if parts[last].text.isEmpty {
            parts[last].firstLine = number
            parts[last].text = line
        } else {
            let start = parts[last].text.startIndex
            parts[last].text = Substring(line.base[start..<line.endIndex])
        }
    }

    private func checkLast() throws(WordTableError) {
        guard let last = parts.last, last.text.isEmpty else { return }
        throw WordTableError(
            table: name,
            line: last.line,
            problem: "section \"\(last.name)\" is empty"
        )
    }

    private static func lines(of text: Substring) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(Substring.init)
    }

    private static func fields(of line: Substring) -> [Substring] {
        line.utf8.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            .map(Substring.init)
    }

    private static func isEntry(_ line: Substring) -> Bool {
        line.utf8.first.map { $0 != UInt8(ascii: "#") } ?? false
    }

    /// Whether a text is not empty and has single spaces only, none of them at its ends.
    private static func isTrimmed(_ text: Substring) -> Bool {
        var isAfterSpace = true
        for byte in text.utf8 {
            let isSpace = byte <= UInt8(ascii: " ")
            if isSpace, isAfterSpace || byte != UInt8(ascii: " ") { return false }
            isAfterSpace = isSpace
        }
        return !isAfterSpace
    }
}
