/// Publications from SQL: applications insert them into `inbox`, each in its own transaction, and
/// the hub moves them into the log.
///
/// A row is deleted in the transaction that appends its publication, so it is published exactly
/// once, whenever the hub or the connection ends.
extension HubStore {
    /// Publishes the oldest rows of the inbox in order, and moves those that can never be published
    /// to `inbox_refused`, in one transaction.
    ///
    /// The order is that of the rows' ids, among those that are visible: publications of one
    /// application's transaction are in the order of its calls.
    ///
    /// - Parameters:
    ///   - rowsMax: the maximum number of rows.
    ///   - bytesMax: the maximum number of bytes of all rows; one row may exceed it.
    ///   - decide: called inside the transaction for each row in order, perhaps twice; it must be
    ///     quick.
    /// - Throws: `StoreError`; all rows are still in the inbox then, unless its code is
    ///   `fateUnknown`.
    package func takeInbox(
        rowsMax: Int,
        bytesMax: Int,
        _ decide: @escaping @Sendable (InboxRow) -> InboxVerdict
    ) async throws -> InboxBatch {
        let settled = Locked(InboxBatch())
        let changeBytesMax = limits.changeBytesMax
        let body: ComposedBody = { session in
            guard case .postgres(let postgres) = session.engine else {
                preconditionFailure("only a store in PostgreSQL has an inbox")
            }
            let rows = try InboxTable.oldestRows(rowsMax, bytesMax: bytesMax, in: postgres)
            let plan = InboxPlan(rows, bytesMax: changeBytesMax, decide)
            return ComposedChange(change: plan.change) { session, outcomes in
                guard case .postgres(let postgres) = session.engine else { return }
                var plan = plan
                plan.settle(outcomes)
                try InboxTable.settle(plan, in: postgres)
                let batch = plan.batch
                settled.withLock { $0 = batch }
            }
        }
        _ = try await write(.composed(body), length: min(bytesMax, changeBytesMax))
        let batch = settled.withLock { $0 }
        inbox.withLock { $0.add(batch) }
        return batch
    }

    /// Whether publications wait in the inbox.
    package func hasInboxRows() async throws -> Bool {
        try await reading { try $0.integer(InboxTable.exists) == 1 }
    }

    /// The number of publications that wait in the inbox, at most `InboxTable.countedMax`.
    package func inboxCount() async throws -> Int {
        try await reading { try $0.integer(InboxTable.count, [InboxTable.countedMax]) ?? 0 }
    }

    /// A listener that is called when an application has published, once it has begun; nil for a
    /// store that takes no publications from SQL.
    ///
    /// - Parameter retryAfter: the pause before a lost connection is made again.
    package func inboxListener(retryAfter: Duration = .seconds(1)) -> NotificationListener? {
        engine.inboxListener(retryAfter: retryAfter)
    }

    /// The numbers of rows that were taken from the inbox; nil for a store without one.
    package var inboxCounts: InboxCounts? {
        engine is PostgresEngine ? inbox.withLock { $0 } : nil
    }
}
