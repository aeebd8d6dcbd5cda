/// The alerts that a rule would have raised by the publications that a topic still has.
///
/// The rule begins idle at the first of them. Publications are evaluated at the times at which they
/// were published, and deadlines of the rule in between and up to the end.
package struct AlertHistoryRehearsal: Sendable, Equatable {
    /// The records of the alerts, in the order of their raise.
    package private(set) var alerts: [AlertRecord] = []
    /// The number of publications that were evaluated.
    package private(set) var count = 0
    /// The number of publications that are not JSON objects.
    package private(set) var unreadable = 0
    /// The names in the rule's conditions that no publication had.
    package private(set) var missing: [String]

    /// - Parameters:
    ///   - publications: of the topic, in commit order.
    ///   - end: the time up to which deadlines are evaluated.
    package init(
        _ rule: AlertRule,
        of topic: Topic,
        _ publications: [Publication],
        until end: Timestamp
    ) {
        missing = rule.fieldNames.sorted()
        let id = topic.name
        var boards = AlertBoards(FollowedTopics())
        let names = AlertFieldNames(rule.fieldNames)
        var seen = AlertFields()
        var serial = 0
        let newID = {
            serial += 1
            return String(serial)
        }
        var now = Timestamp(milliseconds: .min)
        func pass(to time: Timestamp) {
            while let deadline = boards.deadline(of: id), deadline <= time {
                now = max(now, deadline)
                let outcome = boards.evaluate([id], rules: { _ in [rule] }, now: now, newID: newID)
                take(outcome)
                // An evaluation moves the deadline on.
                guard boards.deadline(of: id) != deadline else { return }
            }
        }
        for publication in publications {
            pass(to: publication.time)
            now = max(now, publication.time)
            take(boards.take([publication], rules: { _ in [rule] }, now: now, newID: newID))
            guard let data = publication.alertData else { continue }
            seen.take(data, only: names)
            missing.removeAll { seen.values[$0] != nil }
        }
        pass(to: end)
        count = publications.count - unreadable
    }

    private mutating func take(_ outcome: AlertBoards.Outcome) {
        unreadable += outcome.passedOver[.unreadable] ?? 0
        for record in outcome.events.compactMap(\.record) {
            guard let index = alerts.lastIndex(where: { $0.id == record.id }) else {
                alerts.append(record)
                continue
            }
            alerts[index].severity = record.severity
            alerts[index].ended = record.ended
            alerts[index].reason = record.reason
            alerts[index].headline = record.headline ?? alerts[index].headline
            alerts[index].values = record.values ?? alerts[index].values
        }
    }
}
