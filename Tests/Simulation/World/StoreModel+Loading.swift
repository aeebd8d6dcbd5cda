import PubSub
import Timekeeping

/// What a hub that starts is given.
extension StoreModel {
    struct LoadedTopic {
        var topic: Topic
        var topOffset: UInt64
        var evictedCursor: UInt64
        var publications: [Publication]
    }

    /// The newest publications of every topic within its limits, as `HubStore.loadTopics` answers them.
    func load(now: Timestamp) -> [LoadedTopic] {
        Topics.all.indices.map { index in
            let limit = Topics.limit(index)
            let all = durable.topics[index]
            var first = all.count
            let removed = Int(durable.removedThrough[index])
            while first > removed, all.count - first < limit.count {
                if let age = limit.age, all[first - 1].time < now - age { break }
                first -= 1
            }
            return LoadedTopic(
                topic: Topics.all[index],
                topOffset: UInt64(all.count),
                evictedCursor: first > 0 ? all[first - 1].cursor : 0,
                publications: Array(all[first...])
            )
        }
    }
}
