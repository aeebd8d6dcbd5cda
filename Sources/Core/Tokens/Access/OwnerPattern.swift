/// The pattern of a user's own topics: `activity:{userId}`, or `inbox:{userId}:*` for all below.
///
/// `{userId}` matches exactly one part of the name, between colons. A user whose identifier has a
/// `:` owns no topics: otherwise `1:2` would own topics below `inbox:1`, or the user `1` those of
/// `1:2`. Names are compared byte by byte: see `hasSameBytes`.
package struct OwnerPattern: Sendable, Hashable {
    package static let placeholder = "{userId}"

    /// With the colon before the placeholder; empty when there is nothing.
    private let prefix: String
    /// With the colon behind the placeholder; empty when there is nothing.
    private let suffix: String
    /// Whether anything may follow `suffix`, which then ends with a colon.
    private let isOpen: Bool

    /// Nil for a text that has not exactly one `{userId}` as a part of its own behind another part, or
    /// that has a `*` anywhere but as the last part, or that could not be a topic.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isOpen = parts.last == "*"
        let fixed = isOpen ? parts.dropLast() : parts[...]
        // The first part is the namespace, which does not belong to a user.
        guard let own = fixed.firstIndex(where: { $0 == Self.placeholder }), own > 0,
            fixed.enumerated().allSatisfy({ $0.offset == own || Self.isFixed($0.element) }),
            (try? Topic(text)) != nil
        else { return nil }
        prefix = fixed[..<own].map { $0 + ":" }.joined()
        suffix = fixed[(own + 1)...].map { ":" + $0 }.joined() + (isOpen ? ":" : "")
        self.isOpen = isOpen
    }

    package func owns(_ user: String, _ topic: Topic) -> Bool {
        guard !user.isEmpty, !user.utf8.contains(UInt8(ascii: ":")) else { return false }
        let own = (prefix + user + suffix).utf8
        // A text below has to be there: `inbox:7:` is no topic of the user 7's.
        return topic.name.utf8.starts(with: own)
            && (isOpen ? topic.name.utf8.count > own.count : topic.name.utf8.count == own.count)
    }

    private static func isFixed(_ part: Substring) -> Bool {
        !part.isEmpty && !part.contains { "{}*".contains($0) }
    }
}
