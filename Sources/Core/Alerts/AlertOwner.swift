/// The owner of rules. Boards, bytes and time are shared between owners.
///
/// Users with rules have names that can be part of a topic, so they are visible ASCII, and equal
/// names have equal bytes.
package enum AlertOwner: Sendable, Hashable {
    case `operator`
    case user(String)

    /// - Parameter user: nil for the operator.
    package init(_ user: String?) {
        self = user.map { .user($0) } ?? .operator
    }

    package var user: String? {
        if case .user(let name) = self { name } else { nil }
    }

    /// The kind of owner in metrics and the log.
    package enum Kind: String, Sendable, CaseIterable {
        case `operator`, user
    }

    package var kind: Kind {
        switch self {
        case .operator: .operator
        case .user: .user
        }
    }
}

extension AlertOwner: Comparable {
    /// The operator first, then users by their names.
    package static func < (left: AlertOwner, right: AlertOwner) -> Bool {
        switch (left, right) {
        case (_, .operator): false
        case (.operator, .user): true
        case (.user(let left), .user(let right)): left < right
        }
    }
}
