import Alerts
import JSONText
import PubSub
import Store
import Timekeeping

/// Where the rules stand for each topic whose events are nobody's state: friends' activities, and all that an
/// operator's backends publish. A value: whoever keeps it keeps the changed copy when its rows are committed.
///
/// What a topic's rules look at are the fields that its publications have told, the newest of each.
struct TopicAlerts: Sendable {
    /// The domain of the rows with what was last told on a topic; the key is its name.
    static let domain = "topic_alerts"
    /// The row that says which publications were looked at; no topic has this domain.
    static let cursorDomain = "topic_alerts_cursor"
    static let cursorKey = "cursor"
    /// Topics with rules; publications of further ones are passed over, and the outcome says how many.
    static let boardsMax = 1 << 16

    fileprivate struct Board: Sendable {
        var alerts: AlertBoard
        var fields = AlertFields()
    }

    private var boards: [Topic: Board] = [:]
    /// Of the newest publication that was looked at; nil before the first commit.
    private(set) var cursor: UInt64?
    private let boardsMax: Int

    /// What is told of an alert, with the tags of the act that it quotes, if it is one.
    struct AlertTold: Sendable {
        var topic: Topic
        var event: Event
        var tags: [String: String]
    }

    /// What is to be committed together.
    struct Outcome: Sendable {
        var events: [AlertTold] = []
        var alerts: [AlertRow] = []
        var state: [StateRow] = []
        var transitions = AlertTransitionCounts()
        /// Publications of topics that had no place.
        var passedOver = 0
    }

    init(boardsMax: Int = TopicAlerts.boardsMax) {
        self.boardsMax = boardsMax
    }

    /// Takes back what the store has kept; rows that no version of the hub has written are passed over.
    init(alerts rows: [AlertRow], state: [StateRow], cursor row: StateRow?) {
        boardsMax = TopicAlerts.boardsMax
        for row in rows {
            guard let topic = TopicAlerts.topic(ofSubject: row.subject), let state = row.alertState
            else { continue }
            boards[topic, default: Board(topic)].alerts
                .restore(state, of: AlertRuleKey(text: row.rule))
        }
        for row in state {
            guard let topic = try? Topic(row.key), let value = row.value,
                let fields = AlertFields(json: value)
            else { continue }
            boards[topic, default: Board(topic)].fields = fields
        }
        cursor = row?.value.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether a row is about such a topic.
    static func owns(_ row: AlertRow) -> Bool { topic(ofSubject: row.subject) != nil }

    /// Whether alerts are told on the topic, of which nobody is to be alerted in turn.
    static func tellsAlerts(_ topic: Topic) -> Bool {
        topic.namespace == userAlertsNamespace || topic.name.hasSuffix(alertsSuffix)
    }

    private static let alertsSuffix = ":alerts"
    private static let subjectPrefix = "topic:"

    private static func topic(ofSubject subject: String) -> Topic? {
        guard subject.hasPrefix(subjectPrefix) else { return nil }
        return try? Topic(String(subject.dropFirst(subjectPrefix.count)))
    }

    // MARK: Inputs

    /// Evaluates the rules for each publication in turn.
    ///
    /// - Parameters:
    ///   - through: the cursor up to which there is nothing else to look at.
    ///   - rules: those that look at a topic now.
    ///   - newID: makes a fresh id for each event and alert.
    mutating func take(
        _ publications: [Publication],
        through newest: UInt64,
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = Changes()
        for publication in publications where publication.cursor > cursor ?? 0 {
            let topic = publication.topic
            let rules = rules(topic)
            guard !rules.isEmpty, !publication.tellsOfADeletedAct,
                let data = told(by: publication)
            else { continue }
            guard boards[topic] != nil || boards.count < boardsMax else {
                changes.passedOver += 1
                continue
            }
            boards[topic, default: Board(topic)].fields.take(data)
            changes.fields.insert(topic)
            evaluate(topic, rules, now: now, newID: newID, &changes)
        }
        var outcome = outcome(of: changes)
        outcome.state.append(look(from: max(cursor ?? 0, newest)))
        return outcome
    }

    /// Evaluates what other rules or time alone may change: all topics, or those whose deadline has come.
    mutating func evaluate(
        all: Bool,
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = Changes()
        for topic in boards.keys.sorted(by: { $0.name < $1.name }) {
            let isDue = boards[topic]?.alerts.nextDeadline.map { $0 <= now } ?? false
            guard all || isDue else { continue }
            let rules = rules(topic)
            evaluate(topic, rules, now: now, newID: newID, &changes)
            guard rules.isEmpty else { continue }
            boards[topic] = nil
            changes.fields.insert(topic)
        }
        return outcome(of: changes)
    }

    /// Forgets acts that were erased, and evaluates the rules that knew them without them.
    mutating func erase(
        _ quotes: [ErasedQuotes],
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = Changes()
        for quote in quotes {
            let topic = quote.feed
            guard let fields = boards[topic]?.fields else { continue }
            guard quote.tag != nil else {
                // The feed has ended, and whoever would be told has left.
                evaluate(topic, [], now: now, newID: newID, &changes)
                changes.events.removeAll { $0.event.subject == topic.name }
                boards[topic] = nil
                changes.fields.insert(topic)
                continue
            }
            guard let act = QuotedAct(feed: topic, fields), quote.covers(act.tags) else { continue }
            boards[topic]?.fields = AlertFields()
            changes.fields.insert(topic)
            evaluate(topic, rules(topic), now: now, newID: newID, &changes)
        }
        var outcome = outcome(of: changes)
        outcome.state += quotes.map { StateRow(domain: $0.row.domain, key: $0.row.key, value: nil) }
        return outcome
    }

    /// Whether something is remembered of a topic.
    func knows(_ topic: Topic) -> Bool { boards[topic] != nil }

    /// Ends what is remembered of topics that are no more. An alert that still stands there is cleared, as if
    /// its rule were withdrawn.
    mutating func forget(_ topics: [Topic], now: Timestamp, newID: () -> String) -> Outcome {
        var changes = Changes()
        for topic in topics where knows(topic) {
            evaluate(topic, [], now: now, newID: newID, &changes)
            boards[topic] = nil
            changes.fields.insert(topic)
        }
        return outcome(of: changes)
    }

    /// When time alone may change an alert. Complexity: O(topics with rules).
    var nextDeadline: Timestamp? { boards.values.compactMap(\.alerts.nextDeadline).min() }

    /// Complexity: O(topics with rules).
    func addStandingAlerts(to standing: inout StandingAlerts) {
        for board in boards.values { standing.add(board.alerts) }
    }

    // MARK: Outcomes

    private struct Changes {
        var events: [AlertTold] = []
        /// By topic and rule, the last state.
        var states: [Topic: [String: AlertState?]] = [:]
        /// Topics whose fields are to be written.
        var fields: Set<Topic> = []
        var transitions = AlertTransitionCounts()
        var passedOver = 0
    }

    private mutating func evaluate(
        _ topic: Topic,
        _ rules: [AlertRule],
        now: Timestamp,
        newID: () -> String,
        _ changes: inout Changes
    ) {
        guard var board = boards[topic] else { return }
        let found = board.alerts.evaluate(rules, board.fields.values, now: now, newID: newID)
        boards[topic] = board
        let tags = QuotedAct(feed: topic, board.fields)?.tags ?? [:]
        changes.events += found.events.map {
            AlertTold(topic: $0.topic, event: $0.event, tags: tags)
        }
        changes.transitions.add(found.transitions, of: board.alerts.subject.domain)
        for (rule, state) in found.states { changes.states[topic, default: [:]][rule] = state }
    }

    private func outcome(of changes: Changes) -> Outcome {
        var outcome = Outcome(events: changes.events)
        outcome.transitions = changes.transitions
        outcome.passedOver = changes.passedOver
        for (topic, states) in changes.states.sorted(by: { $0.key.name < $1.key.name }) {
            let subject = TopicAlerts.subjectPrefix + topic.name
            for (rule, state) in states.sorted(by: { $0.key < $1.key }) {
                outcome.alerts.append(AlertRow(rule: rule, subject: subject, alertState: state))
            }
        }
        for topic in changes.fields.sorted(by: { $0.name < $1.name }) {
            outcome.state.append(
                StateRow(
                    domain: TopicAlerts.domain,
                    key: topic.name,
                    value: boards[topic]?.fields.json
                )
            )
        }
        return outcome
    }

    /// Says how far publications were looked at; nil takes that away, when there is nothing to look for.
    mutating func look(from newest: UInt64?) -> StateRow {
        cursor = newest
        return StateRow(
            domain: TopicAlerts.cursorDomain,
            key: TopicAlerts.cursorKey,
            value: newest.map { Array(String($0).utf8) }
        )
    }
}

extension TopicAlerts.Board {
    fileprivate init(_ topic: Topic) {
        alerts = AlertBoard(
            subject: AlertSubject(
                topic: topic,
                alertsTopic: Topic(trusted: topic.name + ":alerts"),
                domain: String(topic.namespace),
                id: topic.name
            )
        )
    }
}

/// The members that rules look at: a CloudEvent's data, or the payload itself; nil for what is no object.
private func told(by publication: Publication) -> [UInt8]? {
    let payload = publication.payload
    guard payload.first == UInt8(ascii: "{") else { return nil }
    guard let members = try? JSONReader.fields(of: payload[...]) else { return nil }
    let isCloudEvent = members.contains { $0.key == "specversion" }
    guard isCloudEvent, let data = members.first(where: { $0.key == "data" }) else {
        return payload
    }
    return Array(data.value)
}
