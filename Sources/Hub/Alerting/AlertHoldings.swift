import Alerts
import Configuration
import PubSub
import Store
import Timekeeping

/// Where all rules stand for the topics whose events are nobody's state, by whose rules they are; and how many
/// places each owner may have.
///
/// **Shares.** Operators' rules have places of their own. A user gets more while the user has fewer than
/// `perUser`, and there is a place left or the user is below an equal share. Earlier users may have more than that
/// and keep it: so there are at most twice as many places as `users` says.
package struct AlertHoldings: Sendable {
    /// See `TopicAlerts.placeBytes`.
    package struct Limits: Sendable, Equatable {
        package var operators = 1 << 16
        /// All of them.
        package var users = 1 << 15
        package var perUser = 1000
    }

    /// The row that says up to where all users' rules have looked.
    package static let usersCursorKey = "users"

    package let feeds: any QuotedFeeds
    private let limits: Limits
    private var byOwner: [AlertOwner: TopicAlerts] = [:]
    /// Those of users.
    private var userPlaces = 0
    /// All users' rules have looked at what was committed up to here; nil while there are none.
    package private(set) var usersCursor: UInt64?

    package init(limits: Limits = Limits(), feeds: any QuotedFeeds = NoQuotedFeeds()) {
        self.limits = limits
        self.feeds = feeds
    }

    /// What is remembered for an owner; nothing for one who is not there.
    package subscript(owner: AlertOwner) -> TopicAlerts {
        byOwner[owner] ?? TopicAlerts(owner: owner, feeds: feeds)
    }

    /// The owners for whom something is remembered, in order.
    package var owners: [AlertOwner] { byOwner.keys.sorted() }

    /// The owners that hold values of a topic, in order.
    package func owners(knowing topic: Topic) -> [AlertOwner] {
        byOwner.values.filter { $0.knows(topic) }.map(\.owner).sorted()
    }

    package func knows(_ topic: Topic) -> Bool { byOwner.values.contains { $0.knows(topic) } }

    /// What all places stand for, in bytes.
    package var bytes: Int { (userPlaces + self[.operator].places) * TopicAlerts.placeBytes }

    /// When time by itself may change an alert. Complexity: O(owners).
    package var nextDeadline: Timestamp? { byOwner.values.compactMap(\.nextDeadline).min() }

    /// Complexity: O(topics with rules).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        for alerts in byOwner.values { alerts.addStandingAlerts(to: &standing) }
    }

    // MARK: Shares

    /// How many places an owner may have.
    ///
    /// - Parameters:
    ///   - users: how many users have rules.
    ///   - hasRoom: whether memory is left for more of users'.
    package func placesMax(of owner: AlertOwner, users: Int, hasRoom: Bool) -> Int {
        guard owner != .operator else { return limits.operators }
        let held = self[owner].places
        guard hasRoom else { return held }
        let share = limits.users / max(1, users)
        let free = max(0, limits.users - userPlaces)
        return min(limits.perUser, max(share, held + free))
    }

    // MARK: Changes

    /// Takes an owner's changed copy, when it is committed.
    package mutating func keep(_ next: TopicAlerts) {
        if next.owner != .operator { userPlaces += next.places - self[next.owner].places }
        byOwner[next.owner] = next
    }

    /// Forgets an owner without stored state.
    ///
    /// - Returns: the row that goes with the owner; nil while something is remembered.
    package mutating func removeIfEmpty(_ owner: AlertOwner) -> StateRow? {
        guard owner != .operator, let alerts = byOwner[owner], alerts.topics.isEmpty else {
            return nil
        }
        byOwner[owner] = nil
        return cursorRow(TopicAlerts.cursorKey(of: owner), nil)
    }

    /// Says how far all users' rules have looked; nil takes that away, when there are none.
    package mutating func lookAsUsers(from newest: UInt64?) -> StateRow {
        usersCursor = newest
        return cursorRow(AlertHoldings.usersCursorKey, newest)
    }

    private func cursorRow(_ key: String, _ cursor: UInt64?) -> StateRow {
        StateRow(
            domain: TopicAlerts.cursorDomain,
            key: key,
            value: cursor.map { Array(String($0).utf8) }
        )
    }
}

// MARK: - What the store has kept

extension AlertHoldings {
    /// Takes back what the store has kept; rows that no version of the hub has written are passed over.
    ///
    /// - Parameters:
    ///   - fields: the rows of `TopicAlerts.domain` and `TopicAlerts.userDomain`.
    ///   - cursors: the rows of `TopicAlerts.cursorDomain`.
    ///   - book: what no rule in it looks at takes up no place.
    /// - Returns: the rows that nothing needs any more, to be deleted.
    package mutating func restore(
        alerts: [AlertRow],
        fields: [StateRow],
        cursors: [StateRow],
        book: AlertBook
    ) -> [StateRow] {
        var users: [Topic: Set<AlertOwner>] = [:]
        for row in alerts {
            guard let topic = TopicAlerts.topic(ofSubject: row.subject), let state = row.alertState
            else { continue }
            let key = AlertRuleKey(text: row.rule)
            let owner = AlertOwner(key.owner)
            if owner != .operator { users[topic, default: []].insert(owner) }
            change(owner) { $0.restore(state, of: key, for: topic) }
        }
        let stale = restore(fields: fields, users: users, book: book)
        restore(cursors: cursors)
        return stale
    }

    /// - Parameter users: those with alerts of a topic whose fields were not found yet.
    private mutating func restore(
        fields rows: [StateRow],
        users: [Topic: Set<AlertOwner>],
        book: AlertBook
    ) -> [StateRow] {
        var stale: [StateRow] = []
        var users = users
        for row in rows {
            guard let (topic, owner) = TopicAlerts.subject(of: row), let value = row.value,
                let fields = AlertFields(json: value)
            else { continue }
            users[topic]?.remove(owner)
            guard self[owner].knows(topic) || !book.rules(for: topic, of: owner).isEmpty else {
                stale.append(StateRow(domain: row.domain, key: row.key, value: nil))
                continue
            }
            change(owner) { $0.restore(fields, for: topic) }
        }
        // Hubs that had one row for the rules of all owners have left it under the operators' name.
        for row in rows where row.domain == TopicAlerts.domain {
            guard let topic = TopicAlerts.subject(of: row)?.topic, let value = row.value,
                let owners = users[topic], let fields = AlertFields(json: value)
            else { continue }
            for owner in owners { change(owner) { $0.restore(fields, for: topic) } }
        }
        return stale
    }

    private mutating func restore(cursors rows: [StateRow]) {
        var values: [String: UInt64] = [:]
        for row in rows {
            values[row.key] = row.value.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        }
        let operators = values[TopicAlerts.cursorKey]
        change(.operator) { $0.restore(cursor: operators) }
        // The same hubs had one row for how far all of them have looked.
        usersCursor = values[AlertHoldings.usersCursorKey] ?? operators
        let prefix = TopicAlerts.cursorKey(of: .user(""))
        for (key, value) in values where key.hasPrefix(prefix) {
            change(.user(String(key.dropFirst(prefix.count)))) { $0.restore(cursor: value) }
        }
    }

    private mutating func change(_ owner: AlertOwner, _ body: (inout TopicAlerts) -> Void) {
        // Taken out, so that it is changed in place: there may be a row for each of many topics.
        var alerts = byOwner.removeValue(forKey: owner) ?? TopicAlerts(owner: owner, feeds: feeds)
        let former = alerts.places
        body(&alerts)
        if owner != .operator { userPlaces += alerts.places - former }
        byOwner[owner] = alerts
    }
}

extension AlertHoldings.Limits {
    package init(_ configuration: Configuration.AlertLimits) {
        operators = configuration.topics
        users = configuration.userTopics
        perUser = configuration.topicsPerUser
    }
}

extension TopicAlertsFollower.Limits {
    package init(_ configuration: Configuration.AlertLimits) {
        waitingBytes = configuration.waitingBytes
        userWaitingBytes = configuration.userWaitingBytes
    }
}
