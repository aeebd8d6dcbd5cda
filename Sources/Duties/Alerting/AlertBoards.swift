/// The states of alert rules for the subjects of one family. All alerts of a hub originate here:
/// domains evaluate rules in the change that publishes, `TopicAlertsFollower` after the commit for
/// all other topics.
///
/// **States and inputs.** Each subject has a board (`AlertBoard`) with the newest values of its
/// fields. `take` and `evaluate` bring new values; `evaluate` of ids is for deadlines that have
/// passed and for changed rules; `forget` and `erase` are for subjects and publications that no
/// longer exist. A subject has a board from the first value that a rule looks at until no rule
/// looks at it.
///
/// **Duties.** This is a value type: change a copy, commit the outcome, and keep the copy only if
/// the commit has succeeded. The boards then always match the stored rows, and a hub that was
/// killed continues from both. Evaluate again when `nextDeadline` has passed, and all `ids` when
/// rules have changed.
///
/// **Places.** A board takes up places, of about 1 KiB each (`placeBytes`). Publications of
/// subjects that get no place are passed over and counted.
///
/// **Elsewhere.** `AlertBook` determines the rules that apply, `AlertWork` the order of turns, and
/// `AlertHoldings` the publications that were evaluated.
package struct AlertBoards: Sendable {
    /// The size of one place, in bytes.
    package static let placeBytes = 1 << 10
    /// The approximate size, in bytes, that a rule and each field that it names take up in a board.
    private static let ruleBytes = 192
    private static let fieldBytes = AlertFields.textLengthMax + 64

    fileprivate struct Board: Sendable {
        var alerts: AlertBoard
        var fields = AlertFields()
        var places = 1
    }

    package let subjects: any AlertSubjects
    private var boards: [String: Board] = [:]
    /// A lower bound of all deadlines; the earliest deadline may be later, or there may be none.
    package private(set) var deadlineBound: Timestamp?
    /// The number of places that all boards take up.
    package private(set) var places = 0

    package init(_ subjects: any AlertSubjects) {
        self.subjects = subjects
    }

    // MARK: Stored rows

    /// Restores the boards from stored rows; rows of other families are ignored.
    ///
    /// - Parameter fields: the rows of `fieldsDomain`.
    /// - Returns: the names of rows of this family that cannot be used, for the log.
    package mutating func restore(alerts: [AlertRow], fields: [StateRow] = []) -> [String] {
        var unusable: [String] = []
        for row in alerts {
            guard let id = subjects.id(ofRow: row.subject) else { continue }
            guard let state = row.alertState, subjects.subject(id) != nil else {
                unusable.append("\(row.rule)/\(row.subject)")
                continue
            }
            restore(state, of: AlertRuleKey(text: row.rule), for: id)
        }
        for row in fields {
            guard subjects.subject(row.key) != nil, let fields = row.alertFields else {
                unusable.append("\(row.domain)/\(row.key)")
                continue
            }
            restore(fields, for: row.key)
        }
        return unusable
    }

    package mutating func restore(_ state: AlertState, of rule: AlertRuleKey, for id: String) {
        change(id) { $0.alerts.restore(state, of: rule) }
    }

    package mutating func restore(_ fields: AlertFields, for id: String) {
        change(id) { board in
            board.fields = fields
            board.places = Self.places(rules: 0, fields: fields.values.count)
        }
    }

    /// Creates a board for a subject before any rule looks at it.
    package mutating func open(_ id: String) {
        change(id) { _ in }
    }

    // MARK: Values

    /// Evaluates the rules for each publication in turn. For families whose ids are the names of
    /// topics.
    ///
    /// - Parameters:
    ///   - publications: in commit order.
    ///   - rules: returns the rules that look at a topic.
    ///   - placesMax: the maximum number of places; boards that already take up more keep them.
    ///   - newID: returns a new id for each event and alert.
    package mutating func take(
        _ publications: [Publication],
        rules: (Topic) -> [AlertRule],
        placesMax: Int = .max,
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = AlertChanges()
        for publication in publications {
            let topic = publication.topic
            let rules = rules(topic)
            guard !rules.isEmpty, subjects.quotedFeeds.isForRules(publication) else {
                continue
            }
            guard let data = publication.alertData else {
                changes.passedOver[.unreadable, default: 0] += 1
                continue
            }
            let names = subjects.fieldNames(of: rules, topic)
            let needed = Self.places(rules: rules.count, fields: names?.count ?? 0)
            let former = boards[topic.name]?.places ?? 0
            guard needed <= former || places - former + needed <= placesMax else {
                changes.passedOver[.topics, default: 0] += 1
                continue
            }
            change(topic.name) { board in
                board.places = needed
                board.fields.take(data, only: names)
            }
            changes.fields.insert(topic.name)
            evaluate(topic.name, rules, now: now, newID: newID, &changes)
        }
        return outcome(of: changes)
    }

    /// Evaluates the rules for each event of a subject in turn; without events, once.
    package mutating func take(
        _ events: [Event],
        of id: String,
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        guard let topic = subjects.subject(id)?.topic else { return Outcome() }
        let found = rules(topic)
        guard !events.isEmpty, !found.isEmpty else {
            return evaluate([id], rules: { _ in found }, now: now, newID: newID)
        }
        var changes = AlertChanges()
        let before = boards[id]?.fields
        let names = subjects.fieldNames(of: found, topic)
        for event in events {
            change(id) { $0.fields.take(event.data, only: names) }
            evaluate(id, found, now: now, newID: newID, &changes)
        }
        change(id) { board in
            let fields = names?.count ?? board.fields.values.count
            board.places = Self.places(rules: found.count, fields: fields)
        }
        if boards[id]?.fields != before { changes.fields.insert(id) }
        return outcome(of: changes)
    }

    /// Evaluates the rules for these values of a subject, which are its only values.
    ///
    /// - Parameter headline: one line for people.
    package mutating func evaluate(
        _ id: String,
        values: [String: AlertValue],
        headline: AlertHeadline,
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        guard let topic = subjects.subject(id)?.topic else { return Outcome() }
        var changes = AlertChanges()
        open(id)
        let told = (values: values, headline: headline)
        evaluate(id, rules(topic), told, now: now, newID: newID, &changes)
        return outcome(of: changes)
    }

    // MARK: Time and changed rules

    /// Evaluates the rules for these subjects, and removes the subjects that no rule looks at any
    /// longer.
    package mutating func evaluate(
        _ ids: [String],
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = AlertChanges()
        for id in ids {
            guard let topic = boards[id]?.alerts.subject.topic else { continue }
            let rules = rules(topic)
            let names = subjects.fieldNames(of: rules, topic)
            change(id) { board in
                if let names { board.fields.keep(only: names) }
                // The number grows with the next publication, if there is room then.
                let fields = names?.count ?? board.fields.values.count
                board.places = min(board.places, Self.places(rules: rules.count, fields: fields))
            }
            evaluate(id, rules, now: now, newID: newID, &changes)
            guard rules.isEmpty else { continue }
            remove(id)
            changes.fields.insert(id)
        }
        return outcome(of: changes)
    }

    /// All subjects with a board, in order.
    package var ids: [String] { boards.keys.sorted() }

    /// Whether a subject has a board.
    package func knows(_ id: String) -> Bool { boards[id] != nil }

    /// The time at which an alert may change without a publication. Complexity: O(subjects).
    package var nextDeadline: Timestamp? {
        boards.values.compactMap(\.alerts.nextDeadline).min()
    }

    /// The time at which an alert of a subject may change without a publication.
    package func deadline(of id: String) -> Timestamp? { boards[id]?.alerts.nextDeadline }

    /// Returns the subjects whose deadline has passed, in order. Afterwards, `deadlineBound` covers
    /// only the other subjects, and those that are evaluated.
    ///
    /// - Parameter countMax: the maximum number of subjects to return; the others remain due.
    package mutating func takeDue(now: Timestamp, countMax: Int = .max) -> [String] {
        guard let deadlineBound, deadlineBound <= now else { return [] }
        var due: [String] = []
        var later: Timestamp?
        for (id, board) in boards {
            guard let deadline = board.alerts.nextDeadline else { continue }
            if deadline <= now {
                due.append(id)
            } else {
                later = min(later ?? deadline, deadline)
            }
        }
        self.deadlineBound = due.count > countMax ? now : later
        return Array(due.sorted().prefix(countMax))
    }

    // MARK: Ends

    /// Removes subjects that no longer exist. Their alerts are cleared, as if the rules were
    /// withdrawn.
    package mutating func forget(_ ids: [String], now: Timestamp, newID: () -> String) -> Outcome {
        var changes = AlertChanges()
        for id in ids where knows(id) {
            evaluate(id, [], now: now, newID: newID, &changes)
            remove(id)
            changes.fields.insert(id)
        }
        return outcome(of: changes)
    }

    /// Removes the values of erased publications, and evaluates the affected rules without these
    /// values.
    package mutating func erase(
        _ quotes: [ErasedQuotes],
        rules: (Topic) -> [AlertRule],
        now: Timestamp,
        newID: () -> String
    ) -> Outcome {
        var changes = AlertChanges()
        for quote in quotes {
            let id = quote.feed.name
            guard let fields = boards[id]?.fields else { continue }
            guard quote.tag != nil else {
                // The feed has ended, and with it the topics of its alerts.
                evaluate(id, [], now: now, newID: newID, &changes)
                changes.events.removeAll { $0.event.subject == id }
                remove(id)
                changes.fields.insert(id)
                continue
            }
            guard let tags = subjects.quotedFeeds.tags(of: quote.feed, fields), quote.covers(tags)
            else { continue }
            change(id) { $0.fields = AlertFields() }
            changes.fields.insert(id)
            evaluate(id, rules(quote.feed), now: now, newID: newID, &changes)
        }
        return outcome(of: changes)
    }

    // MARK: One subject of many

    /// Returns the board of one subject, which may change while other boards change.
    package func part(_ id: String) -> AlertBoards {
        var part = AlertBoards(subjects)
        part.replace(id, with: self)
        return part
    }

    /// Replaces a subject's board with that of other boards of the family; removes it if they have
    /// none.
    package mutating func replace(_ id: String, with part: AlertBoards) {
        remove(id)
        guard let board = part.boards[id] else { return }
        boards[id] = board
        places += board.places
        if let deadline = board.alerts.nextDeadline { note(deadline) }
    }

    /// Complexity: O(subjects).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        for board in boards.values { standing.add(board.alerts) }
    }
}

// MARK: - Boards

extension AlertBoards {
    /// Changes the board of a subject, creating it if necessary, and updates the number of places.
    private mutating func change(_ id: String, _ body: (inout Board) -> Void) {
        if boards[id] == nil {
            guard let subject = subjects.subject(id) else { return }
            boards[id] = Board(alerts: AlertBoard(subject: subject))
            places += 1
        }
        let former = boards[id]?.places ?? 0
        body(&boards[id]!)
        places += (boards[id]?.places ?? 0) - former
    }

    private mutating func remove(_ id: String) {
        guard let board = boards.removeValue(forKey: id) else { return }
        places -= board.places
    }

    private mutating func note(_ deadline: Timestamp) {
        deadlineBound = min(deadlineBound ?? deadline, deadline)
    }

    private static func places(rules: Int, fields: Int) -> Int {
        let fields = min(fields, AlertFields.countMax)
        return 1 + (rules * ruleBytes + fields * fieldBytes) / placeBytes
    }

    /// - Parameter told: the values and the headline for this evaluation; nil for the values of the
    ///   board.
    private mutating func evaluate(
        _ id: String,
        _ rules: [AlertRule],
        _ told: (values: [String: AlertValue], headline: AlertHeadline)? = nil,
        now: Timestamp,
        newID: () -> String,
        _ changes: inout AlertChanges
    ) {
        guard var board = boards[id] else { return }
        let found = board.alerts.evaluate(
            rules,
            told?.values ?? board.fields.values,
            headline: told?.headline,
            now: now,
            newID: newID
        )
        boards[id] = board
        if let deadline = board.alerts.nextDeadline { note(deadline) }
        let subject = board.alerts.subject
        let tags = subjects.quotedFeeds.tags(of: subject.topic, board.fields) ?? [:]
        changes.events += found.events.map {
            AlertTold(
                topic: $0.topic,
                event: $0.event,
                tags: tags,
                record: AlertRecord($0, isErasable: !tags.isEmpty)
            )
        }
        changes.transitions.add(found.transitions, of: subject.domain)
        for (rule, state) in found.states { changes.states[id, default: [:]][rule] = state }
    }

    private func outcome(of changes: AlertChanges) -> Outcome {
        var outcome = Outcome(events: changes.events)
        outcome.transitions = changes.transitions
        outcome.passedOver = changes.passedOver
        for (id, states) in changes.states.sorted(by: { $0.key < $1.key }) {
            let subject = subjects.rowPrefix + id
            for (rule, state) in states.sorted(by: { $0.key < $1.key }) {
                outcome.alerts.append(AlertRow(rule: rule, subject: subject, alertState: state))
            }
        }
        guard let domain = subjects.fieldsDomain else { return outcome }
        outcome.state = changes.fields.sorted().map { id in
            StateRow(
                domain: domain,
                key: subjects.fieldsKey(of: id),
                value: boards[id]?.fields.json
            )
        }
        return outcome
    }
}
