// Store: one SQLite file, or one schema in PostgreSQL, that holds the event log, the states and
// tables of the domains and the webhook outbox, written by one writer in group commits. The reader
// starts at HubStore.swift.

import Foundation

/// The options for opening a store.
package struct StoreOptions: Sendable {
    /// The point at which a commit has reached the disk.
    package enum Synchronous: Sendable, Equatable {
        /// A commit survives the end of the process in any form. A power failure may undo the last
        /// commits; the store detects this at the next start and begins a new epoch.
        case normal
        /// A commit also survives a power failure: one `fsync` per group of commits.
        case full
    }

    /// The file, or a URL of PostgreSQL (`PostgresTarget`).
    package var path: String
    package var synchronous: Synchronous
    /// The time to wait for a lock that another process, such as a backup, holds on the file, or for
    /// the claim of a hub that stops on a schema.
    package var busyTimeout: Duration
    /// The size of SQLite's page cache of each connection: one writer and at most two readers.
    package var cacheBytes: Int
    /// Identifies the run of the machine, such as the text of `/proc/sys/kernel/random/boot_id`.
    /// Nil when it is unknown: then an end without `close` counts as a power failure.
    package var bootIdentifier: String?
    /// Whether a new epoch begins though no loss was detected. Needed once after a backup was
    /// restored, because subscribers may hold offsets that the backup does not have.
    package var startsNewEpoch: Bool
    /// Returns whether a topic is durable; see `HubStore.setDurability`.
    package var isDurable: @Sendable (Topic) -> Bool
    /// Returns the maximum number of memory topics of a topic's namespace; see
    /// `HubStore.setMemoryLimits`.
    package var memoryLimits: @Sendable (Topic) -> MemoryTopicLimits
    /// The wall clock, for the time at which the store began to fail.
    package var wallClock: @Sendable () -> Timestamp
    /// The interval of the checks whether the files are still those at the path.
    package var watchInterval: Duration
    package var limits: StoreLimits
    /// The domains' additions to the schema. A file that was opened with a step cannot be opened
    /// without it.
    package var migrations: [Migration]
    /// The names of those migrations whose tables are not used. PostgreSQL leaves them out until
    /// they are.
    package var unusedMigrations: Set<String>
    /// This node's part in a cluster; nil if the hub is the only one. Only with PostgreSQL.
    package var cluster: ClusterOptions?
    /// Ends a transaction; a test makes it slow, or makes it fail.
    var commit: @Sendable (SQLSession) throws -> Void = { try $0.commit() }
    /// Finds the outcome of a transaction whose commit was not answered; a test decides it.
    var fate: @Sendable (SQLSession, CommitQuestion?, Duration) -> CommitFate = {
        $0.fate(of: $1, within: $2)
    }

    package init(
        path: String,
        synchronous: Synchronous = .full,
        busyTimeout: Duration = .seconds(5),
        cacheBytes: Int = 1 << 20,
        bootIdentifier: String? = nil,
        startsNewEpoch: Bool = false,
        isDurable: @escaping @Sendable (Topic) -> Bool = { _ in true },
        memoryLimits: @escaping @Sendable (Topic) -> MemoryTopicLimits = { _ in
            MemoryTopicLimits()
        },
        wallClock: @escaping @Sendable () -> Timestamp = {
            Timestamp(seconds: Date().timeIntervalSince1970)
        },
        watchInterval: Duration = .seconds(1),
        limits: StoreLimits = StoreLimits(),
        migrations: [Migration] = [],
        unusedMigrations: Set<String> = [],
        cluster: ClusterOptions? = nil
    ) {
        self.path = path
        self.synchronous = synchronous
        self.busyTimeout = busyTimeout
        self.cacheBytes = cacheBytes
        self.bootIdentifier = bootIdentifier
        self.startsNewEpoch = startsNewEpoch
        self.isDurable = isDurable
        self.memoryLimits = memoryLimits
        self.wallClock = wallClock
        self.watchInterval = watchInterval
        self.limits = limits
        self.migrations = migrations
        self.unusedMigrations = unusedMigrations
        self.cluster = cluster
    }
}

/// The store's limits; each refusal is a `StoreError`.
package struct StoreLimits: Sendable, Equatable {
    /// The maximum number of writes that wait for the writer.
    package let waitingWritesMax: Int
    /// The maximum number of bytes of all writes that wait for the writer.
    package let waitingBytesMax: Int
    /// The maximum number of bytes of one change, including its rows' overhead.
    package let changeBytesMax: Int
    /// The maximum number of writes in one transaction: bounds how long the first of them waits for
    /// the last.
    package let batchWritesMax: Int
    /// The maximum number of rows that one trimming transaction deletes: bounds how long a commit
    /// waits for it.
    package let trimRowsMax: Int
    /// The maximum number of durable topics whose counters are cached. Others are read again when
    /// needed.
    package let topicsCachedMax: Int
    /// The maximum number of topics kept only in memory. Their counters cannot be read again, so
    /// further ones are refused.
    package let memoryTopicsMax: Int
    /// The time for which an event's idempotency key is kept: by the times of the events, or in a
    /// cluster by the server's clock.
    package let idempotencyWindow: Duration
    /// The maximum number of stored idempotency keys: of durable topics in the file, of others in
    /// memory. The oldest are deleted first; one batch may exceed it.
    package let idempotencyKeysMax: Int

    package init(
        waitingWritesMax: Int = 4096,
        waitingBytesMax: Int = 16 << 20,
        changeBytesMax: Int = 4 << 20,
        batchWritesMax: Int = 256,
        trimRowsMax: Int = 256,
        topicsCachedMax: Int = 1 << 16,
        memoryTopicsMax: Int = 1 << 18,
        idempotencyWindow: Duration = .seconds(300),
        idempotencyKeysMax: Int = 1 << 18
    ) {
        precondition(changeBytesMax <= waitingBytesMax)
        precondition(batchWritesMax <= waitingWritesMax)
        precondition(batchWritesMax > 0)
        precondition(trimRowsMax > 0)
        precondition(topicsCachedMax > 0)
        precondition(memoryTopicsMax > 0)
        precondition(idempotencyWindow > .zero)
        precondition(idempotencyKeysMax > 0)
        self.waitingWritesMax = waitingWritesMax
        self.waitingBytesMax = waitingBytesMax
        self.changeBytesMax = changeBytesMax
        self.batchWritesMax = batchWritesMax
        self.trimRowsMax = trimRowsMax
        self.topicsCachedMax = topicsCachedMax
        self.memoryTopicsMax = memoryTopicsMax
        self.idempotencyWindow = idempotencyWindow
        self.idempotencyKeysMax = idempotencyKeysMax
    }
}
