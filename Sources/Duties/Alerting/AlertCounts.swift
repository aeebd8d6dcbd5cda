/// The numbers of alerts in `/metrics`.
///
/// They are grouped by domain, the first word of the types of an alert's events. This is the name
/// of a configured namespace, so there are few of them.
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

    /// The reason for which publications were not evaluated by any rule.
    package enum PassedOver: String, Sendable, CaseIterable {
        /// Too many publications waited.
        case waiting
        /// Rules look at too many topics, and there is no place for the topic of the publication.
        case topics
        /// The results can never be committed.
        case store
        /// The payload is not a JSON object, or the stored row is damaged.
        case unreadable
        /// After a crash, the publications were no longer in the history.
        case trimmed
    }

    /// The domains, sorted.
    package var domains: [String] {
        Set(standing.counts.keys).union(transitions.counts.keys).sorted()
    }
}

/// Alerts that were raised and are not cleared yet.
package struct StandingAlerts: Sendable, Equatable {
    /// The numbers by domain. Domains with rules but without alerts are included.
    package private(set) var counts: [String: [AlertSeverity: Int]] = [:]

    package mutating func add(_ board: AlertBoard) {
        var count = counts[board.subject.domain, default: [:]]
        for severity in board.standingSeverities { count[severity, default: 0] += 1 }
        counts[board.subject.domain] = count
    }
}

/// The numbers of alerts that were raised, became more severe, and were cleared.
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
