/// One name, such as `aurora.alert.raised`, or all that begin alike, such as `aurora.*`; `*` is
/// every name.
struct NamePattern: Sendable, Hashable {
    let text: String

    /// - Parameter separator: what stands before the `*`: `.` in types, `:` in topics.
    init?(_ text: String, separator: Character) {
        guard (1...255).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.dropLast().contains("*"),
            !text.hasSuffix("*") || text == "*" || text.hasSuffix("\(separator)*")
        else { return nil }
        self.text = text
    }

    func matches(_ name: String) -> Bool {
        text.hasSuffix("*") ? name.hasPrefix(text.dropLast()) : name == text
    }
}
