import Alerts

/// Alerts, as `/metrics` tells of them.
///
/// By domain, the first word of the types of an alert's events: the name of a configured namespace, so there are
/// few of them.
package struct AlertCounts: Sendable {
    package var standing = StandingAlerts()
    package var transitions = AlertTransitionCounts()
    package var passedOver: [PassedOver: [AlertOwner.Kind: UInt64]] = [:]

    package init(
        standing: StandingAlerts = StandingAlerts(),
        transitions: AlertTransitionCounts = AlertTransitionCounts(),
        passedOver: [PassedOver: [AlertOwner.Kind: UInt64]] = [:]
    ) {
        self.standing = standing
        self.transitions = transitions
        self.passedOver = passedOver
    }

    /// Why publications were not evaluated by any rule.
    package enum PassedOver: String, Sendable, CaseIterable {
        /// Too many publications waited.
        case waiting
        /// Rules look at too many topics, and the publication's has no place.
        case topics
        /// The store did not take what came of them.
        case store
        /// The payload is not a JSON object, or the stored row is damaged.
        case unreadable
        /// After a crash the history did not reach back to them.
        case trimmed
    }

    /// In order.
    package var domains: [String] {
        Set(standing.counts.keys).union(transitions.counts.keys).sorted()
    }
}

/// Alerts that were raised and are not cleared yet.
package struct StandingAlerts: Sendable, Equatable {
    /// By domain. One that has rules and no alert is there, too.
    package private(set) var counts: [String: [AlertSeverity: Int]] = [:]

    package mutating func add(_ board: AlertBoard) {
        var count = counts[board.subject.domain, default: [:]]
        for severity in board.standingSeverities { count[severity, default: 0] += 1 }
        counts[board.subject.domain] = count
    }
}

/// How often alerts were raised, became more severe, and were cleared.
package struct AlertTransitionCounts: Sendable, Equatable {
    /// By domain.
    package private(set) var counts: [String: [AlertTransition.Kind: UInt64]] = [:]

    package init(counts: [String: [AlertTransition.Kind: UInt64]] = [:]) {
        self.counts = counts
    }

    package var isEmpty: Bool { counts.isEmpty }

    package mutating func add(_ transitions: [AlertTransition], of domain: String) {
        for transition in transitions {
            counts[domain, default: [:]][transition.kind, default: 0] += 1
        }
    }

    package static func += (sum: inout AlertTransitionCounts, other: AlertTransitionCounts) {
        for (domain, kinds) in other.counts {
            sum.counts[domain, default: [:]].merge(kinds, uniquingKeysWith: +)
        }
    }
}
