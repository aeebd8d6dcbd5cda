import Alerts

/// Alerts, as `/metrics` tells of them.
///
/// By domain, the first word of the types of an alert's events: the name of a configured namespace, so there are
/// few of them.
struct AlertCounts: Sendable {
    var standing = StandingAlerts()
    var transitions = AlertTransitionCounts()
    var passedOver: [PassedOver: [AlertOwner.Kind: UInt64]] = [:]

    /// Why publications were not looked at by any rule.
    enum PassedOver: String, Sendable, CaseIterable {
        /// Too much waited to be looked at.
        case waiting
        /// Rules look at too many topics, and the publication's is none of those that have a place.
        case topics
        /// The store did not take what came of them.
        case store
    }

    /// In order.
    var domains: [String] {
        Set(standing.counts.keys).union(transitions.counts.keys).sorted()
    }
}

/// Alerts that were raised and are not cleared yet.
struct StandingAlerts: Sendable, Equatable {
    /// By domain. One that has rules and no alert is there, too.
    private(set) var counts: [String: [AlertSeverity: Int]] = [:]

    mutating func add(_ board: AlertBoard) {
        var count = counts[board.subject.domain, default: [:]]
        for severity in board.standingSeverities { count[severity, default: 0] += 1 }
        counts[board.subject.domain] = count
    }
}

/// How often alerts were raised, became more severe, and were cleared.
struct AlertTransitionCounts: Sendable, Equatable {
    /// By domain.
    private(set) var counts: [String: [AlertTransition.Kind: UInt64]] = [:]

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ transitions: [AlertTransition], of domain: String) {
        for transition in transitions {
            counts[domain, default: [:]][transition.kind, default: 0] += 1
        }
    }

    static func += (sum: inout AlertTransitionCounts, other: AlertTransitionCounts) {
        for (domain, kinds) in other.counts {
            sum.counts[domain, default: [:]].merge(kinds, uniquingKeysWith: +)
        }
    }
}
