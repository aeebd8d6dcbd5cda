/// The newest publications of a topic as the store has them, from one snapshot.
package struct StoredHistory: Sendable {
    /// `TopicEpoch.beginning` of its epoch.
    package var beginning: UInt64
    /// The offset of the newest publication that ever existed, kept or not.
    package var topOffset: UInt64
    package var evictedOffset: UInt64
    package var evictedCursor: UInt64
    /// Not less than the cursor of any publication that the topic had in the snapshot.
    package var throughCursor: UInt64
    /// Oldest first, without evicted and erased ones.
    package var publications: [Publication]
    /// Whether the limit of bytes has left out older ones.
    package var isCut: Bool

    package init(
        beginning: UInt64,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        throughCursor: UInt64,
        publications: [Publication],
        isCut: Bool
    ) {
        self.beginning = beginning
        self.topOffset = topOffset
        self.evictedOffset = evictedOffset
        self.evictedCursor = evictedCursor
        self.throughCursor = throughCursor
        self.publications = publications
        self.isCut = isCut
    }
}

/// A topic as the store has it.
package enum FoundHistory: Sendable {
    case history(StoredHistory)
    /// No publications. The topics of its namespace that the store has removed had cursors up to this one;
    /// 0 if there were none.
    case nothing(forgottenThrough: UInt64)
}

/// A topic to read from the store.
package struct HistoryRead: Sendable, Equatable {
    package var topic: Topic
    /// The part of its history that is needed.
    package var limit: HistoryLimit
}

/// The end of a read, for the loops that wait for it.
package struct HistoryReadEnd: Sendable, Equatable {
    package var topic: Topic
    package var outcome: Outcome
    /// The loops that wait, by `LoopTopics.reader`.
    package var readers: Set<Int>

    package enum Outcome: Sendable, Equatable {
        /// The histories have the topic. A loop can read it when it has reached the cursor.
        case read(through: UInt64)
        /// The store could not be read.
        case failed
    }
}

/// A topic that is being read, or waits for it.
struct PendingRead {
    enum Change {
        case publication(Publication)
        case removal(through: UInt64)
        /// - Parameter cursor: the newest when it was noted.
        case erasure(Erasure, at: UInt64)
    }

    /// Loops that wait.
    var readers: Set<Int>
    /// The commits since the topic was taken to be read, in order: the store's snapshot may be older.
    private(set) var changes: [Change] = []
    private var bytes = 0
    /// Whether something is missing in `changes`, so that the topic has to be read again.
    private(set) var isOutdated = false

    init(readers: Set<Int>) {
        self.readers = readers
    }

    /// - Parameter bytesMax: if the publications are longer together, reading again costs less memory.
    mutating func add(_ change: Change, bytesMax: Int) {
        guard !isOutdated else { return }
        if case .publication(let publication) = change { bytes += publication.wireLength }
        changes.append(change)
        if bytes > bytesMax || changes.count > Self.changesMax { outdate() }
    }

    mutating func outdate() {
        changes = []
        isOutdated = true
    }

    private static let changesMax = 10_000
}
