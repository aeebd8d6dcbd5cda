import Locking

/// Something about the store that an operator has to know, and that no caller receives as an error.
package enum StoreNotice: Sendable, Equatable {
    /// The first start: there was no database.
    case created(path: String)
    /// The database had no mark, as one of an earlier version, or an unreadable one. It has one from here on.
    case markMade(path: String, wasUnreadable: Bool)
    /// Commits up to cursor `marked` are missing; the database ends at `found`. A new epoch began.
    case commitsLost(path: String, marked: UInt64, found: UInt64, epoch: String)
    /// There was a database, and it is gone or empty. The store began from nothing, in a new epoch.
    case emptied(path: String, epoch: String)
    /// The machine stopped before the last commits were synced. A new epoch began.
    case unsyncedEnd(path: String, epoch: String)
    /// The first start with a backup that `varde restore` has put back. A new epoch began.
    case restored(path: String, epoch: String)
    /// The mark could not be written: until it can be, a lost log would go unnoticed.
    case markNotWritten(path: String, String)
    /// The files are not those that the path names: commits are refused.
    case filesWrong(path: String, StoreFault)
    /// They are again.
    case filesRight(path: String)
    /// A row is not as it was written, and was passed over. Many come at once: before this one, `unlogged`
    /// others were only counted.
    case damaged(DamagedRow, unlogged: UInt64 = 0)
}

/// Which row is damaged.
package enum DamagedRow: Sendable, Equatable {
    case publication(topic: String, offset: UInt64)
    case delivery(id: Int64)
}

/// Hands notices to the hub's log, and counts them for its metrics. What happens before a handler is set
/// waits for it.
final class StoreNotices: Sendable {
    private struct State {
        var handler: (@Sendable (StoreNotice) -> Void)?
        var waiting: [StoreNotice] = []
        var losses = StoreLosses()
        var damageRate = NoticeRate()
    }

    /// Notices of the start are a handful; more would mean that no handler is set.
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

/// What was found to be missing, for the metrics.
package struct StoreLosses: Sendable, Equatable {
    /// Starts at which the database lacked commits that its mark knew of.
    package var commits: UInt64 = 0
    /// Starts at which the database was gone or empty.
    package var databases: UInt64 = 0
    /// Failures to write the mark.
    package var marks: UInt64 = 0
    /// Reads of rows that are not as they were written.
    package var rows: UInt64 = 0
    /// Times that files were removed or replaced under the running hub.
    package var files: UInt64 = 0

    package init() {}

    mutating func count(_ notice: StoreNotice) {
        switch notice {
        case .created, .markMade, .unsyncedEnd, .restored, .filesRight: break
        case .filesWrong: files += 1
        case .commitsLost: commits += 1
        case .emptied: databases += 1
        case .markNotWritten: marks += 1
        case .damaged: rows += 1
        }
    }
}

extension StoreNotices {
    /// What the start has found.
    func report(_ identity: StoreIdentity, path: String) {
        if identity.wasRestored { report(.restored(path: path, epoch: identity.epoch)) }
        switch identity.continuity {
        case .first: report(.created(path: path))
        case .unmarked(let isUnreadable):
            report(.markMade(path: path, wasUnreadable: isUnreadable))
        // The operator has put an older file here.
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
    func reportDamage(of topic: StoredTopic) {
        guard let offset = topic.damagedOffset else { return }
        report(.damaged(.publication(topic: topic.topic.name, offset: offset)))
    }
}

extension HubStore {
    /// Sets the handler of notices for the operator, beginning with those of the start. It is called on
    /// any thread and must not wait.
    package func setNoticeHandler(_ handler: @escaping @Sendable (StoreNotice) -> Void) {
        notices.setHandler(handler)
    }

    /// What was found to be missing since the store was opened.
    package var losses: StoreLosses { notices.losses }
}
