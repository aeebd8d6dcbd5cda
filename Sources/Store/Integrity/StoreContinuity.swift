/// The relation of a database that was just opened to its mark.
enum StoreContinuity: Sendable, Equatable {
    /// Neither database nor mark: the first start.
    case first
    /// The database has at least the commits of the mark.
    case kept
    /// The database has no readable mark, so there is nothing to compare.
    case unmarked(isUnreadable: Bool)
    /// The database lacks commits that the mark contains: its log was damaged or removed, or it was
    /// replaced by an older copy.
    case behind(marked: UInt64, found: UInt64)
    /// The mark belongs to a database that is missing or empty.
    case emptied

    /// - Parameters:
    ///   - database: nil when it has no identity yet. Its `reserved` is the highest cursor of all.
    ///   - base: the cursor base of the database's epoch.
    init(database: HighWater?, base: UInt64, mark: HighWaterFile.Found) {
        switch (database, mark) {
        case (nil, .nothing): self = .first
        case (nil, _): self = .emptied
        case (.some, .nothing): self = .unmarked(isUnreadable: false)
        case (.some, .unreadable): self = .unmarked(isUnreadable: true)
        case (.some(let database), .mark(let mark)):
            // An epoch that began above the mark: the process ended before it could write the next
            // mark.
            let isLater = database.epoch != mark.epoch && base >= mark.highest
            let hasAll =
                database.epoch == mark.epoch && database.cursor >= mark.cursor
                && database.reserved >= mark.reserved
            self =
                isLater || hasAll
                ? .kept : .behind(marked: mark.cursor, found: database.cursor)
        }
    }

    /// Whether offsets or cursors could be assigned again in the epoch of the database.
    var needsNewEpoch: Bool {
        switch self {
        case .behind, .emptied: true
        case .first, .kept, .unmarked: false
        }
    }
}
