import DomainKit

/// A row written by a change of radars: a value, so that it can be composed before the change is
/// committed.
///
/// `update`, `nextPoll` and `opinion` need the radar: without it the change fails with
/// `StoreError.Code.notFound`, so a poll that ends after its radar was deleted brings nothing back.
package enum RadarWrite: Sendable, Equatable {
    /// An id that is taken fails the change as a `constraint`.
    case insert(RadarRow)
    /// Replaces all fields except the user and the time of creation, which never change.
    case update(RadarRow)
    case nextPoll(radarID: String, Timestamp)
    /// An id that is taken fails the change as a `constraint`: check with
    /// `RadarTables.existingOpinions` before.
    case opinion(OpinionRow)
    /// Deletes a radar with its opinions: they are no longer read, and the next
    /// `HubStore.trimOpinions` deletes their rows. A missing radar is not an error.
    case delete(radarID: String)
    /// Replaces the row of the same key.
    case cache(StanceCacheRow)
    /// Adds to the source's cost on that day, and to its user's share: several requests are under
    /// way at a time, and their differences are correct in any order. A sum below 0 fails the
    /// change as a `constraint`.
    case spending(SpendingRow)
}

/// An answer that is worth keeping for the next one who asks the same.
package struct StanceCacheRow: Sendable, Equatable {
    /// Bytes of a key: a SHA-256 of all that the answer depends on.
    package static let keyLength = 32

    package var key: [UInt8]
    package var answer: [UInt8]
    package var time: Timestamp

    package init(key: [UInt8], answer: [UInt8], time: Timestamp) {
        self.key = key
        self.answer = answer
        self.time = time
    }
}

/// The cost of one source on one day, including reservations; in a change, the difference.
package struct SpendingRow: Sendable, Equatable {
    package var source: String
    /// Days of UTC since 1970-01-01.
    package var day: Int
    package var requests: Int
    package var tokens: Int
    /// In a change, the account in `UserShares` that it counts for; nil for none.
    package var user: [UInt8]?

    package init(source: String, day: Int, requests: Int, tokens: Int, user: [UInt8]? = nil) {
        self.source = source
        self.day = day
        self.requests = requests
        self.tokens = tokens
        self.user = user
    }
}

extension RadarWrite {
    /// Bytes of its longer texts.
    var length: Int {
        switch self {
        case .insert(let row), .update(let row):
            row.topic.utf8.count + row.interpretation.count + row.sources.count
                + (row.standing?.count ?? 0)
        case .opinion(let row): row.content.utf8.count + (row.reasoning?.utf8.count ?? 0)
        case .cache(let row): row.answer.count
        case .nextPoll, .delete, .spending: 0
        }
    }
}
