/// Histories that are in the store and not in memory. A loop requests them, and keeps them while it
/// reads them.
extension LoopTopics {
    /// Whether the history of a topic is only in the store, or from a later time. It counts as empty
    /// then.
    package func isElsewhere(_ topic: Topic) -> Bool {
        histories.isElsewhere(topic, at: newestCursor)
    }

    /// Whether the history of a topic has to be requested before it is read. If it has not, it stays
    /// here until it is released: see `takeKept`.
    package mutating func mustRequest(_ topic: Topic) -> Bool {
        guard let reader else { return isElsewhere(topic) }
        switch histories.keep(topic, for: reader, at: newestCursor) {
        case .elsewhere: return true
        case .kept where kept.last != topic: kept.append(topic)
        case .kept, .unneeded: break
        }
        return false
    }

    /// Returns the topics that `mustRequest` has kept since the last call. Release those that no
    /// request needs.
    package mutating func takeKept() -> [Topic] {
        guard !kept.isEmpty else { return [] }
        defer { kept = [] }
        return kept
    }

    /// Asks for the history of a topic. Returns what to wait for; nil if it is here. If it is here, or
    /// when it has come, use it, and then `release` it: until then it stays.
    package func request(_ topic: Topic) -> HistoryTable.Wait? {
        reader.flatMap { histories.request(topic, by: $0, at: newestCursor) }
    }

    package func release(_ topic: Topic) {
        if let reader { histories.release(topic, by: reader) }
    }
}
