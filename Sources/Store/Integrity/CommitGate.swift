/// The outcome of a transaction whose COMMIT was not answered, as far as it is known.
package enum CommitFate: Sendable, Equatable {
    case committed
    /// Nothing of it is in the database.
    case lost
    /// This process continues without it. The next start may have it if the process is killed before
    /// its next commit: see `CommitFailure`.
    case undone
    /// The server could not be asked; ask again.
    case open
    /// The outcome cannot be found, now or later. The text is the reason.
    case never(String)
}

/// Admits the commits of a store: no commit is begun while the outcome of an earlier one is unknown.
///
/// **Why.** Parts of a hub keep state in memory that follows from their commits: pipelines, boards of
/// alert rules, the next id of a story. If they continued from the state before a commit that is
/// stored after all, they would make the same change twice. So they wait for the outcome, and none of
/// them has to handle an unknown one. The commit's publications are announced before later ones, as
/// cursors have to be.
///
/// **Use.** Check `admission` before each commit. If a COMMIT is not answered, call `hold`; later ask
/// the server and call `settle` with its answer. Carry out what these calls return. `stopWaiting`
/// ends the waiting, for a store that is being closed.
///
/// It neither asks the server nor completes writes: the store does both.
package struct CommitGate<Commit> {
    package enum Admission: Equatable {
        case admitted
        /// An outcome is unknown: refuse the commit, which may be repeated.
        case waits
        /// Refuse the commit: the process has to end. The text is the reason.
        case closed(String)
    }

    /// The end of a commit.
    package enum Settlement {
        /// It is in the database: announce it, then complete its writes.
        case committed(Commit)
        /// It is not in the database: its writes fail.
        case lost(Commit)
        /// Its writes fail with an error of unknown outcome.
        case unknown(Commit)
    }

    private enum State {
        /// To `open` or `closed` by `hold`.
        case free
        /// To `free` or `closed` by `settle`, to `closed` by `stopWaiting`.
        case open(Commit)
        /// Final: a write has failed with an unknown outcome, so state in memory may differ from that
        /// of the database.
        case closed(String)
    }

    private var state = State.free
    private var hasStoppedWaiting = false
    private static var ending: String { "the hub ends, and the outcome of a commit is unknown" }

    package init() {}

    package var admission: Admission {
        switch state {
        case .free: .admitted
        case .open: .waits
        case .closed(let reason): .closed(reason)
        }
    }

    /// The commit whose outcome is unknown; nil if there is none.
    package var open: Commit? {
        if case .open(let commit) = state { commit } else { nil }
    }

    /// Takes a commit that the server has not answered.
    ///
    /// - Parameter fate: not `committed` or `lost`, which need no gate.
    /// - Returns: nil if the outcome has to be asked for again.
    package mutating func hold(_ commit: Commit, _ fate: CommitFate) -> Settlement? {
        guard case .free = state else { preconditionFailure("a commit was not admitted") }
        state = .open(commit)
        return settle(fate)
    }

    /// Takes what the server has answered about the open commit.
    ///
    /// - Returns: nil if the outcome has to be asked for again, or if no commit is open.
    package mutating func settle(_ fate: CommitFate) -> Settlement? {
        guard case .open(let commit) = state else { return nil }
        switch fate {
        case .committed:
            state = .free
            return .committed(commit)
        case .lost:
            state = .free
            return .lost(commit)
        case .undone:
            state = .free
            return .unknown(commit)
        case .never(let reason):
            state = .closed(reason)
            return .unknown(commit)
        case .open:
            guard hasStoppedWaiting else { return nil }
            state = .closed(Self.ending)
            return .unknown(commit)
        }
    }

    /// Waits for no outcome any longer. Commits are admitted as long as their outcomes are known.
    ///
    /// - Returns: nil if no commit is open.
    package mutating func stopWaiting() -> Settlement? {
        hasStoppedWaiting = true
        return settle(.open)
    }
}
