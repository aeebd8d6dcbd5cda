extension HubStore {
    /// Topics read in one snapshot, and deleted by one write.
    private static let topicsPerPage = 256

    /// Deletes quiet topics without subscribers: their versions, keys and counters. If such a topic
    /// is used again, its offsets begin at 1 in another epoch.
    ///
    /// A topic is quiet when no publication of it has a row, and the last one is older than
    /// `quietTime`. A reader finds it, then `unused` is called, then the writer checks again: a
    /// publication made meanwhile keeps its topic. The forgetting handler is called in the order of
    /// commits; it is responsible for a client that has subscribed meanwhile. Do not call while
    /// `trimPublications` or another call of this runs: they identify topics by numbers, which are
    /// reused.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock.
    ///   - quietTime: the time for which a topic must have been quiet, after which no history of it
    ///     can be left in memory; nil for a topic that is never deleted. An idempotency key is
    ///     still kept for its time, except with zero.
    ///   - unused: returns those of the given topics that have no subscribers.
    /// - Returns: the number of deleted topics.
    @discardableResult
    package func forgetTopics(
        now: Timestamp,
        quietTime: @escaping @Sendable (Topic) -> Duration?,
        unused: ([Topic]) async -> [Topic]
    ) async throws -> Int {
        let window = limits.idempotencyWindow
        let limit: @Sendable (Topic) -> Timestamp? = { topic in
            quietTime(topic).map { $0 == .zero ? now : now - max($0, window) }
        }
        // Memory topics need no file: its failure must not keep them.
        let durable: Result<Int, any Error>
        do {
            durable = .success(
                try await forgetDurableTopics(now: now, limit: limit, unused: unused)
            )
        } catch {
            durable = .failure(error)
        }
        let inMemory = try await forgetMemoryTopics(
            latest: now,
            limit: limit,
            unused: unused
        )
        return try durable.get() + inMemory
    }

    /// Returns the topics with publications, stored or in memory, that fulfil a condition.
    ///
    /// - Complexity: O(topics), in small pieces for those that are stored.
    package func topics(
        where isWanted: @escaping @Sendable (Topic) -> Bool
    ) async throws -> [Topic] {
        var found: [Topic] = []
        var row: Int64? = 0
        while let after = row {
            let page = try await listTopics(afterRow: after, count: Self.topicsPerPage)
            found += page.topics.map(\.topic).filter(isWanted)
            row = page.next
        }
        let isDurable = durability
        let inMemory = await onWriter { writer, session in
            let all = Timestamp(milliseconds: .max)
            return writer.quietMemoryTopics(latest: all, in: session) { topic in
                !isDurable(topic) && isWanted(topic) ? all : nil
            }
        }
        return found + inMemory.map(\.topic)
    }

    private func forgetDurableTopics(
        now: Timestamp,
        limit: @escaping @Sendable (Topic) -> Timestamp?,
        unused: ([Topic]) async -> [Topic]
    ) async throws -> Int {
        let isDurable = durability
        var sum = 0
        var lastID: Int64? = 0
        while let id = lastID {
            let page = try await reading { session in
                try QuietPage(session, after: id, countMax: Self.topicsPerPage) { topic in
                    isDurable(topic) ? limit(topic) : nil
                }
            }
            notices.reportDamage(page.damaged)
            if !page.ofUnknownTime.isEmpty { try await note(page.ofUnknownTime, quietSince: now) }
            sum += try await forget(page.quiet, unused: unused)
            lastID = page.lastID
        }
        return sum
    }

    /// Files of older versions did not store the time of a topic's last publication.
    private func note(_ topicIDs: [Int64], quietSince now: Timestamp) async throws {
        _ = try await write { session in
            for id in topicIDs {
                try session.run(SQL.setUnknownPastTime, [now.milliseconds, id])
            }
            return Written()
        }
    }

    private func forgetMemoryTopics(
        latest: Timestamp,
        limit: @escaping @Sendable (Topic) -> Timestamp?,
        unused: ([Topic]) async -> [Topic]
    ) async throws -> Int {
        let isDurable = durability
        let quiet = await onWriter { writer, session in
            writer.quietMemoryTopics(latest: latest, in: session) { topic in
                isDurable(topic) ? nil : limit(topic)
            }
        }
        var sum = 0
        var first = 0
        while first < quiet.count {
            let end = min(first + Self.topicsPerPage, quiet.count)
            sum += try await forget(Array(quiet[first..<end]), unused: unused)
            first = end
        }
        return sum
    }

    private func forget(
        _ quiet: [QuietTopic],
        unused: ([Topic]) async -> [Topic]
    ) async throws -> Int {
        guard !quiet.isEmpty else { return 0 }
        let found = Set(await unused(quiet.map(\.topic)))
        let rest = quiet.filter { found.contains($0.topic) }
        guard !rest.isEmpty else { return 0 }
        let length = Change.rowBytes * rest.count
        return try await write(.forgetting(rest), length: length).forgotten.count
    }
}

/// One page of topics that may be deleted.
private struct QuietPage: Sendable {
    private(set) var quiet: [QuietTopic] = []
    /// Topics without rows whose last publication has no known time.
    private(set) var ofUnknownTime: [Int64] = []
    /// Topics that cannot be read.
    private(set) var damaged: [DamagedRow] = []
    /// The position at which the next page begins; nil after the last topic.
    private(set) var lastID: Int64?

    init(
        _ session: SQLSession,
        after id: Int64,
        countMax: Int,
        limit: (Topic) -> Timestamp?
    ) throws {
        let page = try TopicRow.fetchPage(session, after: id, count: countMax)
        lastID = page.lastID
        damaged = page.damaged
        for row in page.readable {
            guard let before = limit(row.topic) else { continue }
            if let time = row.pastTime, time >= before { continue }
            guard try !row.hasPublications(in: session) else { continue }
            if row.pastTime == nil {
                ofUnknownTime.append(row.id)
            } else {
                quiet.append(QuietTopic(topic: row.topic, before: before))
            }
        }
    }
}
