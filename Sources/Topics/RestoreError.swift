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

extension TopicHistory {
    /// Throws if the publications of the store do not follow what was evicted, in order.
    static func check(
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
