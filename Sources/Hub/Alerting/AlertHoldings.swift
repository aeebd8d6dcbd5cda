import Alerts
import Configuration
import PubSub
import Store
import Timekeeping

/// The states of all rules for the topics that no domain evaluates rules for, by the owner of the rules: boards, how
/// far publications were evaluated, and how many places each owner may have.
///
/// **Cursors.** Each owner's rules have evaluated everything up to a cursor, which is a row committed with what came of
/// it. So no publication is evaluated twice, also after a crash.
///
/// **Shares.** Operators' rules have places of their own. A user gets more while the user has fewer than
/// `perUser`, and there is a place left or the user is below an equal share. Earlier users may have more than that
/// and keep it: so there are at most twice as many places as `users` says.
package struct AlertHoldings: Sendable {
    /// See `AlertBoards.placeBytes`.
    package struct Limits: Sendable, Equatable {
        package var operators = 1 << 16
        /// All of them.
        package var users = 1 << 15
        package var perUser = 1000
    }

    /// The row with the cursor up to which all users' rules have evaluated publications.
    package static let usersCursorKey = "users"

    package let feeds: any QuotedFeeds
    private let limits: Limits
    private var byOwner: [AlertOwner: AlertBoards] = [:]
    /// Of the newest publication that an owner's rules have evaluated; nil before the first commit.
    private var cursors: [AlertOwner: UInt64] = [:]
    /// Those of users.
    private var userPlaces = 0
    /// All users' rules have evaluated what was committed up to here; nil while there are none.
    package private(set) var usersCursor: UInt64?

    package init(limits: Limits = Limits(), feeds: any QuotedFeeds = NoQuotedFeeds()) {
        self.limits = limits
        self.feeds = feeds
    }

    /// The boards of an owner's rules; none for one without.
    package subscript(owner: AlertOwner) -> AlertBoards {
        byOwner[owner] ?? AlertBoards(FollowedTopics(owner: owner, quotedFeeds: feeds))
    }

    package func cursor(of owner: AlertOwner) -> UInt64? { cursors[owner] }

    /// The owners with boards, in order.
    package var owners: [AlertOwner] { byOwner.keys.sorted() }

    /// The owners that hold values of a topic, in order.
    package func owners(knowing topic: Topic) -> [AlertOwner] {
        byOwner.filter { $0.value.knows(topic.name) }.keys.sorted()
    }

    package func knows(_ topic: Topic) -> Bool { byOwner.values.contains { $0.knows(topic.name) } }

    /// What all places stand for, in bytes.
    package var bytes: Int { (userPlaces + self[.operator].places) * AlertBoards.placeBytes }

    /// When time by itself may change an alert, or earlier. Complexity: O(owners).
    package var deadlineBound: Timestamp? { byOwner.values.compactMap(\.deadlineBound).min() }

    /// Complexity: O(topics with rules).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        for boards in byOwner.values { boards.addStandingAlerts(to: &standing) }
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

    /// Evaluates an owner's rules for publications that they have not evaluated yet.
    ///
    /// - Parameters:
    ///   - newest: the cursor up to which there is nothing else to evaluate.
    ///   - rules: those of the owner that look at a topic now.
    ///   - newID: makes a fresh id for each event and alert.
    package mutating func take(
        _ publications: [Publication],
        through newest: UInt64,
        of owner: AlertOwner,
        rules: (Topic) -> [AlertRule],
        placesMax: Int = .max,
        now: Timestamp,
        newID: () -> String
    ) -> AlertBoards.Outcome {
        let looked = cursors[owner] ?? 0
        var outcome = change(owner) { boards in
            boards.take(
                publications.filter { $0.cursor > looked },
                rules: rules,
                placesMax: placesMax,
                now: now,
                newID: newID
            )
        }
        outcome.state.append(look(from: max(looked, newest), of: owner))
        return outcome
    }

    /// Changes the boards of an owner, in place: there may be one for each of many topics.
    package mutating func change<Value>(
        _ owner: AlertOwner,
        _ body: (inout AlertBoards) -> Value
    ) -> Value {
        var boards = self[owner]
        byOwner[owner] = nil
        let former = boards.places
        let value = body(&boards)
        if owner != .operator { userPlaces += boards.places - former }
        byOwner[owner] = boards
        return value
    }

    /// Forgets an owner without boards.
    ///
    /// - Returns: the row that goes with the owner; nil while there is a board.
    package mutating func removeIfEmpty(_ owner: AlertOwner) -> StateRow? {
        guard owner != .operator, let boards = byOwner[owner], boards.ids.isEmpty else {
            return nil
        }
        byOwner[owner] = nil
        return look(from: nil, of: owner)
    }

    /// Sets how far an owner's rules have evaluated publications; nil when there is nothing to evaluate.
    package mutating func look(from newest: UInt64?, of owner: AlertOwner) -> StateRow {
        cursors[owner] = newest
        return cursorRow(FollowedTopics.cursorKey(of: owner), newest)
    }

    /// Sets how far all users' rules have evaluated publications; nil when there are none.
    package mutating func lookAsUsers(from newest: UInt64?) -> StateRow {
        usersCursor = newest
        return cursorRow(AlertHoldings.usersCursorKey, newest)
    }

    private func cursorRow(_ key: String, _ cursor: UInt64?) -> StateRow {
        StateRow(
            domain: FollowedTopics.cursorDomain,
            key: key,
            value: cursor.map { Array(String($0).utf8) }
        )
    }
}

// MARK: - Stored rows

extension AlertHoldings {
    /// What `restore` has found beside the rows that it took back.
    package struct Restored: Sendable, Equatable {
        /// Rows that nothing needs any more, to be deleted.
        package var stale: [StateRow] = []
        /// Names of rows that cannot be used, for the log.
        package var unusable: [String] = []
    }

    /// Takes back what the store has kept.
    ///
    /// - Parameters:
    ///   - fields: the rows of `FollowedTopics.domain` and `FollowedTopics.userDomain`.
    ///   - cursors: the rows of `FollowedTopics.cursorDomain`.
    ///   - book: values that no rule in it looks at take up no place.
    package mutating func restore(
        alerts: [AlertRow],
        fields: [StateRow],
        cursors: [StateRow],
        book: AlertBook
    ) -> Restored {
        var restored = Restored()
        var users: [String: Set<AlertOwner>] = [:]
        let family = FollowedTopics()
        for row in alerts {
            guard let id = family.id(ofRow: row.subject) else { continue }
            guard let topic = try? Topic(id), let state = row.alertState else {
                restored.unusable.append("\(row.rule)/\(row.subject)")
                continue
            }
            let key = AlertRuleKey(text: row.rule)
            let owner = AlertOwner(key.owner)
            if owner != .operator { users[topic.name, default: []].insert(owner) }
            change(owner) { $0.restore(state, of: key, for: topic.name) }
        }
        restore(fields: fields, users: users, book: book, &restored)
        restore(cursors: cursors, &restored)
        return restored
    }

    /// - Parameter users: those with alerts of a topic whose fields were not found yet.
    private mutating func restore(
        fields rows: [StateRow],
        users: [String: Set<AlertOwner>],
        book: AlertBook,
        _ restored: inout Restored
    ) {
        var users = users
        for row in rows {
            guard let (id, owner) = FollowedTopics.subject(of: row), let topic = try? Topic(id),
                let fields = row.alertFields
            else {
                restored.unusable.append("\(row.domain)/\(row.key)")
                continue
            }
            users[id]?.remove(owner)
            guard self[owner].knows(id) || !book.rules(for: topic, of: owner).isEmpty else {
                restored.stale.append(StateRow(domain: row.domain, key: row.key, value: nil))
                continue
            }
            change(owner) { $0.restore(fields, for: id) }
        }
        // Hubs that had one row for the rules of all owners have left it under the operators' name.
        for row in rows where row.domain == FollowedTopics.domain {
            guard let id = FollowedTopics.subject(of: row)?.topic, let owners = users[id],
                let fields = row.alertFields
            else { continue }
            for owner in owners { change(owner) { $0.restore(fields, for: id) } }
        }
    }

    private mutating func restore(cursors rows: [StateRow], _ restored: inout Restored) {
        var values: [String: UInt64] = [:]
        for row in rows {
            let value = row.value.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
            values[row.key] = value
            if value == nil { restored.unusable.append("\(row.domain)/\(row.key)") }
        }
        let operators = values[FollowedTopics.cursorKey]
        change(.operator) { _ in }
        cursors[.operator] = operators
        // The same hubs had one row for how far all of them have evaluated publications.
        usersCursor = values[AlertHoldings.usersCursorKey] ?? operators
        let prefix = FollowedTopics.cursorKey(of: .user(""))
        for (key, value) in values where key.hasPrefix(prefix) {
            let owner = AlertOwner.user(String(key.dropFirst(prefix.count)))
            change(owner) { _ in }
            cursors[owner] = value
        }
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
