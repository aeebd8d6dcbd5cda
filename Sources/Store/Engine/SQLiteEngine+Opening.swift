import GRDB

extension SQLiteEngine {
    /// The size that the log keeps on the disk after it was emptied.
    private static let walBytesKept = 8 << 20
    /// Readers of history pages and at the start, concurrent with the writer; more connections
    /// would only use memory.
    private static let readersMax = 2

    /// Opens the file, brings its schema up to date, and reads where the store continues.
    static func open(
        _ options: StoreOptions,
        _ file: StoreFile,
        wall: Timestamp,
        newEpoch: String,
        mark: HighWaterFile.Found,
        logPages: LogPages
    ) throws -> (pool: DatabasePool, identity: StoreIdentity, deliveries: DeliveryCounts) {
        do {
            try StoreBackup.unseal(file.path)
            let schema = Schema(adding: options.migrations)
            let pool = try pool(options, path: file.path, schema: schema)
            let (identity, deliveries) = try pool.writeWithoutTransaction { database in
                try schema.migrate(database)
                try schema.checkComplete(database)
                let identity = try StoreIdentity.establish(
                    database,
                    options: options,
                    wall: wall,
                    newEpoch: newEpoch,
                    mark: mark
                )
                try setUpWriter(database, options: options)
                logPages.follow(database)
                try DeliveryTally.begin(database)
                return (identity, try DeliveryTally.read(SQLSession(database)))
            }
            return (pool, identity, deliveries)
        } catch {
            throw file.naming(StoreError.translating(error, path: file.path))
        }
    }

    private static func pool(
        _ options: StoreOptions,
        path: String,
        schema: Schema
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.maximumReaderCount = readersMax
        configuration.busyMode = .timeout(options.busyTimeout.inSeconds)
        configuration.prepareDatabase { database in
            try schema.check(database, path: path)
            try database.execute(
                sql: """
                    PRAGMA cache_size = -\(options.cacheBytes >> 10);
                    PRAGMA temp_store = MEMORY;
                    """
            )
        }
        return try DatabasePool(path: path, configuration: configuration)
    }

    /// Configures the writing connection. Deleted content is overwritten: an erased publication is
    /// not in a free page either. Not in `prepareDatabase`: the pool sets `synchronous` to NORMAL
    /// after it, silently.
    static func setUpWriter(_ database: Database, options: StoreOptions) throws {
        let synchronous = options.synchronous == .full ? 2 : 1
        try database.execute(
            sql: """
                PRAGMA journal_size_limit = \(walBytesKept);
                PRAGMA secure_delete = ON;
                PRAGMA synchronous = \(synchronous);
                """
        )
        let found = try Int.fetchOne(database, sql: "PRAGMA synchronous")
        guard found == synchronous else {
            throw DatabaseError(
                message: "synchronous is \(String(describing: found)) instead of \(synchronous)"
            )
        }
    }
}
