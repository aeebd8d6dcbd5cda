// FuzzKit: what a fuzz target is, and what the checks of all targets share.

/// One reader of outside bytes and what it may do with any of them.
///
/// Allowed are a result and a documented error, nothing else: a trap ends the process, and a result
/// that breaks an invariant throws a `Violation`. `check` depends on nothing but its bytes, so that
/// a found input fails again wherever it is run.
package struct FuzzTarget: Sendable {
    /// As it is given to `make fuzz`, and the name of its folder of seeds in Corpus.
    package let name: String
    /// Of an input, in bytes. Enough for every limit that the target's check sets, and no more:
    /// long inputs are slow and find little.
    package let lengthMax: Int
    /// The file in Dictionaries with the words of the format.
    package let dictionary: String
    package let check: @Sendable ([UInt8]) throws -> Void

    package init(
        _ name: String,
        lengthMax: Int,
        dictionary: String,
        check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        precondition(lengthMax > 0)
        self.name = name
        self.lengthMax = lengthMax
        self.dictionary = dictionary
        self.check = check
    }
}

/// An invariant that did not hold.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// Throws unless `condition` holds.
package func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String
) throws(Violation) {
    guard condition else { throw Violation(description: message()) }
}

/// Errors go to logs and to peers: one line, and not the peer's whole input again.
package func checkDescription(_ text: String) throws(Violation) {
    let lengthMax = 400
    try expect(text.utf8.count <= lengthMax, "description of \(text.utf8.count) bytes")
    try expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "control character in \(text)")
}
