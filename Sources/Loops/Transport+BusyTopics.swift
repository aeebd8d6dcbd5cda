/// A topic with its rates and its subscribers.
package struct BusyTopic: Sendable, Equatable {
    package let rates: BusyTopics.Rates
    /// On this node.
    package let subscriberCount: Int
}

extension Transport {
    /// Returns the busiest topics, at most `countMax`, and the seconds that their rates are of.
    /// They are counted from now on, for as long as they are asked for.
    ///
    /// - Parameter isMeant: whether a topic may be in the answer. Reserved topics never are.
    package func busyTopics(
        countMax: Int,
        where isMeant: (Topic) -> Bool
    ) async -> (seconds: Double, topics: [BusyTopic]) {
        let watched = await loops[0].perform { loop in
            let now = loop.milliseconds
            return (counts: loop.fanOut.watchBusyTopics(now: now), now: now)
        }
        let rules = rules
        // Not on the loop, which it would keep from its clients.
        var counts = watched.counts
        let (seconds, rates) = counts.rates(now: watched.now)
        let meant = rates.filter { !rules.isReserved($0.topic) && isMeant($0.topic) }
        let listed = Array(meant.prefix(countMax))
        let subscribers = await onEachLoop { loop in
            listed.map { loop.hub.subscriberCount(of: $0.topic) }
        }
        let topics = listed.indices.map { index in
            BusyTopic(
                rates: listed[index],
                subscriberCount: subscribers.reduce(0) { $0 + $1[index] }
            )
        }
        return (seconds, topics)
    }
}
