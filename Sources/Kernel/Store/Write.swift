import GRDB
import PubSub
import Timekeeping

/// What a write does.
enum Write: Sendable {
    /// Boxed: a write is copied a dozen times on its way, and a change has eight arrays.
    indirect case change(Change)
    case historyRemoval(Topic)
    /// Of those that are still quiet.
    case forgetting([QuietTopic])
    /// Of idempotency keys in the file, at most so many.
    case keyExpiry(now: Timestamp, rowsMax: Int)
    /// Of cursors for events without rows.
    case cursorReservation
    case statements(WriteBody)
    /// A change that is made inside of the transaction.
    case composed(ComposedBody)
}

/// The statements of one write. What it throws undoes it alone. It may run twice: what it leaves outside
/// of the database has to be the same then.
typealias WriteBody = @Sendable (Database) throws -> Written

/// Writes what it likes and returns the change to apply after it. Like `WriteBody` else.
typealias ComposedBody = @Sendable (Database) throws -> Change

/// What a write leaves behind when its transaction is committed.
struct Written: Sendable {
    var outcomes: [EventOutcome] = []
    var rowCount = 0
    /// In order; each after all outcomes.
    var removals: [HistoryRemoval] = []
    /// In order; no write has anything else beside them.
    var forgotten: [ForgottenTopic] = []
    /// In order; each after all outcomes and removals.
    var erasures: [Erasure] = []
    /// Rows of publications that the erasures have deleted.
    var erasedCount = 0
    /// For each delivery that was added, its endpoint.
    var queued: [String] = []
    /// Deliveries that waited and were deleted by an erasure.
    var erasedDeliveries: [Int64] = []
}

/// How the writes of one batch ended.
struct WrittenBatch {
    /// One for each write, in order.
    var results: [Result<Written, any Error>]
    /// Whether there was a transaction; a batch of events without rows needs none.
    var hasTransaction: Bool
    /// Whether the transaction was committed and had something to write: proof that the file takes writes.
    var hasWritten = false
}
