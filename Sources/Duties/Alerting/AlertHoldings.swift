import Configuration

/// The states of all rules for topics without a domain that evaluates rules, by the owner of the
/// rules: boards, the progress of evaluation, and the number of places of each owner.
///
/// **Cursors.** Each owner's rules have evaluated all publications up to a cursor, which is a row
/// committed with the results. No publication is evaluated twice, even after a crash.
///
/// **Shares.** Operators' rules have places of their own. A user gets more places while the user
/// has fewer than `perUser`, and either a place is free or the user has less than an equal share.
/// Earlier users may have more than an equal share and keep it, so there are at most twice as many
/// places as `users`.
package struct AlertHoldings: Sendable {
    /// See `AlertBoards.placeBytes`.
    package struct Limits: Sendable, Equatable {
        package var operators = 1 << 16
        /// The maximum of all users together.
        package var users = 1 << 15
        package var perUser = 1000
    }

    /// The key of the row with the cursor up to which all users' rules have evaluated publications.
    package static let usersCursorKey = "users"

    package let feeds: any QuotedFeeds
    private let limits: Limits
    private var byOwner: [AlertOwner: AlertBoards] = [:]
    /// The cursor of the newest publication that an owner's rules have evaluated; nil before the
    /// first commit.
    private var cursors: [AlertOwner: UInt64] = [:]
    /// The number of places of all users.
    private var userPlaces = 0
    /// The cursor up to which all users' rules have evaluated publications; nil while users have no
    /// rules.
    package private(set) var usersCursor: UInt64?

    package init(limits: Limits = Limits(), feeds: any QuotedFeeds = NoQuotedFeeds()) {
        self.limits = limits
        self.feeds = feeds
    }

    /// The boards of an owner's rules; empty for an owner without boards.
    package subscript(owner: AlertOwner) -> AlertBoards {
        byOwner[owner] ?? AlertBoards(FollowedTopics(owner: owner, quotedFeeds: feeds))
    }

    package func cursor(of owner: AlertOwner) -> UInt64? { cursors[owner] }

    /// The owners with boards, in order.
    package var owners: [AlertOwner] { byOwner.keys.sorted() }

    /// Returns the owners that have values of a topic, in order.
    package func owners(knowing topic: Topic) -> [AlertOwner] {
        byOwner.filter { $0.value.knows(topic.name) }.keys.sorted()
    }

    package func knows(_ topic: Topic) -> Bool { byOwner.values.contains { $0.knows(topic.name) } }

    /// The size of all places, in bytes.
    package var bytes: Int { (userPlaces + self[.operator].places) * AlertBoards.placeBytes }

    /// The time at which an alert may change without a publication, or an earlier time. Complexity:
    /// O(owners).
    package var deadlineBound: Timestamp? { byOwner.values.compactMap(\.deadlineBound).min() }

    /// Complexity: O(topics with rules).
    package func addStandingAlerts(to standing: inout StandingAlerts) {
        for boards in byOwner.values { boards.addStandingAlerts(to: &standing) }
    }

    // MARK: Shares

    /// Returns the maximum number of places of an owner.
    ///
    /// - Parameters:
    ///   - users: the number of users with rules.
    ///   - hasRoom: whether there is memory for more places of users.
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
    ///   - newest: the cursor up to which there are no other publications to evaluate.
    ///   - rules: returns the owner's rules that look at a topic now.
    ///   - newID: returns a new id for each event and alert.
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

    /// Changes the boards of an owner in place, since there may be one for each of many topics.
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

    /// Removes an owner without boards.
    ///
    /// - Returns: the row to delete with the owner; nil if the owner has a board.
    package mutating func removeIfEmpty(_ owner: AlertOwner) -> StateRow? {
        guard owner != .operator, let boards = byOwner[owner], boards.ids.isEmpty else {
            return nil
        }
        byOwner[owner] = nil
        return look(from: nil, of: owner)
    }

    /// Sets the cursor up to which an owner's rules have evaluated publications; nil if the owner
    /// has no rules.
    package mutating func look(from newest: UInt64?, of owner: AlertOwner) -> StateRow {
        cursors[owner] = newest
        return cursorRow(FollowedTopics.cursorKey(of: owner), newest)
    }

    /// Sets the cursor up to which all users' rules have evaluated publications; nil if there are
    /// no such rules.
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
    /// The rows that `restore` has found but not restored.
    package struct Restored: Sendable, Equatable {
        /// Obsolete rows, to delete.
        package var stale: [StateRow] = []
        /// Names of rows that cannot be used, for the log.
        package var unusable: [String] = []
    }

    /// Restores the holdings from the store.
    ///
    /// - Parameters:
    ///   - fields: the rows of `FollowedTopics.domain` and `FollowedTopics.userDomain`.
    ///   - cursors: the rows of `FollowedTopics.cursorDomain`.
    ///   - book: the rules; values that no rule looks at take up no place.
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

    /// - Parameter users: those with alerts of a topic whose fields have not been found yet.
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
        // Earlier versions had one row for the rules of all owners, under the operators' name.
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
        // The same versions had one row for the progress of all rules.
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
