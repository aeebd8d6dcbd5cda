import Alerting
import Alerts
import Locking
import PubSub
import Radar
import Store
import Tasks
import Timekeeping

/// Where the rules stand for each radar, and what was last told of it.
///
/// A radar's board is taken, changed and kept by whoever has the radar to himself (`RadarService.execution`);
/// between `take` and `keep` lies the commit. Only radars that a rule has looked at have one.
package final class RadarAlerts: Sendable {
    /// The domain of the rows with what was last told of a radar.
    package static let domain = "alerts"

    package let book: AlertBook
    /// Rings when a rule or a board's next deadline has changed.
    package let alarm = Alarm()
    private let boards: Locked<[String: Board]>

    fileprivate struct Board: Sendable {
        var alerts: AlertBoard
        var fields = AlertFields()
        /// Of the book, when the board was last evaluated.
        var version = 0

        init(radarID: String) {
            alerts = AlertBoard(
                subject: AlertSubject(
                    topic: .radar(radarID),
                    alertsTopic: .radarAlerts(radarID),
                    domain: Topic.radarNamespace,
                    id: radarID
                )
            )
        }
    }

    /// What a change of a radar has made of its board: to be committed, and to be kept then.
    package struct Taken: Sendable {
        fileprivate var radarID: String
        /// Nil for one that is forgotten.
        fileprivate var board: Board?
        package var events: [(topic: Topic, event: Event)] = []
        package var alerts: [AlertRow] = []
        package var state: [StateRow] = []
        package var transitions = AlertTransitionCounts()
    }

    /// Takes back what the store has kept; rows that no version of the hub has written are passed over.
    package init(book: AlertBook, alerts rows: [AlertRow], state: [StateRow]) {
        self.book = book
        var boards: [String: Board] = [:]
        for row in rows {
            guard let id = RadarAlerts.radarID(ofSubject: row.subject),
                Topic.isRadarID(id), let state = row.alertState
            else { continue }
            boards[id, default: Board(radarID: id)].alerts
                .restore(state, of: AlertRuleKey(text: row.rule))
        }
        for row in state {
            guard Topic.isRadarID(row.key), let value = row.value,
                let fields = AlertFields(json: value)
            else { continue }
            boards[row.key, default: Board(radarID: row.key)].fields = fields
        }
        self.boards = Locked(boards)
        book.connect(alarm)
    }

    /// The subject of the rows of a radar, which no place of another domain has.
    package static func subject(_ radarID: String) -> String { "radar:\(radarID)" }

    private static func radarID(ofSubject subject: String) -> String? {
        subject.hasPrefix("radar:") ? String(subject.dropFirst("radar:".count)) : nil
    }

    /// Whether a row is about a radar.
    package static func owns(_ row: AlertRow) -> Bool { radarID(ofSubject: row.subject) != nil }

    // MARK: Inputs

    /// Evaluates the rules for each event in turn; without events, once.
    ///
    /// - Parameter newID: makes a fresh id for each event and alert.
    /// - Returns: nil when no rule looks at the radar, and none has.
    package func take(
        _ events: [Event],
        of id: String,
        now: Timestamp,
        newID: () -> String
    ) -> Taken? {
        let version = book.version
        let rules = book.rules(for: .radar(id))
        let known = boards.withLock { $0[id] }
        guard known != nil || !rules.isEmpty else { return nil }
        var board = known ?? Board(radarID: id)
        let before = board.fields
        board.version = version
        var taken = Taken(radarID: id)
        for event in events {
            board.fields.take(event.data)
            taken.add(board.alerts.evaluate(rules, board.fields.values, now: now, newID: newID))
        }
        if events.isEmpty {
            taken.add(board.alerts.evaluate(rules, board.fields.values, now: now, newID: newID))
        }
        let isForgotten = rules.isEmpty
        if isForgotten || board.fields != before {
            let value = isForgotten ? nil : board.fields.json
            taken.state = [StateRow(domain: RadarAlerts.domain, key: id, value: value)]
        }
        taken.board = isForgotten ? nil : board
        return taken
    }

    /// Withdraws all that hangs on a radar, which is deleted; nil when nothing does.
    package func end(_ id: String, now: Timestamp, newID: () -> String) -> Taken? {
        guard var board = boards.withLock({ $0[id] }) else { return nil }
        var taken = Taken(radarID: id)
        taken.add(board.alerts.evaluate([], board.fields.values, now: now, newID: newID))
        taken.state = [StateRow(domain: RadarAlerts.domain, key: id, value: nil)]
        return taken
    }

    /// What was taken is committed.
    package func keep(_ taken: Taken) {
        boards.withLock { $0[taken.radarID] = taken.board }
        if taken.board?.alerts.nextDeadline != nil { alarm.ring() }
    }

    /// Has a radar evaluated again: who may read it has changed.
    package func recheck(_ id: String) {
        boards.withLock { $0[id]?.version = 0 }
        alarm.ring()
    }

    // MARK: Time

    /// The radars whose rules or deadlines want an evaluation, and when the next one will.
    ///
    /// Complexity: O(radars that rules look at).
    package func due(now: Timestamp) -> (radars: [String], next: Timestamp?) {
        let version = book.version
        return boards.withLock { boards in
            var due: [String] = []
            var next: Timestamp?
            for (id, board) in boards {
                let deadline = board.alerts.nextDeadline
                if board.version != version || deadline.map({ $0 <= now }) ?? false {
                    due.append(id)
                } else if let deadline {
                    next = min(next ?? deadline, deadline)
                }
            }
            return (due.sorted(), next)
        }
    }

    /// Complexity: O(radars that rules look at).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        boards.withLock { boards in
            for board in boards.values { standing.add(board.alerts) }
        }
    }
}

extension RadarAlerts.Taken {
    fileprivate mutating func add(_ outcome: AlertBoard.Outcome) {
        events += outcome.events
        transitions.add(outcome.transitions, of: Topic.radarNamespace)
        for (rule, state) in outcome.states {
            // The last state is the one that counts.
            alerts.removeAll { $0.rule == rule }
            let subject = RadarAlerts.subject(radarID)
            alerts.append(AlertRow(rule: rule, subject: subject, alertState: state))
        }
    }
}
