/// The values of a pattern's parameters, decoded.
package struct RouteParameters: Sendable {
    private var values: [(name: String, value: String)] = []

    /// Creates an empty list.
    package init() {}

    /// Returns the value of a parameter: at least one character, and no NUL. It may contain a
    /// slash.
    ///
    /// Traps on a name that the pattern does not have.
    package subscript(_ name: String) -> String {
        guard let found = values.first(where: { $0.name == name }) else {
            preconditionFailure("the pattern has no parameter :\(name)")
        }
        return found.value
    }

    /// Appends the decoded segment of a parameter; returns false if it cannot be decoded.
    mutating func append(_ name: String, encoded segment: Substring) -> Bool {
        guard let value = percentDecodedText(segment) else { return false }
        values.append((name, value))
        return true
    }
}
