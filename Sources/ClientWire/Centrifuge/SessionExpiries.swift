import HeapModule

/// When the rights to a connection and to its subscriptions end, in milliseconds of the session's
/// clock. Most have no end and take no memory.
struct SessionExpiries {
    private static let never = Int64.max

    private struct End: Comparable {
        let instant: Int64
        let topic: Topic

        static func < (left: End, right: End) -> Bool {
            (left.instant, left.topic.name) < (right.instant, right.topic.name)
        }
    }

    /// When the connection ends; negative for an instant at which the caller decides about it. One number for
    /// both, since a hub holds very many sessions.
    private var connection = never
    private var subscriptions: [Topic: Int64] = [:]
    /// The ends of the subscriptions, and former ends that `dropFormer` has not removed. The first is
    /// that of a subscription.
    private var ends = Heap<End>()

    /// When something ends next; nil for never.
    var next: Int64? {
        let own = connection < 0 ? -connection : connection
        let earliest = min(own, ends.min?.instant ?? Self.never)
        return earliest == Self.never ? nil : earliest
    }

    func hasConnectionExpired(now: Int64) -> Bool {
        connection >= 0 && now >= connection && connection != Self.never
    }

    /// Nil for never. Replaces the end of the connection.
    mutating func setDecision(_ instant: Int64?) {
        connection = instant.map { -max(1, $0) } ?? Self.never
    }

    /// Returns whether the time of the decision has come, once.
    mutating func takeDecision(now: Int64) -> Bool {
        guard connection < 0, now >= -connection else { return false }
        connection = Self.never
        return true
    }

    /// Nil for never. Replaces the time of a decision.
    mutating func setConnection(_ end: Int64?) { connection = end ?? Self.never }

    /// Nil for never, or for a subscription that is over.
    ///
    /// - Complexity: O(log n) on average, for n subscriptions that end.
    mutating func setSubscription(_ topic: Topic, _ end: Int64?) {
        guard subscriptions[topic] != end else { return }
        subscriptions[topic] = end
        if let end { ends.insert(End(instant: end, topic: topic)) }
        dropFormer()
    }

    /// Removes the subscriptions that have ended, the longest ended first.
    mutating func takeExpiredSubscriptions(now: Int64) -> [Topic] {
        var expired: [Topic] = []
        while let end = ends.min, now >= end.instant {
            expired.append(end.topic)
            subscriptions[end.topic] = nil
            dropFormer()
        }
        return expired
    }

    private func isFormer(_ end: End) -> Bool { subscriptions[end.topic] != end.instant }

    /// Removes former ends that come first, and all of them when they outnumber the others.
    private mutating func dropFormer() {
        while let end = ends.min, isFormer(end) { ends.removeMin() }
        guard ends.count > 2 * subscriptions.count else { return }
        ends = Heap(ends.unordered.filter { !isFormer($0) })
    }
}
