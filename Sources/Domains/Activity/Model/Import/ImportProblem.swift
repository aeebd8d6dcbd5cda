/// Something in a catalogue that was not taken, and why.
package struct ImportProblem: Sendable, Equatable, CustomStringConvertible {
    /// Only its name.
    package let file: String
    /// Counted from 1; nil for a file without lines.
    package let line: Int?
    package let message: String

    package init(file: String, line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    package var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}

/// Why a catalogue cannot be imported at all.
package struct ImportError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Why one row or document is not taken; its reader adds the place.
package struct RowError: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
