import Logging

// Commits, and the treatment of their failures.
//
// **A failure that may pass** (`StoreError.mayPass`: the server is away, the disk is full) postpones
// the rest of the step: publications return to the front of their queues, and everything is done
// again after a pause. The bounds of the queues hold meanwhile. A change that the store never takes
// is given up and counted.
//
// **Unknown outcome.** A commit waits until its outcome is known (`HubStore.commit`), so memory and
// store agree whenever this code continues.

extension TopicAlertsFollower {
    package enum CommitResult: Sendable, Equatable {
        case committed
        /// The store may take the change later.
        case postponed
        /// The store never takes this change.
        case refused
    }

    /// Whether nothing more is committed in this step.
    var isPostponed: Bool { work.withLock(\.isPostponed) }

    package func commit(
        _ outcome: AlertBoards.Outcome,
        _ next: AlertHoldings,
        erasing erased: [ErasedQuotes] = []
    ) async -> CommitResult {
        guard !isPostponed else { return .postponed }
        var change = Change()
        publisher.add(outcome, to: &change)
        for quote in erased { quote.erase(in: &change) }
        do {
            if change != Change() { _ = try await store.commit(change) }
        } catch {
            if noteFailure(error) {
                logger.error("alerts not committed", metadata: ["err": "\(error)"])
            }
            return isPostponed ? .postponed : .refused
        }
        replaceAlerts(with: next)
        publisher.report(outcome, committedWith: change)
        return .committed
    }

    private func replaceAlerts(with next: AlertHoldings) {
        let former = alerts.withLock { alerts in
            defer { alerts = next }
            return alerts.bytes
        }
        budget.add(next.bytes - former, to: .alerts)
    }

    /// Postpones the rest of the step if the failure may pass.
    ///
    /// - Returns: whether to log it: a failure that lasts is logged once.
    func noteFailure(_ error: any Error) -> Bool {
        guard let error = error as? StoreError, error.mayPass else { return true }
        return work.withLock { work in
            work.isPostponed = true
            defer { work.failure = error.code }
            return work.failure != error.code
        }
    }

    /// Takes up postponed work.
    func takeUpAgain() {
        work.withLock { $0.isPostponed = false }
    }
}
