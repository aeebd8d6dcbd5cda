/// The busiest topics. Every loop receives every publication, so only one loop counts them, and only
/// while they are watched: see `BusyTopics`.
extension Loop {
    /// Counts publications of one topic. Call it only if `busyTopics` is not nil.
    func noteBusy(_ topic: Topic, _ run: ArraySlice<Publication>) {
        guard busyTopics?.isWatched(now: milliseconds) == true else {
            busyTopics = nil
            return
        }
        busyTopics?.add(
            topic,
            publications: run.count,
            bytes: run.reduce(0) { $0 + $1.payload.count },
            now: milliseconds
        )
    }

    /// Watches the busiest topics, and returns their counts so far, with the time of this turn.
    fileprivate func watchBusyTopics() -> (counts: BusyTopics, now: Int64) {
        let now = milliseconds
        var counts = busyTopics ?? BusyTopics(now: now)
        if !counts.isWatched(now: now) { counts = BusyTopics(now: now) }
        counts.watch(now: now)
        busyTopics = counts
        return (counts, now)
    }
}

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
        let watched = await loops[0].perform { $0.watchBusyTopics() }
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
