/// An event of the store for the operator, which no caller receives as an error.
package enum StoreNotice: Sendable, Equatable {
    /// The first start: there was no database.
    case created(path: String)
    /// The database had no mark, as one of an earlier version, or an unreadable one. It now has
    /// one.
    case markMade(path: String, wasUnreadable: Bool)
    /// Commits up to cursor `marked` are missing; the database ends at `found`. A new epoch began.
    case commitsLost(path: String, marked: UInt64, found: UInt64, epoch: String)
    /// The database is missing or empty, but a mark exists. The store began without data, in a new
    /// epoch.
    case emptied(path: String, epoch: String)
    /// The machine stopped before the last commits were synced. A new epoch began.
    case unsyncedEnd(path: String, epoch: String)
    /// The first start with a backup that `varde restore` has restored. A new epoch began.
    case restored(path: String, epoch: String)
    /// The mark could not be written: until it can be, a lost log would go unnoticed.
    case markNotWritten(path: String, String)
    /// These roles have no business in the database, and may connect: PostgreSQL lets every session
    /// take advisory locks, those of the hub as well.
    case openToOthers(path: String, roles: String)
    /// The files are not those at the path: commits are refused.
    case filesWrong(path: String, StoreFault)
    /// The files are those at the path again.
    case filesRight(path: String)
    /// A row is not as it was written, and was skipped. Many can occur at once: before this one,
    /// `unlogged` others were only counted.
    case damaged(DamagedRow, unlogged: UInt64 = 0)
}

/// Identifies a damaged row.
package enum DamagedRow: Sendable, Equatable {
    case publication(topic: String, offset: UInt64)
    case delivery(id: Int64)
    /// A row of table `topic`, with what cannot be read.
    case topic(id: Int64, reason: String)
    /// A row of another table, by the statement that read it, with what cannot be read.
    case row(statement: String, reason: String)
}

/// Passes each `StoreNotice` to the hub's log, and counts it for the metrics. Those before a
/// handler is set wait for it.
final class StoreNotices: Sendable {
    private struct State {
        var handler: (@Sendable (StoreNotice) -> Void)?
        var waiting: [StoreNotice] = []
        var losses = StoreLosses()
        var damageRate = NoticeRate()
    }

    /// The maximum before a handler is set. A start has only a few; more would mean that no handler
    /// is set.
    private static let waitingMax = 64
    private let state = Locked(State())
    private let start = ContinuousClock.now

    func setHandler(_ handler: @escaping @Sendable (StoreNotice) -> Void) {
        let waiting = state.withLock { state in
            precondition(state.handler == nil, "notice handler set twice")
            state.handler = handler
            defer { state.waiting = [] }
            return state.waiting
        }
        for notice in waiting { handler(notice) }
    }

    func removeHandler() {
        state.withLock { $0.handler = nil }
    }

    func report(_ reported: StoreNotice) {
        var notice = reported
        let now = ContinuousClock.now - start
        let handler = state.withLock { state -> (@Sendable (StoreNotice) -> Void)? in
            state.losses.count(notice)
            if case .damaged(let row, _) = notice {
                guard let unlogged = state.damageRate.admit(at: now) else { return nil }
                notice = .damaged(row, unlogged: unlogged)
            }
            if state.handler == nil, state.waiting.count < Self.waitingMax {
                state.waiting.append(notice)
            }
            return state.handler
        }
        handler?(notice)
    }

    var losses: StoreLosses { state.withLock { $0.losses } }
}

/// The counters of losses and faults, for the metrics.
package struct StoreLosses: Sendable, Equatable {
    /// Starts at which the database lacked commits that its mark contained.
    package var commits: UInt64 = 0
    /// Starts at which the database was gone or empty.
    package var databases: UInt64 = 0
    /// Failures to write the mark.
    package var marks: UInt64 = 0
    /// Reads of rows that are not as they were written.
    package var rows: UInt64 = 0
    /// Removals or replacements of files while the hub was running.
    package var files: UInt64 = 0

    package init() {}

    mutating func count(_ notice: StoreNotice) {
        switch notice {
        case .created, .markMade, .unsyncedEnd, .restored, .openToOthers, .filesRight: break
        case .filesWrong: files += 1
        case .commitsLost: commits += 1
        case .emptied: databases += 1
        case .markNotWritten: marks += 1
        case .damaged: rows += 1
        }
    }
}

extension StoreNotices {
    /// Reports the results of the start.
    func report(_ identity: StoreIdentity, path: String) {
        if identity.wasRestored { report(.restored(path: path, epoch: identity.epoch)) }
        switch identity.continuity {
        case .first: report(.created(path: path))
        case .unmarked(let isUnreadable):
            report(.markMade(path: path, wasUnreadable: isUnreadable))
        // The operator has restored an older file.
        case .behind where identity.wasRestored: break
        case .behind(let marked, let found):
            report(
                .commitsLost(path: path, marked: marked, found: found, epoch: identity.epoch)
            )
        case .emptied: report(.emptied(path: path, epoch: identity.epoch))
        case .kept: break
        }
        guard identity.endedUnsynced, !identity.continuity.needsNewEpoch else { return }
        report(.unsyncedEnd(path: path, epoch: identity.epoch))
    }
}

extension StoreNotices {
    func reportDamage(_ rows: [DamagedRow]) {
        for row in rows { report(.damaged(row)) }
    }

    func reportDamage(of topic: StoredTopic) {
        guard let offset = topic.damagedOffset else { return }
        report(.damaged(.publication(topic: topic.topic.name, offset: offset)))
    }
}

extension HubStore {
    /// Sets the handler of each `StoreNotice` for the operator, beginning with those of the start.
    /// It is called on any thread and must not wait.
    package func setNoticeHandler(_ handler: @escaping @Sendable (StoreNotice) -> Void) {
        notices.setHandler(handler)
    }

    /// The losses and faults since the store was opened.
    package var losses: StoreLosses { notices.losses }
}
