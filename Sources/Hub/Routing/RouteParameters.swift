import HTTPWire

/// The values of a pattern's parameters, decoded.
package struct RouteParameters: Sendable {
    private var values: [(name: String, value: String)] = []

    /// None.
    package init() {}

    /// The value of a parameter: at least one character, and no NUL. It can have a slash.
    ///
    /// Traps on a name that the pattern does not have.
    package subscript(_ name: String) -> String {
        guard let found = values.first(where: { $0.name == name }) else {
            preconditionFailure("the pattern has no parameter :\(name)")
        }
        return found.value
    }

    /// Takes the segment of a parameter; false when it cannot be decoded.
    mutating func append(_ name: String, encoded segment: Substring) -> Bool {
        guard let value = percentDecodedText(segment) else { return false }
        values.append((name, value))
        return true
    }
}
