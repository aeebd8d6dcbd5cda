/// The identity of a rule: its name and owner.
///
/// Two users may have rules of one name. As a text it is `name`, or `name@user`: no name has an `@`.
///
/// Keys are compared by their bytes. Swift's `==` treats some texts with different bytes as equal,
/// so that users with such names would share rules.
package struct AlertRuleKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let name: String
    /// The user whose own rule it is; nil for a rule of the operator.
    package let owner: String?

    package init(name: String, owner: String? = nil) {
        self.name = name
        self.owner = owner
    }

    package init(text: String) {
        guard let at = text.firstIndex(of: "@") else {
            self.init(name: text)
            return
        }
        self.init(name: String(text[..<at]), owner: String(text[text.index(after: at)...]))
    }

    package var description: String { owner.map { "\(name)@\($0)" } ?? name }

    package static func == (left: AlertRuleKey, right: AlertRuleKey) -> Bool {
        left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytes)
    }

    /// Of the text, which names one key only.
    private var bytes: [UInt8] { Array(description.utf8) }

    package static func < (left: AlertRuleKey, right: AlertRuleKey) -> Bool {
        (left.name, left.owner ?? "") < (right.name, right.owner ?? "")
    }
}
