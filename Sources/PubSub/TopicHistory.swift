import DequeModule
import Timekeeping

/// The newest publications of one topic, and the numbers that tell a returning subscriber whether
/// they are all that it missed.
///
/// Kept offsets are contiguous and end at `topOffset`; what is below them was evicted by count or
/// age. Eviction is remembered as an offset, for subscribers of this topic, and as a cursor, for
/// readers of many topics.
package struct TopicHistory: Sendable {
    package let epoch: String
    package private(set) var limit: HistoryLimit
    package private(set) var recovery: RecoveryMode
    /// The offset of the newest publication; 0 before the first.
    package private(set) var topOffset: UInt64
    /// The cursor of the newest evicted publication; 0 when nothing was evicted.
    package private(set) var evictedCursor: UInt64
    /// Oldest first.
    private(set) var kept: Deque<Publication>

    /// A topic without publications.
    ///
    /// - Parameter evictedCursor: the last cursor of a time of which nothing is known; 0 when the topic
    ///   is known to be new.
    package init(
        epoch: String,
        limit: HistoryLimit,
        recovery: RecoveryMode = .stream,
        evictedCursor: UInt64 = 0
    ) {
        self.epoch = epoch
        self.limit = limit
        self.recovery = recovery
        self.evictedCursor = evictedCursor
        topOffset = 0
        kept = []
    }

    /// A topic as the store has it; `limit` is applied at once, as far as it counts.
    ///
    /// - Parameter publications: oldest first; the last one has `topOffset`. May be empty.
    package init(
        epoch: String,
        limit: HistoryLimit,
        recovery: RecoveryMode = .stream,
        topOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) {
        try Self.check(publications, topOffset: topOffset, evictedCursor: evictedCursor)
        self.epoch = epoch
        self.limit = limit
        self.recovery = recovery
        self.topOffset = topOffset
        self.evictedCursor = evictedCursor
        kept = Deque(publications)
        evictExcess()
    }

    package var position: Position { Position(offset: topOffset, epoch: epoch) }

    /// How many publications are kept.
    package var count: Int { kept.count }

    /// The offset of the newest evicted publication; 0 when nothing was evicted.
    package var evictedOffset: UInt64 { topOffset - UInt64(kept.count) }

    /// The cursor of the newest publication that was ever here; 0 before the first.
    package var newestCursor: UInt64 { kept.last?.cursor ?? evictedCursor }

    /// Takes the next publication; the oldest one leaves if the limit of count demands it.
    package mutating func append(_ publication: Publication) {
        precondition(publication.offset == topOffset + 1, "offset \(publication.offset) not next")
        precondition(publication.cursor > newestCursor, "cursor \(publication.cursor) not greater")
        topOffset = publication.offset
        kept.append(publication)
        evictExcess()
    }

    /// Keeps as much from here on as other settings say; what is over their limit of count leaves at once.
    package mutating func use(_ settings: NamespaceSettings) {
        limit = settings.history
        recovery = settings.recovery
        evictExcess()
    }

    /// Evicts what is older than the limit of age allows.
    package mutating func trim(now: Timestamp) {
        guard let age = limit.age else { return }
        let oldestTime = now - age
        while let oldest = kept.first, oldest.time < oldestTime { evictOldest() }
    }

    /// Evicts what is up to this offset.
    package mutating func remove(through offset: UInt64) {
        while evictedOffset < offset, !kept.isEmpty { evictOldest() }
    }

    /// The newest publications, at most `count`, oldest first.
    package func newest(_ count: Int) -> [Publication] {
        Array(kept.suffix(count))
    }

    /// The publication with this offset; nil when it is not kept.
    package func publication(at offset: UInt64) -> Publication? {
        guard offset > evictedOffset, offset <= topOffset else { return nil }
        return kept[Int(offset - evictedOffset - 1)]
    }

    /// What came after `since`. Of a history whose newest publication says all that matters, that one
    /// is everything, also for a position of another epoch.
    ///
    /// - Parameter bytesMax: when the publications together are longer on the wire, the oldest are left
    ///   out, and the answer is a gap.
    /// - Complexity: O(publications in the answer).
    package func recover(since: Position, bytesMax: Int = .max) -> Recovery {
        if recovery == .cache { return recoverNewest(since: since) }
        guard since.epoch == epoch, since.offset <= topOffset else { return .otherEpoch }
        let wanted = Int(topOffset - max(since.offset, evictedOffset))
        let available = suffix(wanted, bytesMax: bytesMax)
        let firstAvailable = topOffset - UInt64(available.count) + 1
        guard firstAvailable > since.offset + 1 else { return .complete(available) }
        return .gap(available: available, missing: since.offset + 1...firstAvailable - 1)
    }

    /// What came after a cursor.
    ///
    /// - Complexity: O(publications kept).
    package func publications(afterCursor cursor: UInt64) -> CursorRecovery {
        guard cursor >= evictedCursor else {
            return .gap(available: Array(kept), through: evictedCursor)
        }
        return .complete(kept.filter { $0.cursor > cursor })
    }

    private func recoverNewest(since: Position) -> Recovery {
        guard since.epoch == epoch, since.offset == topOffset else {
            return kept.isEmpty ? .otherEpoch : .complete(newest(1))
        }
        return .complete([])
    }

    private func suffix(_ count: Int, bytesMax: Int) -> [Publication] {
        var length = 0
        var first = kept.count
        let firstWanted = kept.count - count
        while first > firstWanted {
            length += kept[first - 1].wireLength
            guard length <= bytesMax else { break }
            first -= 1
        }
        return Array(kept[first...])
    }

    private mutating func evictExcess() {
        while kept.count > limit.count { evictOldest() }
    }

    private mutating func evictOldest() {
        evictedCursor = kept.removeFirst().cursor
    }

    private static func check(
        _ publications: [Publication],
        topOffset: UInt64,
        evictedCursor: UInt64
    ) throws(RestoreError) {
        guard UInt64(publications.count) <= topOffset else {
            throw .tooMany(count: publications.count, topOffset: topOffset)
        }
        var offset = topOffset - UInt64(publications.count)
        var cursor = evictedCursor
        for publication in publications {
            guard publication.offset == offset + 1 else {
                throw .offset(publication.offset, expected: offset + 1)
            }
            guard publication.cursor > cursor else {
                throw .cursor(publication.cursor, after: cursor)
            }
            offset = publication.offset
            cursor = publication.cursor
        }
    }
}

/// Why a stored history can't be the past of a topic.
package enum RestoreError: Error, Equatable, CustomStringConvertible {
    case tooMany(count: Int, topOffset: UInt64)
    case offset(UInt64, expected: UInt64)
    case cursor(UInt64, after: UInt64)
    case restoredTwice

    package var description: String {
        switch self {
        case .tooMany(let count, let topOffset):
            "\(count) publications in a topic with top offset \(topOffset)"
        case .offset(let offset, let expected):
            "offset \(offset) where \(expected) was expected"
        case .cursor(let cursor, let previous):
            "cursor \(cursor) after cursor \(previous)"
        case .restoredTwice:
            "topic restored twice"
        }
    }
}
