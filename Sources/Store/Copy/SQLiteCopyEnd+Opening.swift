import GRDB
import Glibc

extension SQLiteCopyEnd {
    /// Passes a store to `body` that no hub uses. Nothing is written to its file.
    ///
    /// - Parameter boot: identifies the run of the machine.
    static func withSource(
        _ path: String,
        _ migrations: [Migration],
        _ boot: String?,
        _ body: (SQLiteCopyEnd) throws -> Void
    ) throws {
        guard StoreFile.length(path) > 0 else {
            throw StoreError(.cannotOpen, "no database here, or an empty one", path: path)
        }
        let file = try StoreFile(path: path)
        defer { file.release() }
        let mark = HighWaterFile(of: file.path, .normal, StoreNotices()).found
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { database in
                try check(database, migrations, path: file.path)
                try checkContinuity(database, mark, boot, path: file.path)
                try body(SQLiteCopyEnd(database: database, path: file.path))
            }
        } catch {
            throw StoreError.translating(error, path: file.path)
        }
    }

    private static func check(
        _ database: Database,
        _ migrations: [Migration],
        path: String
    ) throws {
        let schema = Schema(adding: migrations)
        try schema.check(database, path: path)
        let isNamed = try Int.fetchOne(database, sql: "PRAGMA user_version") == Schema.version
        let applied = isNamed ? try schema.appliedNames(in: database) : []
        try StoreCopy.checkSteps(applied, of: schema.migrations, path: path)
        // A table that is missing would not be copied, without an error.
        try Schema(adding: migrations.filter { applied.contains($0.name) }).checkComplete(database)
    }

    private static func checkContinuity(
        _ database: Database,
        _ mark: HighWaterFile.Found,
        _ boot: String?,
        path: String
    ) throws {
        let identity = try StoreIdentity.read(SQLSession(database))
        let unsynced = try String.fetchOne(database, sql: "SELECT unsynced_boot FROM hub")
        let continuity = StoreContinuity(
            database: identity.highWater,
            base: identity.cursorBase,
            mark: mark
        )
        guard !continuity.needsNewEpoch, unsynced == nil || unsynced == boot else {
            throw StoreCopy.mayLackCommits(path: path)
        }
    }

    /// Passes a store to `body` that is moved to its place when `body` has returned. If it throws,
    /// there is none.
    ///
    /// - Throws: also, before anything is written, if there is a file with data, or a hub uses it.
    static func withTarget(
        _ path: String,
        _ migrations: [Migration],
        _ body: (SQLiteCopyEnd) throws -> Void
    ) throws {
        let path = try StoreFile.resolved(path)
        let lock = try StoreFile.claim(lockPath: path + "-lock", of: path)
        defer { Glibc.close(lock) }
        for name in [path, path + "-wal"] where StoreFile.length(name) > 0 {
            throw StoreError(
                .cannotOpen,
                "the file has data, and a copy replaces none: move it to another place first",
                path: name
            )
        }
        let file = try BackupFile(writing: path + ".copying")
        do {
            try fill(file.path, migrations, path: path, body)
            try file.sync()
            StoreFile.giveToOwnerOfDirectory([file.path, path + "-lock"])
            // The mark is also that of a file that was here before.
            for name in ["-wal", "-shm", "-mark"] { unlink(path + name) }
            try file.move(to: path, isReplacing: true)
        } catch {
            unlink(file.path)
            throw StoreError.translating(error, path: path)
        }
    }

    /// - Parameter path: for errors.
    private static func fill(
        _ filePath: String,
        _ migrations: [Migration],
        path: String,
        _ body: (SQLiteCopyEnd) throws -> Void
    ) throws {
        var configuration = Configuration()
        // Checked at the end: rows are inserted table by table.
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { try $0.execute(sql: settings) }
        let queue = try DatabaseQueue(path: filePath, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            try Schema(adding: migrations).migrate(database)
            try database.inTransaction(.immediate) {
                try body(SQLiteCopyEnd(database: database, path: path))
                return .commit
            }
        }
        try queue.close()
    }

    /// The file has no name before it is complete and synced, so SQLite need not protect its steps.
    /// 16 MB of its pages are kept in memory.
    private static let settings = """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384
        """
}
