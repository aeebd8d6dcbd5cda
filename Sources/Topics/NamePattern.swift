/// One name, such as `aurora:tromso` or `aurora.alert.raised`, or all that begin alike, such as `aurora:*`; `*`
/// is every name.
package struct NamePattern: Sendable, Hashable {
    private let text: String

    /// Nil for a text of more than 255 bytes, with a byte that is not visible ASCII, or with a `*`
    /// that is not at the end after `separator`.
    ///
    /// - Parameter separator: the character before the `*`: `:` in topics, `.` in types of events.
    package init?(_ text: String, separator: Character) {
        guard (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.dropLast().contains("*"),
            !text.hasSuffix("*") || text == "*" || text.hasSuffix("\(separator)*")
        else { return nil }
        self.text = text
    }

    package func matches(_ name: String) -> Bool {
        text.hasSuffix("*") ? name.hasPrefix(text.dropLast()) : name == text
    }
}
