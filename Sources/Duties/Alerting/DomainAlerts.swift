import Logging

/// The alerts of a domain whose subjects change one by one, evaluated in the change that publishes.
///
/// Only one caller at a time may change a subject: it takes the subject's board, commits the result
/// with the change, and keeps the board if the commit succeeds. The rows of the same change record
/// the boards.
package final class DomainAlerts: Sendable {
    /// The maximum pause between two checks of the clock, since the clock can be set.
    private static let pauseMax = Duration.seconds(60)
    private static let pauseMin = Duration.seconds(1)

    private struct State {
        var boards: AlertBoards
        /// The version of the book at the last evaluation of each subject. Empty after a restart:
        /// rules may have changed meanwhile.
        var versions: [String: Int] = [:]
    }

    private let book: AlertBook
    /// Rings when a rule or the next deadline has changed.
    private let alarm = Alarm()
    private let state: Locked<State>

    /// The silences for the alerts.
    package var silences: AlertSilences { book.silences }

    /// The changed board of a subject, to commit and then to keep.
    package struct Taken: Sendable {
        package let id: String
        package let outcome: AlertBoards.Outcome
        fileprivate let board: AlertBoards
        fileprivate let version: Int
    }

    /// - Parameters:
    ///   - alerts: rows of all domains.
    ///   - fields: the rows of the subjects' `fieldsDomain`.
    package init(
        _ subjects: any AlertSubjects,
        book: AlertBook,
        alerts: [AlertRow],
        fields: [StateRow],
        logger: Logger
    ) {
        self.book = book
        var boards = AlertBoards(subjects)
        logger.warn(ofUnusableAlertRows: boards.restore(alerts: alerts, fields: fields))
        state = Locked(State(boards: boards))
        book.connect(alarm)
    }

    // MARK: Inputs

    /// Evaluates the rules for each event in turn; without events, once.
    ///
    /// - Parameter newID: returns a new id for each event and alert.
    /// - Returns: nil if no rule looks at the subject, and no rule has looked at it.
    package func take(
        _ events: [Event],
        of id: String,
        now: Timestamp,
        newID: () -> String
    ) -> Taken? {
        // Read before the rules: after a concurrent change of rules, the subject is evaluated once
        // more.
        let version = book.version
        let former = state.withLock { $0.boards.part(id) }
        var board = former
        let outcome = board.take(
            events,
            of: id,
            rules: { [book] in book.rules(for: $0) },
            now: now,
            newID: newID
        )
        guard former.knows(id) || board.knows(id) else { return nil }
        return Taken(id: id, outcome: outcome, board: board, version: version)
    }

    /// Clears all alerts of a deleted subject; returns nil if no rule has looked at it.
    package func end(_ id: String, now: Timestamp, newID: () -> String) -> Taken? {
        var board = state.withLock { $0.boards.part(id) }
        guard board.knows(id) else { return nil }
        let outcome = board.forget([id], now: now, newID: newID)
        return Taken(id: id, outcome: outcome, board: board, version: 0)
    }

    /// Keeps a changed board after its commit.
    package func keep(_ taken: Taken) {
        state.withLock { state in
            state.boards.replace(taken.id, with: taken.board)
            state.versions[taken.id] = taken.board.knows(taken.id) ? taken.version : nil
        }
        if taken.board.nextDeadline != nil { alarm.ring() }
    }

    /// Marks a subject for another evaluation, because other users may read it.
    package func recheck(_ id: String) {
        state.withLock { $0.versions[id] = nil }
        alarm.ring()
    }

    // MARK: Time and changed rules

    /// Returns the subjects to evaluate because rules have changed or a deadline has passed, and
    /// the next deadline.
    ///
    /// Complexity: O(subjects with a board).
    package func due(now: Timestamp) -> (ids: [String], next: Timestamp?) {
        let version = book.version
        return state.withLock { state in
            var due: [String] = []
            var next: Timestamp?
            for id in state.boards.ids {
                let deadline = state.boards.deadline(of: id)
                if state.versions[id] != version || deadline.map({ $0 <= now }) ?? false {
                    due.append(id)
                } else if let deadline {
                    next = min(next ?? deadline, deadline)
                }
            }
            return (due, next)
        }
    }

    /// Evaluates subjects when they are due, until cancelled.
    ///
    /// - Parameter evaluate: takes the subject without events, then commits and keeps the result. A
    ///   subject whose result is not kept is due again.
    package func run(_ clock: HubClock, evaluate: (_ id: String) async -> Void) async {
        while !Task.isCancelled {
            let now = clock.now
            let (ids, next) = due(now: now)
            for id in ids where !Task.isCancelled { await evaluate(id) }
            let wait = next.map { $0 - now } ?? DomainAlerts.pauseMax
            let pause = min(max(wait, DomainAlerts.pauseMin), DomainAlerts.pauseMax)
            await alarm.wait { try await clock.sleep(pause) }
        }
    }

    /// Complexity: O(subjects with a board).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        state.withLock { $0.boards.addStandingAlerts(to: &standing) }
    }
}
