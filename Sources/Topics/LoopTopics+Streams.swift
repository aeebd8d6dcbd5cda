/// Resuming many topics from one cursor.
extension LoopTopics {
    /// A publication before it is picked: sorting these moves no reference counts.
    private struct Candidate {
        var cursor: UInt64
        var topic: Int
        var index: Int
    }

    /// Returns the publications after a cursor in several topics, in the order of the cursors.
    ///
    /// - A cursor below `cursorBase` or above `newestCursor` is not from this store, or is from
    ///   before it was restored from a backup: every requested topic has a gap, also one without
    ///   publications, because its former ones are unknown. `cursorBase` itself is the place before
    ///   the first publication.
    /// - Otherwise a topic has a gap if a publication after the cursor was evicted from it, or if
    ///   the answer would be longer than `HubLimits.recoveryBytesMax`; the oldest are left out
    ///   then. A topic without a history has a gap whenever any topic had a publication since,
    ///   because the hub does not store where.
    /// - A topic that the hub does not have counts as one without publications. No topic is
    ///   requested twice.
    ///
    /// - Complexity: O(n log k) for n publications kept in k topics.
    package func publications(of topics: [Topic], afterCursor cursor: UInt64) -> StreamRecovery {
        guard cursor <= newestCursor else {
            let gap = StreamGap(reason: .unknownCursor, topics: topics, through: newestCursor)
            return StreamRecovery(publications: [], gaps: [gap])
        }
        let recoveries = topics.map { topic -> CursorRecovery in
            if history(of: topic)?.limit.count == 0, cursor != newestCursor {
                return .gap(available: [], through: newestCursor)
            }
            return recover(topic, afterCursor: cursor)
        }
        var evictedCursors = recoveries.map(\.evictedCursor)
        let publications = merge(recoveries.map(\.publications), evictedCursors: &evictedCursors)
        var gaps = gaps(of: topics, evictedCursors)
        if cursor < cursorBase {
            // It covers whatever ends before it.
            gaps.removeAll { $0.through <= cursorBase }
            gaps.insert(
                StreamGap(reason: .unknownCursor, topics: topics, through: cursorBase),
                at: 0
            )
        }
        return StreamRecovery(publications: publications, gaps: gaps)
    }

    /// Returns the histories of several topics, in the order of the cursors.
    ///
    /// Publications evicted before are not a gap: the reader only requests the stored ones.
    /// Publications that do not fit into `HubLimits.recoveryBytesMax` are left out from the old
    /// end, and are a gap.
    package func keptPublications(of topics: [Topic]) -> StreamRecovery {
        let kept = topics.map { recover($0, afterCursor: 0).publications }
        var evictedCursors = [UInt64?](repeating: nil, count: topics.count)
        let publications = merge(kept, evictedCursors: &evictedCursors)
        return StreamRecovery(publications: publications, gaps: gaps(of: topics, evictedCursors))
    }

    /// A gap for each place of a loss, in order. With one gap for all of them, at the last place,
    /// some losses would go unreported if the stream broke after the first.
    private func gaps(of topics: [Topic], _ evictedCursors: [UInt64?]) -> [StreamGap] {
        var gaps: [StreamGap] = []
        let lossy = zip(topics, evictedCursors).compactMap { topic, through in
            through.map { (topic: topic, through: $0) }
        }
        for (topic, through) in lossy.sorted(by: { $0.through < $1.through }) {
            if gaps.last?.through == through {
                gaps[gaps.count - 1].topics.append(topic)
            } else {
                gaps.append(StreamGap(reason: .evicted, topics: [topic], through: through))
            }
        }
        return gaps
    }

    /// The size of the other parts of a publication, in the longest form of a stream, a CloudEvent
    /// of the hub's own.
    private static let attributeBytes = 96

    /// Merges lists that are in order. Publications over the limit of bytes are left out from the
    /// old end, and noted as the evicted cursor of their topic.
    private func merge(
        _ lists: [[Publication]],
        evictedCursors: inout [UInt64?]
    ) -> [Publication] {
        var candidates: [Candidate] = []
        for (topic, list) in lists.enumerated() {
            for (index, publication) in list.enumerated() {
                let cursor = publication.cursor
                candidates.append(Candidate(cursor: cursor, topic: topic, index: index))
            }
        }
        // The standard library's sort finds runs that are in order and merges them.
        candidates.sort { $0.cursor < $1.cursor }

        var length = 0
        var first = candidates.count
        while first > 0 {
            let candidate = candidates[first - 1]
            length += lists[candidate.topic][candidate.index].wireLength + LoopTopics.attributeBytes
            guard length <= limits.recoveryBytesMax else { break }
            first -= 1
        }
        for dropped in candidates[..<first] { evictedCursors[dropped.topic] = dropped.cursor }
        return candidates[first...].map { lists[$0.topic][$0.index] }
    }
}

extension CursorRecovery {
    fileprivate var publications: [Publication] {
        switch self {
        case .complete(let publications), .gap(let publications, _): publications
        }
    }

    fileprivate var evictedCursor: UInt64? {
        switch self {
        case .complete: nil
        case .gap(_, let through): through
        }
    }
}
