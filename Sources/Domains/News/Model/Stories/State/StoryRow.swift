/// A part of a board as a row of a table.
package struct StoryRow: Equatable, Sendable {
    /// The key of the row. Together they are unique.
    package struct Key: Hashable, Comparable, Sendable {
        package var kind: Kind
        /// A story's id, an alias, or a term's hash as a signed number; 0 for `board`.
        package var number: Int64

        package init(kind: Kind, number: Int64) {
            self.kind = kind
            self.number = number
        }

        package static func < (one: Key, other: Key) -> Bool {
            (one.kind.rawValue, one.number) < (other.kind.rawValue, other.number)
        }
    }

    package enum Kind: UInt8, CaseIterable, Sendable {
        /// The counters, and the articles whose turn has not come.
        case board = 0
        case story = 1
        case alias = 2
        case term = 3
    }

    package var key: Key
    /// Nil in changes if the row must be deleted.
    package var bytes: [UInt8]?

    package init(key: Key, bytes: [UInt8]?) {
        self.key = key
        self.bytes = bytes
    }
}

/// The rows to store so that the stored rows are the board again.
package struct StoryChanges: Equatable, Sendable {
    /// All rows that are stored have to be deleted first.
    package var replacesAll: Bool
    /// Ascending by key.
    package var rows: [StoryRow]
}

/// Stored rows that are not a board.
package struct StoryStateError: Error, Equatable {
    /// The first row that cannot be read; nil if the row of the board itself is missing.
    package var key: StoryRow.Key?
    package var message: String
}
