import DequeModule
import Timekeeping

/// The newest publications of one topic, and the numbers that show whether they are all that a
/// returning subscriber missed.
///
/// The limit of count is a span of offsets: of the last `count` of them, the publications are kept.
/// Older publications were evicted; the last of them is stored as an offset, for subscribers of
/// this topic, and as a cursor, for readers of many topics. Publications between `evictedOffset`
/// and `topOffset` are kept or were erased: `erase` leaves holes, which take no space from others.
package struct TopicHistory: Sendable {
    package private(set) var epoch: String
    package private(set) var limit: HistoryLimit
    package private(set) var recovery: RecoveryMode
    /// The offset of the newest publication, kept or not; 0 before the first.
    package private(set) var topOffset: UInt64
    /// The offset of the newest evicted publication; 0 when nothing was evicted.
    package private(set) var evictedOffset: UInt64
    /// The cursor of the newest evicted publication; 0 when nothing was evicted.
    package private(set) var evictedCursor: UInt64
    /// Oldest first.
    private(set) var kept: Deque<Publication>
    /// Of the publications that are kept, as `Publication.wireLength` counts them.
    package private(set) var bytes = 0

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
        evictedOffset = 0
        topOffset = 0
        kept = []
    }

    /// A topic from the store; the limits of count and bytes are applied at once.
    ///
    /// - Parameter publications: oldest first, without evicted and erased ones. May be empty.
    package init(
        epoch: String,
        limit: HistoryLimit,
        recovery: RecoveryMode = .stream,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) {
        try Self.check(publications, above: evictedOffset, evictedCursor, topOffset: topOffset)
        self.epoch = epoch
        self.limit = limit
        self.recovery = recovery
        self.topOffset = topOffset
        self.evictedOffset = evictedOffset
        self.evictedCursor = evictedCursor
        kept = Deque(publications)
        bytes = publications.reduce(0) { $0 + $1.wireLength }
        evictExcess()
        evictOverBytes()
    }

    package var position: Position { Position(offset: topOffset, epoch: epoch) }

    /// The number of publications kept.
    package var count: Int { kept.count }

    /// The cursor of the newest publication that is kept or was evicted; 0 before the first.
    package var newestCursor: UInt64 { kept.last?.cursor ?? evictedCursor }

    /// Takes the epoch that begins with the first publication.
    mutating func begin(_ epoch: String) {
        precondition(topOffset == 0, "epoch \(epoch) begins behind offset \(topOffset)")
        self.epoch = epoch
    }

    /// Takes the next publication; the oldest ones leave if the limits of count and bytes demand it.
    ///
    /// - Returns: whether the limit of bytes did.
    @discardableResult
    package mutating func append(_ publication: Publication) -> Bool {
        precondition(publication.offset == topOffset + 1, "offset \(publication.offset) not next")
        precondition(publication.cursor > newestCursor, "cursor \(publication.cursor) not greater")
        topOffset = publication.offset
        kept.append(publication)
        bytes += publication.wireLength
        evictExcess()
        return evictOverBytes()
    }

    /// Applies other settings; publications over their limits of count and bytes are evicted at
    /// once.
    ///
    /// - Returns: whether the limit of bytes evicted some.
    @discardableResult
    package mutating func use(_ settings: NamespaceSettings) -> Bool {
        limit = settings.history
        recovery = settings.recovery
        evictExcess()
        return evictOverBytes()
    }

    /// Evicts the oldest publication that is kept; nothing where none is.
    package mutating func evictOne() {
        if !kept.isEmpty { evictOldest() }
    }

    /// Evicts publications older than the limit of age.
    package mutating func trim(now: Timestamp) {
        guard let age = limit.age else { return }
        let oldestTime = now - age
        while let oldest = kept.first, oldest.time < oldestTime { evictOldest() }
    }

    /// Evicts publications up to this offset.
    package mutating func remove(through offset: UInt64) {
        while let oldest = kept.first, oldest.offset <= offset { evictOldest() }
    }

    /// Forgets the publications that an erasure covers.
    ///
    /// - Complexity: O(publications kept).
    package mutating func erase(_ erasure: Erasure) {
        guard kept.contains(where: { erasure.covers($0.tags) }) else { return }
        kept.removeAll { publication in
            guard erasure.covers(publication.tags) else { return false }
            bytes -= publication.wireLength
            return true
        }
    }

    /// The newest publications, at most `count`, oldest first.
    package func newest(_ count: Int) -> [Publication] {
        Array(kept.suffix(count))
    }

    /// The publication with this offset; nil when it is not kept.
    package func publication(at offset: UInt64) -> Publication? {
        let index = firstIndex(from: offset)
        guard index < kept.endIndex, kept[index].offset == offset else { return nil }
        return kept[index]
    }

    /// Whether the publication with this offset was erased, and has not fallen behind the limits since.
    package func isErased(_ offset: UInt64) -> Bool {
        offset > evictedOffset && offset <= topOffset && publication(at: offset) == nil
    }

    /// Returns the publications after `since`. If only the newest publication of the history
    /// matters, it is a complete recovery, also for a position of another epoch.
    ///
    /// - Parameter bytesMax: if the publications together are longer on the wire, the oldest are
    ///   left out, and the answer is a gap.
    /// - Complexity: O(publications in the answer).
    package func recover(since: Position, bytesMax: Int = .max) -> Recovery {
        if recovery == .cache { return recoverNewest(since: since, bytesMax: bytesMax) }
        guard since.epoch == epoch, since.offset <= topOffset else { return .otherEpoch }
        let firstMissed = firstIndex(after: since.offset)
        let first = firstIndex(from: firstMissed, bytesMax: bytesMax)
        let available = Array(kept[first...])
        let lostThrough = first > firstMissed ? kept[first - 1].offset : evictedOffset
        guard lostThrough > since.offset else { return .complete(available) }
        return .gap(available: available, missing: since.offset + 1...lostThrough)
    }

    /// Returns the publications after a cursor.
    ///
    /// - Complexity: O(publications kept).
    package func publications(afterCursor cursor: UInt64) -> CursorRecovery {
        guard cursor >= evictedCursor else {
            // By a slice: made of an empty deque itself, an array writes to the storage that all empty ones share.
            return .gap(available: Array(kept[...]), through: evictedCursor)
        }
        return .complete(kept.filter { $0.cursor > cursor })
    }

    /// The index in `kept` of the first publication above an offset; its end if there is none.
    ///
    /// - Complexity: O(1) without holes, or else O(log publications kept).
    func firstIndex(after offset: UInt64) -> Int {
        offset == .max ? kept.endIndex : firstIndex(from: offset + 1)
    }

    /// The same of an offset or the first above it.
    private func firstIndex(from offset: UInt64) -> Int {
        guard let oldest = kept.first, offset > oldest.offset else { return 0 }
        guard offset <= topOffset else { return kept.endIndex }
        // Where nothing was erased, an offset's distance from the oldest is its place. Holes only bring it
        // nearer to the front.
        let distance = Int(offset - oldest.offset)
        if distance < kept.count, kept[distance].offset == offset { return distance }
        var range = 0..<min(distance, kept.count)
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if kept[middle].offset < offset {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// From which place on, `first` or one above it, all publications together are not longer.
    private func firstIndex(from first: Int, bytesMax: Int) -> Int {
        var length = 0
        var index = kept.endIndex
        while index > first {
            length += kept[index - 1].wireLength
            guard length <= bytesMax else { break }
            index -= 1
        }
        return index
    }

    /// The newest one is the last publication that was not erased. A subscriber that has received
    /// it has missed nothing.
    private func recoverNewest(since: Position, bytesMax: Int) -> Recovery {
        let hasBeenHere = since.epoch == epoch && since.offset <= topOffset
        guard let newest = kept.last else {
            return hasBeenHere && since.offset >= evictedOffset ? .complete([]) : .otherEpoch
        }
        if hasBeenHere, since.offset >= newest.offset { return .complete([]) }
        if newest.wireLength <= bytesMax { return .complete([newest]) }
        guard hasBeenHere else { return .otherEpoch }
        return .gap(available: [], missing: since.offset + 1...newest.offset)
    }

    private mutating func evictExcess() {
        let span = UInt64(limit.count)
        while topOffset - evictedOffset > span, !kept.isEmpty {
            // Without holes the oldest is the one after `evictedOffset`, and need not be read: that
            // would copy a publication at every call.
            if hasHoles, topOffset - kept[0].offset < span { return }
            evictOldest()
        }
    }

    /// The newest one stays whatever its length: it has the topic's position.
    @discardableResult
    private mutating func evictOverBytes() -> Bool {
        guard bytes > limit.bytes, kept.count > 1 else { return false }
        while bytes > limit.bytes, kept.count > 1 { evictOldest() }
        return true
    }

    private var hasHoles: Bool { UInt64(kept.count) < topOffset - evictedOffset }

    private mutating func evictOldest() {
        let oldest = kept.removeFirst()
        bytes -= oldest.wireLength
        evictedOffset = oldest.offset
        evictedCursor = oldest.cursor
    }

    private static func check(
        _ publications: [Publication],
        above evictedOffset: UInt64,
        _ evictedCursor: UInt64,
        topOffset: UInt64
    ) throws(RestoreError) {
        var offset = evictedOffset
        var cursor = evictedCursor
        for publication in publications {
            guard publication.offset > offset else {
                throw .offset(publication.offset, after: offset)
            }
            guard publication.cursor > cursor else {
                throw .cursor(publication.cursor, after: cursor)
            }
            offset = publication.offset
            cursor = publication.cursor
        }
        guard offset <= topOffset else { throw .offsetAboveTop(offset, topOffset: topOffset) }
    }
}

/// Why a stored history can't be the past of a topic.
package enum RestoreError: Error, Equatable, CustomStringConvertible {
    case offset(UInt64, after: UInt64)
    case offsetAboveTop(UInt64, topOffset: UInt64)
    case cursor(UInt64, after: UInt64)
    case restoredTwice

    package var description: String {
        switch self {
        case .offset(let offset, let previous):
            "offset \(offset) after offset \(previous)"
        case .offsetAboveTop(let offset, let topOffset):
            "offset \(offset) in a topic with top offset \(topOffset)"
        case .cursor(let cursor, let previous):
            "cursor \(cursor) after cursor \(previous)"
        case .restoredTwice:
            "topic restored twice"
        }
    }
}
