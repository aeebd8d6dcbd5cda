/// What tells rules apart: the name, and whose it is.
///
/// Two users may have rules of one name. As a text it is `name`, or `name@user`: no name has an `@`.
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

    package static func < (left: AlertRuleKey, right: AlertRuleKey) -> Bool {
        (left.name, left.owner ?? "") < (right.name, right.owner ?? "")
    }
}
