import Alerts
import JSONText
import PubSub
import Store
import Timekeeping

/// Where the rules of one owner stand for each topic whose events are nobody's state: friends' activities, and all
/// that an operator's backends publish. A value: whoever keeps it keeps the changed copy when its rows are committed.
///
/// A topic's rules evaluate the newest value of each field of its publications. Only fields that these rules
/// name are kept.
///
/// **Places.** What is kept of a topic takes up places, of about 1 KiB each (`placeBytes`). The caller says how many
/// there may be, see `AlertPlaces`. Publications of topics that get no place are passed over.
package struct TopicAlerts: Sendable {
    /// The domain of the rows with what was last told on a topic, for operators' rules; the key is its name.
    package static let domain = "topic_alerts"
    /// The same for users' rules; the key is the name and the user, with a space between them.
    package static let userDomain = "user_topic_alerts"
    /// The rows that say which publications were looked at; no topic has this domain.
    package static let cursorDomain = "topic_alerts_cursor"
    /// The row of operators' rules. See `AlertHoldings` for that of all users.
    package static let cursorKey = "cursor"
    /// What one place holds.
    package static let placeBytes = 1 << 10
    /// About what a rule and a field that it names take up in a board.
    private static let ruleBytes = 192
    private static let fieldBytes = AlertFields.textLengthMax + 64

    fileprivate struct Board: Sendable {
        var alerts: AlertBoard
        var fields = AlertFields()
        var places = 1
    }

    package let owner: AlertOwner
    private let feeds: any QuotedFeeds
    private var boards: [Topic: Board] = [:]
    /// Of the newest publication that was looked at; nil before the first commit.
    package private(set) var cursor: UInt64?
    /// When time by itself may change an alert, or earlier.
    package private(set) var nextDeadline: Timestamp?
    /// What all topics take up.
    package private(set) var places = 0

    /// What is told of an alert, with the tags of the publication that it quotes, if it is one of a feed.
    package struct AlertTold: Sendable {
        package var topic: Topic
        package var event: Event
        package var tags: [String: String]
    }

    /// What is to be committed together.
    package struct Outcome: Sendable {
        package var events: [AlertTold] = []
        package var alerts: [AlertRow] = []
        package var state: [StateRow] = []
        package var transitions = AlertTransitionCounts()
        /// Publications of topics that had no place.
        package var passedOver = 0

        package static func += (sum: inout Outcome, other: Outcome) {
            sum.events += other.events
            sum.alerts += other.alerts
            sum.state += other.state
            sum.transitions += other.transitions
            sum.passedOver += other.passedOver
        }
    }

    package init(owner: AlertOwner = .operator, feeds: any QuotedFeeds = NoQuotedFeeds()) {
        self.owner = owner
        self.feeds = feeds
    }

    // MARK: What the store has kept

    package mutating func restore(_ state: AlertState, of rule: AlertRuleKey, for topic: Topic) {
        change(topic) { $0.alerts.restore(state, of: rule) }
    }

    package mutating func restore(_ fields: AlertFields, for topic: Topic) {
        change(topic) { board in
            board.fields = fields
            board.places = Self.places(rules: 0, fields: fields.values.count)
        }
    }

    package mutating func restore(cursor: UInt64?) {
        self.cursor = cursor
    }

    /// Whether a row is about such a topic.
    package static func owns(_ row: AlertRow) -> Bool { topic(ofSubject: row.subject) != nil }

    /// Whether alerts are told on the topic, of which nobody is to be alerted in turn.
    package static func tellsAlerts(_ topic: Topic) -> Bool {
        topic.namespace == userAlertsNamespace || topic.name.hasSuffix(alertsSuffix)
    }

    private static let alertsSuffix = ":alerts"
    private static let subjectPrefix = "topic:"

    package static func topic(ofSubject subject: String) -> Topic? {
        guard subject.hasPrefix(subjectPrefix) else { return nil }
        return try? Topic(String(subject.dropFirst(subjectPrefix.count)))
    }

    // MARK: Inputs

    /// Evaluates the rules for each publication in turn.
    ///
    /// - Parameters:
    ///   - through: the cursor up to which there is nothing else to look at.
    ///   - rules: those of the owner that look at a topic now.
    ///   - placesMax: how many places there may be, if there are not more already.
    ///   - newID: makes a fresh id for each event and alert.
    package mutating func take(
        _ publications: [Publication],
        through newest: UInt64,
        rules: (Topic) -> [AlertRule],
        placesMax: Int = .max,
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = Changes()
        for publication in publications where publication.cursor > cursor ?? 0 {
            let topic = publication.topic
            let rules = rules(topic)
            guard !rules.isEmpty, !feeds.tellsOfAnErasure(publication),
                let data = told(by: publication)
            else { continue }
            let names = fieldNames(of: rules, topic)
            let needed = Self.places(rules: rules.count, fields: names.count)
            let former = boards[topic]?.places ?? 0
            guard needed <= former || places - former + needed <= placesMax else {
                changes.passedOver += 1
                continue
            }
            change(topic) { board in
                board.places = needed
                board.fields.take(data, only: names)
            }
            changes.fields.insert(topic)
            evaluate(topic, rules, now: now, newID: newID, &changes)
        }
        var outcome = outcome(of: changes)
        outcome.state.append(look(from: max(cursor ?? 0, newest)))
        return outcome
    }

    /// Evaluates what other rules or time alone may change: all topics, or those whose deadline has come.
    package mutating func evaluate(
        all: Bool,
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        evaluate(all ? topics : takeDue(now: now), rules: rules, now: now, newID: newID)
    }

    /// Evaluates these topics; one that no rule looks at any more is forgotten.
    package mutating func evaluate(
        _ topics: [Topic],
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = Changes()
        for topic in topics where knows(topic) {
            let rules = rules(topic)
            let names = fieldNames(of: rules, topic)
            change(topic) { board in
                board.fields.keep(only: names)
                // It grows with the next publication, if there is room then.
                let needed = Self.places(rules: rules.count, fields: names.count)
                board.places = min(board.places, needed)
            }
            evaluate(topic, rules, now: now, newID: newID, &changes)
            guard rules.isEmpty else { continue }
            remove(topic)
            changes.fields.insert(topic)
        }
        return outcome(of: changes)
    }

    /// All topics of which something is remembered, in order.
    package var topics: [Topic] { boards.keys.sorted { $0.name < $1.name } }

    /// The topics whose deadline has come, in order; `nextDeadline` is that of the others then, and of those that
    /// are evaluated.
    ///
    /// - Parameter countMax: if there are more, they are due still.
    package mutating func takeDue(now: Timestamp, countMax: Int = .max) -> [Topic] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var due: [Topic] = []
        var later: Timestamp?
        for (topic, board) in boards {
            guard let deadline = board.alerts.nextDeadline else { continue }
            if deadline <= now {
                due.append(topic)
            } else {
                later = min(later ?? deadline, deadline)
            }
        }
        self.nextDeadline = due.count > countMax ? now : later
        return Array(due.sorted { $0.name < $1.name }.prefix(countMax))
    }

    /// Forgets publications that were erased, and evaluates the rules that knew them without them.
    package mutating func erase(
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
                remove(topic)
                changes.fields.insert(topic)
                continue
            }
            guard let tags = feeds.tags(of: topic, fields), quote.covers(tags) else { continue }
            change(topic) { $0.fields = AlertFields() }
            changes.fields.insert(topic)
            evaluate(topic, rules(topic), now: now, newID: newID, &changes)
        }
        return outcome(of: changes)
    }

    /// Whether something is remembered of a topic.
    package func knows(_ topic: Topic) -> Bool { boards[topic] != nil }

    /// Ends what is remembered of topics that are no more. An alert that still stands there is cleared, as if
    /// its rule were withdrawn.
    package mutating func forget(_ topics: [Topic], now: Timestamp, newID: () -> String) -> Outcome
    {
        var changes = Changes()
        for topic in topics where knows(topic) {
            evaluate(topic, [], now: now, newID: newID, &changes)
            remove(topic)
            changes.fields.insert(topic)
        }
        return outcome(of: changes)
    }

    /// Complexity: O(topics with rules).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        for board in boards.values { standing.add(board.alerts) }
    }

    // MARK: Boards

    /// Changes the board of a topic, which is made if there is none, and counts its places.
    private mutating func change(_ topic: Topic, _ body: (inout Board) -> Void) {
        let former = boards[topic]?.places ?? 0
        body(&boards[topic, default: Board(topic)])
        places += (boards[topic]?.places ?? 0) - former
    }

    private mutating func remove(_ topic: Topic) {
        guard let board = boards.removeValue(forKey: topic) else { return }
        places -= board.places
    }

    private static func places(rules: Int, fields: Int) -> Int {
        let fields = min(fields, AlertFields.countMax)
        return 1 + (rules * ruleBytes + fields * fieldBytes) / placeBytes
    }

    /// What is kept of a topic: what its rules name, and which publication of a feed it is.
    private func fieldNames(of rules: [AlertRule], _ topic: Topic) -> AlertFieldNames {
        AlertFieldNames(rules.flatMap(\.fieldNames) + feeds.fieldNames(of: topic))
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
        if let deadline = board.alerts.nextDeadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
        let tags = feeds.tags(of: topic, board.fields) ?? [:]
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
                    domain: owner == .operator ? TopicAlerts.domain : TopicAlerts.userDomain,
                    key: owner.user.map { "\(topic.name) \($0)" } ?? topic.name,
                    value: boards[topic]?.fields.json
                )
            )
        }
        return outcome
    }

    /// The topic and the owner of a row with what was last told; nil for rows that no version of the hub has
    /// written.
    package static func subject(of row: StateRow) -> (topic: Topic, owner: AlertOwner)? {
        guard row.domain == userDomain else {
            return (try? Topic(row.key)).map { ($0, .operator) }
        }
        let parts = row.key.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let topic = try? Topic(String(parts[0])) else { return nil }
        return (topic, .user(String(parts[1])))
    }

    /// A user whose rules are ahead of others' must not look at the same publications twice.
    package static func cursorKey(of owner: AlertOwner) -> String {
        owner.user.map { "\(cursorKey) \($0)" } ?? cursorKey
    }

    /// Says how far publications were looked at; nil takes that away, when there is nothing to look for.
    package mutating func look(from newest: UInt64?) -> StateRow {
        cursor = newest
        return StateRow(
            domain: TopicAlerts.cursorDomain,
            key: TopicAlerts.cursorKey(of: owner),
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
