import Alerts
import PubSub
import Store

/// What the task of `TopicAlertsFollower` has still to do for users' rules, and how far it is with changes of rules.
package struct AlertWork: Sendable {
    /// Topics that are evaluated again in one step, because rules have changed or time has passed.
    package static let topicsMax = 32
    /// Those of one user whose time has come.
    package static let dueTopicsMax = 8

    /// Topics of a user to be evaluated again, because the user's rules have changed.
    package struct Recheck: Sendable, Equatable {
        package var owner: AlertOwner
        /// Of the user's rules.
        package var version: Int
        /// The last one is the next.
        package var topics: [String]
    }

    package var users: UserPublications
    /// Rows to be deleted with the first commit.
    package var stale: [StateRow]
    /// What was committed up to here was committed by the last run. Until it was looked at, time must not change
    /// an alert: its end may be among it.
    package var resumedThrough: UInt64 = 0
    /// Of the book.
    package var version = 0
    /// With which of their rules owners were evaluated.
    package var versions: [AlertOwner: Int] = [:]
    package private(set) var rechecks: [Recheck] = []
    /// Whose time had come last.
    private var lastDue: AlertOwner?

    package init(users: UserPublications, stale: [StateRow] = []) {
        self.users = users
        self.stale = stale
    }

    // MARK: Other rules

    package mutating func recheck(_ topics: [String], of owner: AlertOwner, version: Int) {
        rechecks.removeAll { $0.owner == owner }
        // Who has no rules any more is to be forgotten, even without topics.
        guard !topics.isEmpty || version == 0 else { return note(owner, version) }
        rechecks.append(Recheck(owner: owner, version: version, topics: topics.reversed()))
    }

    /// Takes some topics, of one user after the other.
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

    /// Puts back what was taken and could not be committed.
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

    // MARK: What is due

    /// Puts whose time has come in the order of their turns: behind the one who was the last to have one.
    package mutating func takeTurns(_ due: [AlertOwner]) -> [AlertOwner] {
        let owners = due.sorted()
        let first = lastDue.flatMap { last in owners.firstIndex { $0 > last } } ?? 0
        let turns = (owners[first...] + owners[..<first])
            .prefix(AlertWork.topicsMax / AlertWork.dueTopicsMax)
        lastDue = turns.last ?? lastDue
        return Array(turns)
    }
}
