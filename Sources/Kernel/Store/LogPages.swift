import GRDB
import GRDBSQLite

/// How many pages the write-ahead log has since it was last emptied, as SQLite says after each commit.
///
/// `@unchecked Sendable`: it is touched on the writer's queue alone, by SQLite in a commit and by the writer after
/// it.
final class LogPages: @unchecked Sendable {
    /// The log is moved into the file once it has this many pages (4 MiB): often enough to keep it short, seldom
    /// enough that many commits share the work.
    private static let checkpointMin: Int32 = 1000

    private var count: Int32 = 0

    /// Counts those of a connection from now on, which then moves nothing by itself. It must not outlive this.
    func follow(_ database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, count in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogPages>.fromOpaque(context).takeUnretainedValue().count = count
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Whether the log is long enough to be moved.
    var isLong: Bool { count >= LogPages.checkpointMin }

    /// It was tried; the next commit tells anew.
    func reset() { count = 0 }
}
