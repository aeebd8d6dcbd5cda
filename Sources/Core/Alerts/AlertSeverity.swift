/// The severity of an alert, in ascending order.
package enum AlertSeverity: String, Sendable, Codable, CaseIterable, Comparable {
    case info, warning, critical

    package static func < (left: AlertSeverity, right: AlertSeverity) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .critical: 2
        }
    }
}

/// A bound from which on an alert is more severe than its rule's severity.
package struct AlertEscalation: Sendable, Equatable {
    package let severity: AlertSeverity
    package let when: AlertExpression

    package init(severity: AlertSeverity, when: AlertExpression) {
        self.severity = severity
        self.when = when
    }
}
