import Topics

/// What a hub that starts is given.
extension Ledger {
    struct LoadedTopic {
        var topic: Topic
        var beginning: UInt64
        var topOffset: UInt64
        var evictedOffset: UInt64
        var evictedCursor: UInt64
        var publications: [Publication]
    }

    /// The newest publications of every topic within its limits, as `HubStore.loadTopics` answers them.
    func load(now: Timestamp) -> [LoadedTopic] {
        Topics.all.indices.map { index in
            let limit = Topics.limit(index)
            let all = durable.topics[index]
            let erased = durable.erased[index]
            var first = all.count
            let removed = Int(durable.removedThrough[index])
            while first > removed, all.count - first < limit.count {
                let oldest = all[first - 1]
                if let age = limit.age, oldest.time < now - age, !erased.contains(oldest.offset) {
                    break
                }
                first -= 1
            }
            let evicted = all[..<first].last { !erased.contains($0.offset) }
            return LoadedTopic(
                topic: Topics.all[index],
                beginning: durable.beginnings[index],
                topOffset: UInt64(all.count),
                evictedOffset: evicted?.offset ?? 0,
                evictedCursor: evicted?.cursor ?? durable.formerCursors[index],
                publications: all[first...].filter { !erased.contains($0.offset) }
            )
        }
    }
}
