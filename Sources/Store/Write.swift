/// The operation of a write.
enum Write: Sendable {
    /// Boxed: a write is copied a dozen times on its way, and a change has eight arrays.
    indirect case change(Change)
    case historyRemoval(Topic)
    /// A message to every node of a cluster.
    case note(ClusterNote)
    /// Deletes those topics that are still quiet.
    case forgetting([QuietTopic])
    /// Deletes expired idempotency keys in the file, at most `rowsMax`.
    case keyExpiry(now: Timestamp, rowsMax: Int)
    /// Reserves cursors for events without rows.
    case cursorReservation
    case statements(WriteBody)
    /// A change that is composed inside the transaction.
    case composed(ComposedBody)
}

extension Write {
    /// Those that are known before the transaction.
    var events: [TopicEvent] {
        if case .change(let change) = self { change.events } else { [] }
    }
}

/// The statements of one write. An error undoes only this write. It may run twice: its effects
/// outside the database must be the same both times.
typealias WriteBody = @Sendable (SQLSession) throws -> Written

/// Writes rows and returns the change to apply afterwards. Otherwise like `WriteBody`.
typealias ComposedBody = @Sendable (SQLSession) throws -> ComposedChange

/// A change, and the statements that depend on its outcomes.
struct ComposedChange: Sendable {
    var change: Change
    /// Called with the outcomes of the change's events, in the same transaction.
    var settle: (@Sendable (SQLSession, [EventOutcome]) throws -> Void)?
}

/// The results of a write when its transaction is committed.
struct Written: Sendable {
    var outcomes: [EventOutcome] = []
    var rowCount = 0
    /// In order; each after all outcomes.
    var removals: [HistoryRemoval] = []
    /// In order; such a write has no other results.
    var forgotten: [ForgottenTopic] = []
    /// In order; each after all outcomes and removals.
    var erasures: [Erasure] = []
    /// The number of rows of publications that the erasures have deleted.
    var erasedCount = 0
    /// The endpoint of each delivery that was added.
    var queued: [String] = []
    /// Pending deliveries that an erasure has deleted.
    var erasedDeliveries: [Int64] = []
    var notes: [ClusterNote] = []
    /// The domains of `ClusterOptions.watchedState` that were written.
    var changedState: Set<String> = []
}

/// The results of one batch of writes.
struct WrittenBatch {
    /// One for each write, in order.
    var results: [Result<Written, any Error>]
    /// Whether there was a transaction; a batch of events without rows needs none.
    var hasTransaction: Bool
    /// Whether the transaction was committed and had rows to write: proof that the file accepts
    /// writes.
    var hasWritten = false
    /// The batch of the commit in the log of a cluster; nil if there is none.
    var told: [LogRecord]?
    /// Whether the outcome of the commit is unknown and will be asked for again. The results are
    /// failures, for callers that do not wait for it.
    var isOpen = false
}
