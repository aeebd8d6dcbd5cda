/// Lists of topics. They are made in slices, because a loop may have hundreds of thousands of
/// topics, and serves no client while it examines them.
extension Transport {
    /// The number of topics that a loop examines at once: well below a millisecond.
    private static let topicsPerSlice = 4096

    package func subscribedTopics(inNamespaces namespaces: Set<String>) async -> [Topic: Int] {
        await subscribedTopics { namespaces.contains(String($0.namespace)) }
    }

    package func subscribedTopics(
        where isMeant: @escaping @Sendable (Topic) -> Bool
    ) async -> [Topic: Int] {
        var counts: [Topic: Int] = [:]
        for loop in loops {
            var next: Int? = 0
            while let first = next {
                let slice = await loop.perform { loop -> Slice in
                    let found = loop.hub.subscribedTopics(
                        from: first,
                        countMax: Transport.topicsPerSlice
                    )
                    let topics = found.topics.filter { isMeant($0.topic) }
                    return Slice(topics: topics, next: found.next)
                }
                for (topic, count) in slice.topics { counts[topic, default: 0] += count }
                next = slice.next
            }
        }
        return counts
    }

    private struct Slice: Sendable {
        let topics: [(topic: Topic, count: Int)]
        let next: Int?
    }
}
