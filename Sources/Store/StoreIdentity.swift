import GRDB
import PubSub
import Timekeeping

/// What tells this store's offsets and cursors from those of any other: its epoch and its cursor base.
///
/// A new store begins both. So does a store that may have forgotten commits: subscribers may hold
/// offsets that it would give out a second time. Commits can be forgotten only by a loss of power, and
/// only those since the last sync, so the file says in which run of the machine it was written without
/// syncs. Found open from another run, it has to assume the loss. The end of the process alone,
/// `kill -9` included, loses nothing.
struct StoreIdentity: Sendable, Equatable {
    let epoch: String
    /// Cursors of this epoch are above it; see `cursorsPerMillisecond`.
    let cursorBase: UInt64
    /// No cursor above it was given out: the highest one of a row, of a forgotten topic or of a reserved
    /// block, or the base.
    let lastCursor: UInt64
    let forgotten: ForgottenCursors

    /// A base is the wall time times this, so that a store made anew begins above the cursors of any
    /// former one, unless that one gave out a million cursors a second for all its life.
    static let cursorsPerMillisecond: UInt64 = 1000
    /// With a wall clock that went backward, more than the publications that a loss of power can take
    /// back.
    static let cursorLeap: UInt64 = 1_000_000_000
    /// Half of what a JSON number carries exactly (RFC 8259 §6): the other half is for counting.
    static let cursorBaseMax: UInt64 = 1 << 52

    /// Written into the file when the run of the machine cannot be known; equal to no other run.
    private static let unknownBoot = "unknown"

    /// Reads the identity, or begins another one, and notes that the store is open. When it returns, all
    /// of that is on the disk, and so is every commit made before.
    static func establish(
        _ database: Database,
        options: StoreOptions,
        wall: Timestamp,
        newEpoch: String
    ) throws -> StoreIdentity {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.inTransaction(.immediate) {
            let unsyncedBoot = try write(database, options: options, wall: wall, newEpoch: newEpoch)
            try database.execute(sql: "UPDATE hub SET unsynced_boot = ?", arguments: [unsyncedBoot])
            return .commit
        }
        return try read(database)
    }

    /// Notes that every commit has reached the disk; that is so when it returns.
    static func noteSynced(_ database: Database) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "UPDATE hub SET unsynced_boot = NULL")
    }

    /// Returns the note to leave while the store is open.
    private static func write(
        _ database: Database,
        options: StoreOptions,
        wall: Timestamp,
        newEpoch: String
    ) throws -> String? {
        let wallMilliseconds = UInt64(clamping: wall.milliseconds)
        let wallBase =
            min(wallMilliseconds, cursorBaseMax / cursorsPerMillisecond)
            * cursorsPerMillisecond
        if try Int.fetchOne(database, sql: "SELECT id FROM hub") == nil {
            try database.execute(
                sql: "INSERT INTO hub (id, epoch, cursor_base) VALUES (1, ?, ?)",
                arguments: [newEpoch, Int64(wallBase)]
            )
        } else if try options.startsNewEpoch || mayHaveForgotten(database, options: options) {
            let base = max(wallBase, try read(database).lastCursor + cursorLeap)
            try database.execute(
                sql: "UPDATE hub SET epoch = ?, cursor_base = ?",
                arguments: [newEpoch, Int64(base)]
            )
        }
        switch options.synchronous {
        case .full: return nil
        case .normal: return options.bootIdentifier ?? unknownBoot
        }
    }

    private static func mayHaveForgotten(
        _ database: Database,
        options: StoreOptions
    ) throws -> Bool {
        let note = try String.fetchOne(database, sql: "SELECT unsynced_boot FROM hub")
        guard let note else { return false }
        return note != options.bootIdentifier
    }

    private static func read(_ database: Database) throws -> StoreIdentity {
        let select = """
            SELECT epoch, cursor_base, max(
                cursor_base,
                cursors_reserved,
                coalesce((SELECT max(cursor) FROM publication), 0),
                coalesce((SELECT max(cursor) FROM forgotten), 0),
                coalesce((SELECT max(max(evicted_cursor, erased_cursor)) FROM topic), 0))
            FROM hub
            """
        guard let row = try Row.fetchOne(database, sql: select) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "no identity in table hub")
        }
        let forgotten = try Row.fetchAll(database, sql: SQL.selectForgotten).map { row in
            (row[0] as String, UInt64(row[1] as Int64))
        }
        return StoreIdentity(
            epoch: row[0],
            cursorBase: UInt64(row[1] as Int64),
            lastCursor: UInt64(row[2] as Int64),
            forgotten: ForgottenCursors(Dictionary(uniqueKeysWithValues: forgotten))
        )
    }
}
