/// The answer to "what came after this position", of one topic.
///
/// Source: protocol/README.md, Recovery.
package enum Recovery: Sendable, Equatable {
    /// Everything after the position, oldest first; empty when nothing came.
    case complete([Publication])
    /// The offsets in `missing` can't be had any more; `available` is everything after them, oldest
    /// first.
    case gap(available: [Publication], missing: ClosedRange<UInt64>)
    /// The position is not one of this history: its epoch differs, or its offset was never reached.
    /// The latter happens when the store went back to a backup under a subscriber.
    case otherEpoch

    package var isComplete: Bool {
        switch self {
        case .complete: true
        case .gap, .otherEpoch: false
        }
    }

    /// The publications to send, whether or not they are complete.
    package var publications: [Publication] {
        switch self {
        case .complete(let publications): publications
        case .gap(let available, _): available
        case .otherEpoch: []
        }
    }
}

/// The answer to "what came after this cursor", of one topic.
package enum CursorRecovery: Sendable, Equatable {
    /// Everything after the cursor, oldest first.
    case complete([Publication])
    /// Something after the cursor was evicted, the newest of it at cursor `through`; `available` is
    /// everything that is kept, oldest first.
    case gap(available: [Publication], through: UInt64)
}

/// The answer to "what came after this cursor", of many topics in one stream.
package struct StreamRecovery: Sendable, Equatable {
    /// Of all topics together, in the order of their cursors.
    package var publications: [Publication]
    /// In the order of `through`. One for each place: a reader whose stream breaks behind one of them
    /// comes back for the others.
    package var gaps: [StreamGap]

    package init(publications: [Publication], gaps: [StreamGap]) {
        self.publications = publications
        self.gaps = gaps
    }

    /// An event that a returning reader receives.
    package enum Part {
        case publication(Publication)
        /// The reader resumes after the cursor `position` if the stream breaks behind it.
        case gap(StreamGap, position: UInt64)
        /// Moves the reader behind a gap that was sent before, as no publication does.
        case end(of: StreamGap)
    }

    /// Calls `body` with what a reader receives that resumes after the cursor `since`, in order. Positions
    /// and the cursors of publications never decrease.
    ///
    /// A gap comes before the publications that pass its loss. If it came at its end, among them,
    /// and the stream broke before it, the reader would come back behind the loss: perhaps to a node that
    /// has a later part of the same history, by its clock or its limits, and reports no gap. An unknown
    /// cursor is the same for all of them, and its gap has its place at its end.
    package func forEachPart(since: UInt64, _ body: (Part) -> Void) {
        let first = publications.first?.cursor ?? .max
        func isEarly(_ gap: StreamGap) -> Bool { gap.reason == .evicted && gap.through >= first }
        for gap in gaps where isEarly(gap) { body(.gap(gap, position: since)) }
        var others = gaps.filter { !isEarly($0) }[...]
        for publication in publications {
            while let gap = others.first, publication.cursor > gap.through {
                body(.gap(gap, position: gap.through))
                others.removeFirst()
            }
            body(.publication(publication))
        }
        for gap in others { body(.gap(gap, position: gap.through)) }
        if let last = gaps.last, isEarly(last), last.through > publications.last?.cursor ?? 0 {
            body(.end(of: last))
        }
    }
}

/// A loss in a stream of many topics.
package struct StreamGap: Sendable, Equatable {
    package enum Reason: String, Sendable {
        /// The history that is kept does not reach back to the cursor.
        case evicted
        /// The cursor is not from this store, so the missing publications are unknown.
        case unknownCursor = "unknown_cursor"
    }

    package var reason: Reason
    /// In the order in which they were asked for.
    package var topics: [Topic]
    /// Nothing of `topics` is missing after this cursor. A reader that received the gap resumes
    /// here.
    package var through: UInt64

    package init(reason: Reason, topics: [Topic], through: UInt64) {
        self.reason = reason
        self.topics = topics
        self.through = through
    }
}
