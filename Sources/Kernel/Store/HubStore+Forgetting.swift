import GRDB
import PubSub
import Timekeeping

extension HubStore {
    /// Topics looked at in one snapshot, and forgotten by one write.
    private static let topicsPerPage = 256

    /// Forgets the topics of which nothing is left and that nobody uses: their versions, keys and counters go,
    /// and offsets begin at 1 in another epoch should they come back.
    ///
    /// A topic is quiet when no publication of it has a row, and the last one is older than `quietTime`.
    /// It is found by a reader, then `unused` is asked, then the writer looks again: what was published
    /// meanwhile keeps its topic. The forgetting handler is told in the order of commits; a subscriber
    /// that came meanwhile is for it to look after. Not to be called while `trimPublications` or another
    /// call of this runs: they know topics by numbers, which are given again.
    ///
    /// - Parameters:
    ///   - now: the time of the events' clock.
    ///   - quietTime: for how long a topic has to have been quiet, and no history of it can be left in memory; nil for a topic
    ///     that is never forgotten. An idempotency key is remembered for its time all the same.
    ///   - unused: of the topics that it is given, those that nobody is subscribed to.
    /// - Returns: how many topics were forgotten.
    @discardableResult
    package func forgetTopics(
        now: Timestamp,
        quietTime: @escaping @Sendable (Topic) -> Duration?,
        unused: ([Topic]) async -> [Topic]
    ) async throws -> Int {
        let window = limits.idempotencyWindow
        let limit: @Sendable (Topic) -> Timestamp? = { topic in
            quietTime(topic).map { now - max($0, window) }
        }
        let durable = try await forgetDurableTopics(now: now, limit: limit, unused: unused)
        return try await durable
            + forgetMemoryTopics(latest: now - window, limit: limit, unused: unused)
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
            let page = try await reading { database in
                try QuietPage(database, after: id, countMax: Self.topicsPerPage) { topic in
                    isDurable(topic) ? limit(topic) : nil
                }
            }
            if !page.ofUnknownTime.isEmpty { try await note(page.ofUnknownTime, quietSince: now) }
            sum += try await forget(page.quiet, unused: unused)
            lastID = page.lastID
        }
        return sum
    }

    /// A file of a former version did not tell when its topics spoke last.
    private func note(_ topicIDs: [Int64], quietSince now: Timestamp) async throws {
        _ = try await write { database in
            for id in topicIDs {
                try database.run(SQL.setUnknownPastTime, [now.milliseconds, id])
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
        let quiet = await onWriter { writer, database in
            writer.quietMemoryTopics(latest: latest, in: database) { topic in
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

/// What may be forgotten of some topics.
private struct QuietPage: Sendable {
    private(set) var quiet: [QuietTopic] = []
    /// Topics without rows of which nobody knows since when.
    private(set) var ofUnknownTime: [Int64] = []
    /// Where to go on; nil when there were no more topics.
    private(set) var lastID: Int64?

    init(
        _ database: Database,
        after id: Int64,
        countMax: Int,
        limit: (Topic) -> Timestamp?
    ) throws {
        for row in try TopicRow.fetchPage(database, after: id, count: countMax) {
            lastID = row.id
            guard let before = limit(row.topic) else { continue }
            if let time = row.pastTime, time >= before { continue }
            guard try !row.hasPublications(in: database) else { continue }
            if row.pastTime == nil {
                ofUnknownTime.append(row.id)
            } else {
                quiet.append(QuietTopic(topic: row.topic, before: before))
            }
        }
    }
}
