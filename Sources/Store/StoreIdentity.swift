import GRDB

/// The epoch and the cursor base, which distinguish this store's offsets and cursors from those of
/// any other.
///
/// A new store begins both. So does a store that may have lost commits: subscribers may hold
/// offsets that it would assign again. A power failure loses commits since the last sync, so the
/// file contains the run of the machine in which it was written without syncs. If it is found open
/// from another run, a loss must be assumed. The mere end of the process, even by `kill -9`, loses
/// nothing. A damaged or removed write-ahead log also loses commits, which the mark of the database
/// detects (`StoreContinuity`).
struct StoreIdentity: Sendable, Equatable {
    let epoch: String
    /// Cursors of this epoch are above it; see `cursorsPerMillisecond`.
    let cursorBase: UInt64
    /// The highest cursor that was assigned: that of a row, of a deleted topic or of a reserved
    /// block, or the base.
    var lastCursor: UInt64
    /// The highest cursor of a publication that has, or once had, a row, or the base.
    let rowCursor: UInt64
    let forgotten: ForgottenCursors
    /// The relation of the database to its mark, and whether the machine stopped before it was
    /// synced.
    var continuity = StoreContinuity.kept
    private(set) var endedUnsynced = false
    /// Whether the file is a restored backup, and this is its first start.
    var wasRestored = false

    /// The mark of this database.
    var highWater: HighWater {
        HighWater(
            epoch: HighWater.fingerprint(of: epoch),
            cursor: rowCursor,
            reserved: lastCursor
        )
    }

    /// A base is the wall time times this, so that a recreated store begins above the cursors of
    /// any earlier one, unless that one assigned a million cursors a second during all its life.
    static let cursorsPerMillisecond: UInt64 = 1000
    /// More than the publications that a power failure can undo, for a wall clock that went
    /// backward.
    static let cursorLeap: UInt64 = 1_000_000_000
    /// Half of the range that a JSON number represents exactly (RFC 8259 §6): the other half is for
    /// counting.
    static let cursorBaseMax: UInt64 = 1 << 52

    /// Written into the file when the run of the machine is unknown; equal to no other run.
    private static let unknownBoot = "unknown"
    /// Written into a restored backup; equal to no run either.
    private static let restored = "restored"

    /// Reads the identity, or begins another one, and marks the store as open. When it returns, all
    /// of that is on the disk, and so is every earlier commit.
    static func establish(
        _ database: Database,
        options: StoreOptions,
        wall: Timestamp,
        newEpoch: String,
        mark: HighWaterFile.Found = .nothing
    ) throws -> StoreIdentity {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        var before: StoreIdentity?
        var continuity = StoreContinuity.first
        var endedUnsynced = false
        var wasRestored = false
        try database.inTransaction(.immediate) {
            if try Int.fetchOne(database, sql: "SELECT id FROM hub") != nil {
                before = try read(SQLSession(database))
                let note = try String.fetchOne(database, sql: "SELECT unsynced_boot FROM hub")
                wasRestored = note == restored
                endedUnsynced = note.map { $0 != options.bootIdentifier } ?? false
            }
            continuity = StoreContinuity(
                database: before?.highWater,
                base: before?.cursorBase ?? 0,
                mark: mark
            )
            let isNew = endedUnsynced || options.startsNewEpoch || continuity.needsNewEpoch
            if before == nil || isNew {
                let base = base(after: before, mark, wall: wall)
                try begin(newEpoch, base: base, isFirst: before == nil, in: SQLSession(database))
            }
            try database.execute(
                sql: "UPDATE hub SET unsynced_boot = ?",
                arguments: [unsyncedBoot(options)]
            )
            return .commit
        }
        var identity = try read(SQLSession(database))
        identity.continuity = continuity
        identity.endedUnsynced = endedUnsynced && !wasRestored
        identity.wasRestored = wasRestored
        return identity
    }

    /// Stores that every commit has reached the disk; that is so when it returns.
    static func noteSynced(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "UPDATE hub SET unsynced_boot = NULL")
    }

    /// Makes the next start begin a new epoch: hubs may have assigned later offsets than those of
    /// this file.
    static func noteRestored(_ database: Database) throws {
        try database.execute(sql: "UPDATE hub SET unsynced_boot = ?", arguments: [restored])
    }

    /// Returns a base above every cursor that was assigned, as far as the database, its mark and
    /// the clock show.
    static func base(
        after before: StoreIdentity?,
        _ mark: HighWaterFile.Found,
        wall: Timestamp
    ) -> UInt64 {
        let wallMilliseconds = UInt64(clamping: wall.milliseconds)
        let wallBase =
            min(wallMilliseconds, cursorBaseMax / cursorsPerMillisecond)
            * cursorsPerMillisecond
        var base = wallBase
        if let before { base = max(base, before.lastCursor + cursorLeap) }
        if case .mark(let mark) = mark { base = max(base, mark.highest + cursorLeap) }
        return base
    }

    static func begin(
        _ epoch: String,
        base: UInt64,
        isFirst: Bool,
        in session: SQLSession
    ) throws {
        let statement =
            isFirst
            ? "INSERT INTO hub (id, epoch, cursor_base) VALUES (1, ?, ?)"
            : "UPDATE hub SET epoch = ?, cursor_base = ?"
        try session.run(statement, [epoch, Int64(base)])
    }

    /// The value of `unsynced_boot` while the store is open.
    private static func unsyncedBoot(_ options: StoreOptions) -> String? {
        switch options.synchronous {
        case .full: nil
        case .normal: options.bootIdentifier ?? unknownBoot
        }
    }

    static func read(_ session: SQLSession) throws -> StoreIdentity {
        // Damaged cursors of single rows do not keep the store from its place.
        let end = SQLRow.placeMax
        let select = """
            SELECT epoch, cursor_base, cursors_reserved, max(
                cursor_base,
                coalesce((SELECT max(cursor) FROM publication WHERE cursor <= \(end)), 0),
                coalesce((SELECT max(cursor) FROM forgotten WHERE cursor <= \(end)), 0),
                coalesce((SELECT max(max(
                    CASE WHEN evicted_cursor <= \(end) THEN evicted_cursor ELSE 0 END,
                    CASE WHEN erased_cursor <= \(end) THEN erased_cursor ELSE 0 END)) FROM topic), 0))
            FROM hub
            """
        guard let row = try session.row(select) else {
            throw DamagedValue("no identity in table hub")
        }
        let forgotten = try forgotten(session)
        let rowCursor = try row.place(3)
        return StoreIdentity(
            epoch: try row[0],
            cursorBase: try row.place(1),
            lastCursor: max(try row.place(2), rowCursor),
            rowCursor: rowCursor,
            forgotten: forgotten
        )
    }

    static func forgotten(_ session: SQLSession) throws -> ForgottenCursors {
        let rows = try session.rows(SQL.selectForgotten) { row in
            (try row[0] as String, try row.place(1))
        }
        // A damaged page may contain a name twice.
        return ForgottenCursors(Dictionary(rows, uniquingKeysWith: max))
    }
}
