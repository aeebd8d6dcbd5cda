/// Leading: one node of a cluster at a time runs the domains, evaluates alert rules, sends
/// webhooks, takes publications from SQL, and maintains the store. All nodes accept connections,
/// publish and recover.
extension HubService {
    /// The interval at which a hub that does not lead drops the changes of the outbox, which only
    /// a sender takes.
    private static let outboxPause = Duration.seconds(60)

    package nonisolated var isLeading: Bool { wired.leading.leader != nil }

    /// Begins to lead: opens the leader's parts as at a start, with the state that the store has,
    /// and runs their work. Does nothing if the hub leads or stops.
    ///
    /// The caller makes sure that no other node leads.
    ///
    /// - Throws: the error of a part that cannot be opened. The hub does not lead then.
    package func lead() async throws {
        try await wired.leading.turns.run { [self] in
            guard await !isStopping, !isLeading else { return }
            try await wired.lead()
            logger.notice("this node leads")
        }
    }

    /// Ends to lead. When it returns, no code of the leader's parts commits any more. Does nothing
    /// if the hub does not lead.
    ///
    /// Requests to the leader's routes that are in progress are completed, and work in the
    /// background is cancelled.
    package func follow() async {
        // The operation does not throw.
        try? await wired.leading.turns.run { [self] in
            guard isLeading else { return }
            await wired.follow()
            logger.notice("this node does not lead any longer")
        }
    }

    /// Until the task is cancelled. The changes are lost only while no sender runs: a sender first
    /// reads all of the outbox.
    static func dropOutboxChanges(_ wired: WiredHub) async {
        let (leading, store) = (wired.leading, wired.opened.store)
        while (try? await Task.sleep(for: outboxPause)) != nil {
            try? await leading.turns.run {
                if leading.leader == nil { _ = store.takeOutboxChanges() }
            }
        }
    }
}
