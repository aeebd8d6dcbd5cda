/// Part of a topic's history, and the topic's position.
package struct HistoryPage: Sendable, Equatable {
    /// In the order that was asked for.
    package var publications: [Publication]
    /// The place of the newest publication, whether or not it is in the page.
    package var position: Position

    package init(publications: [Publication], position: Position) {
        self.publications = publications
        self.position = position
    }
}

/// The requested part of a history.
package struct HistoryRange: Sendable, Equatable {
    /// The maximum number of publications; 0 for only the position, negative for no limit.
    package var limit: Int
    /// The place at which the page begins; the publication at this place is not included. With an
    /// empty epoch it is a place in any history of the topic. Nil for the whole history.
    package var since: Position?
    /// The newest first, towards the older ones.
    package var isReversed: Bool

    package init(limit: Int, since: Position? = nil, isReversed: Bool = false) {
        self.limit = limit
        self.since = since
        self.isReversed = isReversed
    }
}

/// Why there is no page.
package enum HistoryPageError: Error, Equatable, CustomStringConvertible {
    /// The position belongs to another history.
    case otherEpoch
    /// Backwards from before the first publication.
    case nothingBeforeOffsetZero

    package var description: String {
        switch self {
        case .otherEpoch: "position of another epoch"
        case .nothingBeforeOffsetZero: "reversed history since offset 0"
        }
    }
}

extension TopicHistory {
    /// Returns the requested publications, as far as they are kept.
    ///
    /// - Forward, publications evicted after `since` are skipped: the page begins with the oldest
    ///   one kept, and its offset shows the gap.
    /// - Erased publications are skipped in both directions, and take no place in the page.
    /// - Backward, there is nothing below a place that was evicted, nor from one that is more than one
    ///   beyond the newest.
    ///
    /// - Parameters:
    ///   - countMax: of the publications, whatever the request's limit.
    ///   - bytesMax: of the payloads together. The first publication is in the page even if it is
    ///     longer by itself: a reader advances with every page.
    /// - Complexity: O(publications in the page).
    package func page(
        _ request: HistoryRange,
        countMax: Int,
        bytesMax: Int = .max
    ) throws(HistoryPageError) -> HistoryPage {
        precondition(countMax > 0)
        if let since = request.since {
            if request.isReversed, since.offset == 0 { throw .nothingBeforeOffsetZero }
            guard since.epoch.isEmpty || since.epoch == epoch else { throw .otherEpoch }
        }
        let count = request.limit < 0 ? countMax : min(request.limit, countMax)
        let wanted = indices(request)
        let publications =
            request.isReversed
            ? take(kept[wanted].suffix(count).reversed(), bytesMax: bytesMax)
            : take(kept[wanted].prefix(count), bytesMax: bytesMax)
        return HistoryPage(publications: publications, position: position)
    }

    /// Where in `kept` the publications are that lie beyond the request's position.
    private func indices(_ request: HistoryRange) -> Range<Int> {
        guard let since = request.since else { return 0..<count }
        guard request.isReversed else { return firstIndex(after: since.offset)..<count }
        let newest = since.offset - 1
        return 0..<(newest <= topOffset ? firstIndex(after: newest) : 0)
    }

    private func take(
        _ publications: some Sequence<Publication>,
        bytesMax: Int
    ) -> [Publication] {
        var taken: [Publication] = []
        var length = 0
        for publication in publications {
            length += publication.payload.count
            guard length <= bytesMax || taken.isEmpty else { break }
            taken.append(publication)
        }
        return taken
    }
}
