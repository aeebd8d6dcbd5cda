import PubSub

/// When the rights to a connection and to its subscriptions end, in milliseconds of the session's
/// clock. Most have no end and take no memory.
struct SessionExpiries: Equatable {
    private static let never = Int64.max

    private var connection = never
    private var subscriptions: [Topic: Int64] = [:]
    /// The earliest of them all.
    private var earliest = never

    /// When something ends next; nil for never.
    var next: Int64? { earliest == Self.never ? nil : earliest }

    func hasConnectionExpired(now: Int64) -> Bool { now >= connection && connection != Self.never }

    /// Nil for never.
    mutating func setConnection(_ end: Int64?) {
        connection = end ?? Self.never
        findEarliest()
    }

    /// Nil for never, or for a subscription that is over.
    ///
    /// - Complexity: O(subscriptions that end) when this one would have ended first, O(1) else.
    mutating func setSubscription(_ topic: Topic, _ end: Int64?) {
        let former = subscriptions[topic]
        subscriptions[topic] = end
        earliest = min(earliest, end ?? Self.never)
        if former == earliest { findEarliest() }
    }

    /// Removes the subscriptions that have ended, the longest ended first.
    mutating func takeExpiredSubscriptions(now: Int64) -> [Topic] {
        guard now >= earliest else { return [] }
        let expired = subscriptions.filter { now >= $0.value }
        guard !expired.isEmpty else { return [] }
        for topic in expired.keys { subscriptions[topic] = nil }
        findEarliest()
        return expired.sorted { ($0.value, $0.key.name) < ($1.value, $1.key.name) }.map(\.key)
    }

    private mutating func findEarliest() {
        earliest = min(connection, subscriptions.values.min() ?? Self.never)
    }
}
