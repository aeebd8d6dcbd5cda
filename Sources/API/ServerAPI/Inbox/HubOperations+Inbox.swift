import Service

/// Publications from SQL.
extension HubOperations {
    /// The interval at which the inbox is looked at without a notification.
    private static let lookInterval = Duration.seconds(1)
    /// The bytes of the rows of one transaction.
    private static let batchBytesMax = 1 << 20

    /// Takes publications from SQL until the task is cancelled. Returns at once if the store takes
    /// none.
    package func takePublicationsFromSQL() async {
        guard let listener = store.inboxListener() else { return }
        let alarm = Alarm()
        listener.begin { [logger] event in
            switch event {
            case .wake: alarm.ring()
            case .lost(let error):
                logger.warning(
                    "publications from SQL are delayed: no connection for notifications",
                    metadata: ["err": "\(error)"],
                    source: LogSource.peer
                )
            }
        }
        let mover = InboxMover(
            inbox: inbox,
            alarm: alarm,
            pause: { try await Task.sleep(for: Self.lookInterval) },
            logger: logger
        )
        await mover.run()
        listener.stop()
    }

    private var inbox: InboxMover.Inbox {
        InboxMover.Inbox(
            hasRows: { [store] in try await store.hasInboxRows() },
            take: { rowsMax in
                let rules = InboxRules(
                    namespaces: transport.rules,
                    requestBytesMax: transport.requestBytesMax,
                    time: clock.now,
                    change: change
                )
                return try await take(rowsMax) { rules.verdict(on: $0) }
            },
            refuseOldest: { reason in try await take(1) { _ in .refuse(reason: reason) } }
        )
    }

    private func take(
        _ rowsMax: Int,
        _ decide: @escaping @Sendable (InboxRow) -> InboxVerdict
    ) async throws -> InboxBatch {
        let batch = try await store.takeInbox(
            rowsMax: rowsMax,
            bytesMax: Self.batchBytesMax,
            decide
        )
        if batch.hasDeliveries { wakeOutbox() }
        return batch
    }
}
