/// Resuming many topics from one cursor.
extension Hub {
    /// A publication before it is picked: sorting these moves no reference counts.
    private struct Candidate {
        var cursor: UInt64
        var topic: Int
        var index: Int
    }

    /// What came after a cursor in several topics, in the order of the cursors.
    ///
    /// - A cursor below `cursorBase` or above `newestCursor` was not given out by this store, or by
    ///   it before it went back to a backup: every asked topic has a gap, also one that has no
    ///   publications, because what it had is unknown. `cursorBase` itself is the place before the
    ///   first publication.
    /// - Otherwise a topic has a gap when something newer than the cursor was evicted from it, or
    ///   when the answer would be longer than `HubLimits.recoveryBytesMax`; the oldest are left out
    ///   then.
    /// - A topic that the hub does not have is one without publications. No topic is asked for
    ///   twice.
    ///
    /// - Complexity: O(n log k) for n publications kept in k topics.
    package func publications(of topics: [Topic], afterCursor cursor: UInt64) -> StreamRecovery {
        guard cursor <= newestCursor else {
            let gap = StreamGap(reason: .unknownCursor, topics: topics, through: newestCursor)
            return StreamRecovery(publications: [], gap: gap)
        }
        let recoveries = topics.map {
            history(of: $0)?.publications(afterCursor: cursor) ?? .complete([])
        }
        var evictedCursors = recoveries.map(\.evictedCursor)
        let publications = merge(recoveries.map(\.publications), evictedCursors: &evictedCursors)
        let through = evictedCursors.compactMap(\.self).max()
        if cursor < cursorBase {
            let gap = StreamGap(
                reason: .unknownCursor,
                topics: topics,
                through: max(cursorBase, through ?? 0)
            )
            return StreamRecovery(publications: publications, gap: gap)
        }
        let gap = through.map { through in
            let lossy = zip(topics, evictedCursors).filter { $0.1 != nil }.map(\.0)
            return StreamGap(reason: .evicted, topics: lossy, through: through)
        }
        return StreamRecovery(publications: publications, gap: gap)
    }

    /// Merges lists that are in order. What is over the limit of bytes is left out from the old
    /// end, and noted as the evicted cursor of its topic.
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
            length += lists[candidate.topic][candidate.index].payload.count
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
