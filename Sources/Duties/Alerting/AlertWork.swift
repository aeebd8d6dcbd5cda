/// The pending work of the task of `TopicAlertsFollower` for users' rules, and its progress with
/// changes of rules.
package struct AlertWork: Sendable {
    /// The maximum number of topics that are evaluated again in one step, because rules have
    /// changed or deadlines have passed.
    package static let topicsMax = 32
    /// The maximum number of topics of one user whose deadlines have passed.
    package static let dueTopicsMax = 8

    /// The topics of a user that must be evaluated again because the user's rules have changed.
    package struct Recheck: Sendable, Equatable {
        package var owner: AlertOwner
        /// The version of the user's rules.
        package var version: Int
        /// The topics in reverse order: the last one is the next.
        package var topics: [String]
    }

    package var users: UserPublications
    /// Rows to delete with the first commit.
    package var stale: [StateRow]
    /// The cursor of the last commit of the previous run. Until the publications up to here have
    /// been evaluated, the passage of time must not change an alert: they may end it.
    package var resumedThrough: UInt64 = 0
    /// The version of the book.
    package var version = 0
    /// The versions of the rules with which owners were last evaluated.
    package var versions: [AlertOwner: Int] = [:]
    /// Whether the store has not taken the work of the current step: all of it waits for the next
    /// step, after a pause.
    package var isPostponed = false
    /// The failure that postponed the last step, until a commit succeeds.
    package var failure: StoreError.Code?
    package private(set) var rechecks: [Recheck] = []
    /// The last owner whose due topics were evaluated.
    private var lastDue: AlertOwner?

    package init(users: UserPublications, stale: [StateRow] = []) {
        self.users = users
        self.stale = stale
    }

    // MARK: Other rules

    package mutating func recheck(_ topics: [String], of owner: AlertOwner, version: Int) {
        rechecks.removeAll { $0.owner == owner }
        // An owner without rules must be removed, even if it has no topics.
        guard !topics.isEmpty || version == 0 else { return note(owner, version) }
        rechecks.append(Recheck(owner: owner, version: version, topics: topics.reversed()))
    }

    /// Takes some topics of one user; users take turns.
    package mutating func takeRecheck() -> Recheck? {
        guard var next = rechecks.first else { return nil }
        rechecks.removeFirst()
        let taken = Recheck(
            owner: next.owner,
            version: next.version,
            topics: next.topics.suffix(AlertWork.topicsMax).reversed()
        )
        next.topics.removeLast(taken.topics.count)
        if !next.topics.isEmpty { rechecks.append(next) } else { note(next.owner, next.version) }
        return taken
    }

    /// Puts back topics that were taken and could not be committed.
    package mutating func putBack(_ taken: Recheck) {
        if let index = rechecks.firstIndex(where: { $0.owner == taken.owner }) {
            rechecks[index].topics += taken.topics.reversed()
        } else {
            recheck(taken.topics, of: taken.owner, version: taken.version)
        }
    }

    private mutating func note(_ owner: AlertOwner, _ version: Int) {
        // A user without rules has no state.
        versions[owner] = version == 0 ? nil : version
    }

    // MARK: Due topics

    /// Returns the owners with due topics in the order of their turns, beginning after the owner
    /// that had the last turn.
    package mutating func takeTurns(_ due: [AlertOwner]) -> [AlertOwner] {
        let owners = due.sorted()
        let first = lastDue.flatMap { last in owners.firstIndex { $0 > last } } ?? 0
        let turns = (owners[first...] + owners[..<first])
            .prefix(AlertWork.topicsMax / AlertWork.dueTopicsMax)
        lastDue = turns.last ?? lastDue
        return Array(turns)
    }
}
