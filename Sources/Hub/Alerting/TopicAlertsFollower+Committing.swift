import Alerts
import Logging
import PubSub
import Store

// Commits, and the treatment of their failures.
//
// **A failure that may pass** (`StoreError.mayPass`: the server is away, the disk is full) postpones
// the rest of the step: publications return to the front of their queues, and everything is done
// again after a pause. The bounds of the queues hold meanwhile. A change that the store never takes
// is given up and counted.
//
// **Unknown outcome.** After `fateUnknown` the store may or may not have the change, so evaluating
// again from memory could raise an alert a second time. The store has one transaction at a time: once
// it has committed another one, the outcome is settled. The state is then read again, as after the
// end of a process, and the stored cursors leave out the publications that were evaluated. Counters
// and log entries lack the alerts of a change that turns out to be stored. (An SQLite file never has
// it while the process lives. PostgreSQL may, if it could not be asked in time.)

extension TopicAlertsFollower {
    package enum CommitResult: Sendable, Equatable {
        case committed
        /// The store may take the change later.
        case postponed
        /// The store never takes this change.
        case refused
    }

    /// Deletes a row that does not exist: a transaction without an effect.
    private static let noEffect =
        StateRow(domain: FollowedTopics.cursorDomain, key: "none", value: nil)

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
            if error.code == .fateUnknown { work.isUncertain = true }
            defer { work.failure = error.code }
            return work.failure != error.code
        }
    }

    /// Takes up postponed work. If the outcome of a commit is unknown, reads the state of the rules
    /// from the store first.
    func takeUpAgain() async {
        work.withLock { $0.isPostponed = false }
        guard work.withLock(\.isUncertain) else { return }
        var holdings = alerts.withLock(\.emptied)
        let restored: AlertHoldings.Restored
        do {
            _ = try await store.commit(Change(state: [Self.noEffect]))
            restored = holdings.restore(
                alerts: try await store.alertStates(),
                fields: try await store.state(domain: FollowedTopics.domain)
                    + store.state(domain: FollowedTopics.userDomain),
                cursors: try await store.state(domain: FollowedTopics.cursorDomain),
                book: book
            )
        } catch {
            if noteFailure(error) {
                logger.error("state of alert rules not read", metadata: ["err": "\(error)"])
            }
            // Whatever it is: memory and store may differ.
            work.withLock { $0.isPostponed = true }
            return
        }
        replaceAlerts(with: holdings)
        work.withLock { work in
            work.isUncertain = false
            work.stale += restored.stale
            work.recheckAll()
        }
        publisher.wakeOutbox()
    }
}
