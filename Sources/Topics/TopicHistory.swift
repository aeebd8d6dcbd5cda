import DequeModule

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
    /// The cursor of that publication.
    package private(set) var topCursor: UInt64
    /// The offset of the newest evicted publication; 0 when nothing was evicted.
    package private(set) var evictedOffset: UInt64
    /// The cursor of the newest evicted publication; 0 when nothing was evicted.
    package private(set) var evictedCursor: UInt64
    /// Oldest first.
    private(set) var kept: Deque<Publication>
    /// The places of publications that were removed or erased before all loops had reached the next one:
    /// the history as it was at their cursors ends there. Oldest first.
    private var emptied: [Place] = []
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
        topCursor = evictedCursor
        kept = []
    }

    /// A topic from the store; the limits of count and bytes are applied at once.
    ///
    /// - Parameters:
    ///   - throughCursor: that of the newest publication; 0 if every loop has reached it.
    ///   - publications: oldest first, without evicted and erased ones. May be empty.
    package init(
        epoch: String,
        limit: HistoryLimit,
        recovery: RecoveryMode = .stream,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        throughCursor: UInt64 = 0,
        publications: [Publication]
    ) throws(RestoreError) {
        try Self.check(publications, above: evictedOffset, evictedCursor, topOffset: topOffset)
        self.epoch = epoch
        self.limit = limit
        self.recovery = recovery
        self.topOffset = topOffset
        self.evictedOffset = evictedOffset
        self.evictedCursor = evictedCursor
        topCursor = max(publications.last?.cursor ?? evictedCursor, throughCursor)
        kept = Deque(publications)
        bytes = publications.reduce(0) { $0 + $1.wireLength }
        evictExcess()
        // If the newest is gone, its place is that of the loops that have not reached the next one.
        if throughCursor > 0, kept.last?.offset != topOffset {
            emptied = [Place(offset: topOffset, cursor: throughCursor)]
        }
    }

    package var position: Position { Position(offset: topOffset, epoch: epoch) }

    /// The number of publications kept.
    package var count: Int { kept.count }

    /// Takes another epoch before the first publication.
    mutating func begin(_ epoch: String) {
        precondition(topOffset == 0, "epoch \(epoch) begins behind offset \(topOffset)")
        self.epoch = epoch
    }

    /// Takes the next publication; the oldest ones leave if the limits of count and bytes demand it. While
    /// the publication before is above the cursor, they stay until `evictExcess` is called.
    @discardableResult
    package mutating func append(
        _ publication: Publication,
        evictingThrough cursor: UInt64 = .max
    ) -> Eviction {
        precondition(publication.offset == topOffset + 1, "offset \(publication.offset) not next")
        precondition(publication.cursor > topCursor, "cursor \(publication.cursor) not greater")
        let isBehind = cursor < topCursor
        topOffset = publication.offset
        topCursor = publication.cursor
        kept.append(publication)
        bytes += publication.wireLength
        // Otherwise a long series would be searched at each of its publications.
        return isBehind ? Eviction(isOverfull: isOverfull) : evictExcess(through: cursor)
    }

    /// Takes other settings; publications over their limits of count and bytes are evicted.
    @discardableResult
    package mutating func use(
        _ settings: NamespaceSettings,
        evictingThrough cursor: UInt64 = .max
    ) -> Eviction {
        limit = settings.history
        recovery = settings.recovery
        return evictExcess(through: cursor)
    }

    /// An offset and a cursor of one publication.
    private struct Place {
        var offset: UInt64
        var cursor: UInt64
    }

    /// The outcome of `evictExcess`.
    package struct Eviction: Sendable, Equatable {
        /// Whether the limit of bytes has evicted some.
        package var overBytes = false
        /// Whether publications over the limits, or places of publications that are gone, are kept
        /// because of their cursors.
        package var isOverfull = false
    }

    /// Evicts the oldest publications while there are more than the limits of count and bytes allow.
    ///
    /// - Parameter cursor: publications above it are kept, and do not count.
    /// - Complexity: O(publications evicted and publications above the cursor).
    @discardableResult
    package mutating func evictExcess(through cursor: UInt64 = .max) -> Eviction {
        guard cursor < topCursor else {
            emptied = []
            return evictExcess(besides: 0, bytes: 0, top: topOffset)
        }
        if let place = newestPlace(upTo: cursor) { emptied.removeAll { $0.cursor < place.cursor } }
        var (newer, newerBytes) = (0, 0)
        while newer < kept.count, kept[kept.count - 1 - newer].cursor > cursor {
            newerBytes += kept[kept.count - 1 - newer].wireLength
            newer += 1
        }
        let top = newer < kept.count ? kept[kept.count - 1 - newer].offset : evictedOffset
        var eviction = evictExcess(besides: newer, bytes: newerBytes, top: top)
        eviction.isOverfull = isOverfull
        return eviction
    }

    private var isOverfull: Bool {
        isOver(count: topOffset) || (bytes > limit.bytes && kept.count > 1) || !emptied.isEmpty
    }

    /// Evicts as if the newest publications were not there yet.
    ///
    /// - Parameters:
    ///   - newer: their number.
    ///   - newerBytes: their bytes.
    ///   - top: the offset of the newest of the others.
    private mutating func evictExcess(
        besides newer: Int,
        bytes newerBytes: Int,
        top: UInt64
    ) -> Eviction {
        while kept.count > newer, isOver(count: top) { evictOldest() }
        var eviction = Eviction()
        // The newest one stays whatever its length: it has the topic's position.
        while bytes - newerBytes > limit.bytes, kept.count - newer > 1 {
            evictOldest()
            eviction.overBytes = true
        }
        return eviction
    }

    /// Evicts the oldest publication that is kept.
    ///
    /// - Parameter cursor: it is kept if it is above this cursor.
    /// - Returns: false if nothing was evicted.
    @discardableResult
    package mutating func evictOne(through cursor: UInt64 = .max) -> Bool {
        guard let oldest = kept.first, oldest.cursor <= cursor else { return false }
        evictOldest()
        return true
    }

    /// Evicts publications older than the limit of age, as far as they are not above a cursor.
    package mutating func trim(now: Timestamp, through cursor: UInt64 = .max) {
        guard let age = limit.age else { return }
        let oldestTime = now - age
        while let oldest = kept.first, oldest.time < oldestTime, oldest.cursor <= cursor {
            evictOldest()
        }
    }

    /// Takes back publications above a cursor, and applies the limits: the history as it was at that
    /// cursor, but for removals and erasures since.
    ///
    /// - Complexity: O(publications kept) if there are some above the cursor.
    package mutating func rewind(to cursor: UInt64) {
        if topCursor > cursor {
            while let newest = kept.last, newest.cursor > cursor {
                kept.removeLast()
                bytes -= newest.wireLength
            }
            if let newest = newestPlace(upTo: cursor) {
                (topOffset, topCursor) = (newest.offset, newest.cursor)
            } else if evictedCursor <= cursor {
                (topOffset, topCursor) = (evictedOffset, evictedCursor)
            } else {
                // The first of those that were removed is the next one.
                topOffset = emptied.first.map { $0.offset - 1 } ?? evictedOffset
                topCursor = cursor
            }
            evictedOffset = min(evictedOffset, topOffset)
            evictedCursor = min(evictedCursor, topCursor)
        }
        evictExcess()
    }

    /// Evicts publications up to this offset.
    ///
    /// - Parameter cursor: a history that is rewound to this cursor or a later one still has its
    ///   position.
    package mutating func remove(through offset: UInt64, rewindableTo cursor: UInt64 = .max) {
        keepPlaces(from: cursor) { $0.offset <= offset }
        while let oldest = kept.first, oldest.offset <= offset { evictOldest() }
    }

    /// Forgets the publications that an erasure covers.
    ///
    /// - Parameter cursor: see `remove`.
    /// - Complexity: O(publications kept).
    package mutating func erase(_ erasure: Erasure, rewindableTo cursor: UInt64 = .max) {
        guard kept.contains(where: { erasure.covers($0.tags) }) else { return }
        keepPlaces(from: cursor) { erasure.covers($0.tags) }
        kept.removeAll { publication in
            guard erasure.covers(publication.tags) else { return false }
            bytes -= publication.wireLength
            return true
        }
    }

    /// Notes the places of publications that leave, from the newest one at `cursor` on.
    private mutating func keepPlaces(from cursor: UInt64, of isLeaving: (Publication) -> Bool) {
        guard cursor < topCursor else { return }
        let first = newestPlace(upTo: cursor)?.cursor ?? 0
        for publication in kept where publication.cursor >= first && isLeaving(publication) {
            emptied.append(Place(offset: publication.offset, cursor: publication.cursor))
        }
        emptied.sort { $0.cursor < $1.cursor }
    }

    /// The place of the newest publication up to a cursor, as far as it is kept or noted.
    private func newestPlace(upTo cursor: UInt64) -> Place? {
        let kept = kept.last { $0.cursor <= cursor }
        let emptied = emptied.last { $0.cursor <= cursor }
        guard let kept, kept.cursor > emptied?.cursor ?? 0 else { return emptied }
        return Place(offset: kept.offset, cursor: kept.cursor)
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

    /// Whether the oldest publication is not among the last `limit.count` offsets up to `top`.
    private func isOver(count top: UInt64) -> Bool {
        let span = UInt64(limit.count)
        guard top > evictedOffset, top - evictedOffset > span, !kept.isEmpty else { return false }
        // Without holes the oldest is the one after `evictedOffset`, and need not be read.
        return !hasHoles || top - kept[0].offset >= span
    }

    private var hasHoles: Bool { UInt64(kept.count) < topOffset - evictedOffset }

    private mutating func evictOldest() {
        let oldest = kept.removeFirst()
        bytes -= oldest.wireLength
        evictedOffset = oldest.offset
        evictedCursor = oldest.cursor
    }
}
