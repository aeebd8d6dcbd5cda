/// The numbers of topics without a publication, by namespace: subscribers create them by
/// subscribing, so their number is limited.
///
/// Half of the places are shared out evenly: each namespace has its share of them regardless of the
/// others. The other half is for those that need more. So a flood of subscriptions to one namespace
/// cannot refuse those to another.
struct UnpublishedTopics {
    private var counts: [String: Int] = [:]

    /// Of all namespaces.
    private(set) var count = 0

    mutating func add(_ topic: Topic) {
        count += 1
        counts[String(topic.namespace), default: 0] += 1
    }

    mutating func remove(_ topic: Topic) {
        count -= 1
        let left = counts[String(topic.namespace), default: 0] - 1
        assert(left >= 0)
        counts[String(topic.namespace)] = left > 0 ? left : nil
    }

    /// Whether one more topic of the same namespace may come into being.
    ///
    /// - Complexity: O(1) within a namespace's share, O(namespaces) beyond it.
    func hasRoom(for topic: Topic, countMax: Int, namespaceCount: Int) -> Bool {
        let share = countMax / 2 / max(1, namespaceCount)
        if counts[String(topic.namespace), default: 0] < share { return true }
        let common = countMax - share * namespaceCount
        return counts.values.reduce(0) { $0 + max(0, $1 - share) } < common
    }
}
