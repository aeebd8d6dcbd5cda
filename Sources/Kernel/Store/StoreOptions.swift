// Store: one SQLite file that holds the event log, the states and tables of the domains and the webhook outbox,
// written by one writer in group commits. The reader starts at HubStore.swift.

import Foundation
import GRDB
import PubSub
import Timekeeping

/// What a store is opened with.
package struct StoreOptions: Sendable {
    /// When a commit has reached the disk.
    package enum Synchronous: Sendable, Equatable {
        /// A commit survives the end of the process in any form. A loss of power may take back the last
        /// commits; the store notices it at the next start and begins a new epoch.
        case normal
        /// A commit also survives a loss of power: one `fsync` per group of commits.
        case full
    }

    package var path: String
    package var synchronous: Synchronous
    /// How long to wait for a lock that another process holds on the file, such as a backup.
    package var busyTimeout: Duration
    /// SQLite's page cache of each connection: one writer and at most two readers.
    package var cacheBytes: Int
    /// Names the run of the machine, such as the text of `/proc/sys/kernel/random/boot_id`. Nil when it
    /// cannot be known: then an end without `close` counts as a loss of power.
    package var bootIdentifier: String?
    /// Begins a new epoch though nothing was lost. Needed once after a backup was put back, because
    /// subscribers may hold offsets that the backup does not have.
    package var startsNewEpoch: Bool
    /// Which topics outlive the process; see `HubStore.setDurability`.
    package var isDurable: @Sendable (Topic) -> Bool
    /// How many topics each topic's namespace may have in memory; see `HubStore.setMemoryLimits`.
    package var memoryLimits: @Sendable (Topic) -> MemoryTopicLimits
    /// The wall clock, for the time at which the store began to fail.
    package var wallClock: @Sendable () -> Timestamp
    /// How often to look whether the files are still those that the path names.
    package var watchInterval: Duration
    package var limits: StoreLimits
    /// What domains add to the schema. A file that was opened with a step cannot be opened without it.
    package var migrations: [Migration]
    /// Ends a transaction; a test makes it slow, or lets it fail.
    var commit: @Sendable (Database) throws -> Void = { try $0.run(SQL.commit) }

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
        migrations: [Migration] = []
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
    }
}

/// The store's limits; each refusal is a `StoreError`.
package struct StoreLimits: Sendable, Equatable {
    /// Writes that may wait for the writer.
    package let waitingWritesMax: Int
    /// Bytes of all writes that wait for the writer.
    package let waitingBytesMax: Int
    /// Bytes of one change, its rows' overhead included.
    package let changeBytesMax: Int
    /// Writes that share one transaction: bounds how long the first of them waits for the last.
    package let batchWritesMax: Int
    /// Rows that one trimming transaction deletes: bounds how long a commit waits behind it.
    package let trimRowsMax: Int
    /// Durable topics whose counters the writer remembers. They are read again when they are needed.
    package let topicsCachedMax: Int
    /// Topics that are kept in memory alone. Their counters can't be read again, so one more is refused.
    package let memoryTopicsMax: Int
    /// How long an event's idempotency key is remembered, by the times of the events.
    package let idempotencyWindow: Duration
    /// Idempotency keys that are remembered: of durable topics in the file, of others in memory. The
    /// oldest go first; one batch may be over it.
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
