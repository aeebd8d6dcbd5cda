import Activity
import DomainKit

/// The result of adding a film to the watchlist.
package enum WatchlistOutcome: Sendable, Equatable {
    case added
    case alreadyThere
    /// Or no such person: the account was deleted meanwhile.
    case noSuchFilm
    /// The list has as many films as it may have.
    case full
}

/// The result of a watch event.
package enum WatchOutcome: Sendable, Equatable {
    /// Or no such person: the account was deleted meanwhile.
    case noSuchFilm
    case written(WatchState, replaced: WatchState?)
}

extension ActivityTables {
    // MARK: Watchlist

    package func addToWatchlist(
        _ filmID: Int,
        of personID: Int,
        at time: Timestamp,
        lengthMax: Int = 10_000
    ) throws -> WatchlistOutcome {
        guard try canAct(personID, on: filmID) else { return .noSuchFilm }
        let arguments: SQLArguments = [personID, filmID, time.milliseconds]
        guard try changes(ActivitySQL.insertIntoWatchlist, arguments) == 1 else {
            return .alreadyThere
        }
        guard try watchlistCount(of: personID) < lengthMax else {
            try run(ActivitySQL.deleteFromWatchlist, [personID, filmID])
            return .full
        }
        try run(ActivitySQL.addToWatchlistCount, [personID, 1])
        return .added
    }

    /// - Returns: false when the film was not on the list.
    @discardableResult
    package func removeFromWatchlist(_ filmID: Int, of personID: Int) throws -> Bool {
        guard try changes(ActivitySQL.deleteFromWatchlist, [personID, filmID]) == 1 else {
            return false
        }
        try run(ActivitySQL.addToWatchlistCount, [personID, -1])
        return true
    }

    /// A person's films to see, those that were added last first.
    package func watchlist(of personID: Int, range: PageRange) throws -> Page<WatchlistItem> {
        let arguments: SQLArguments = [personID, range.limit, range.offset]
        let items = try rows(ActivitySQL.selectWatchlist, arguments) { row in
            WatchlistItem(film: try FilmView(row), addedAt: try row.instant(FilmView.columnCount))
        }
        return Page(items: items, totalCount: try watchlistCount(of: personID), range: range)
    }

    private func watchlistCount(of personID: Int) throws -> Int {
        try integer(ActivitySQL.selectWatchlistCount, [personID]) ?? 0
    }

    // MARK: Watching

    /// Films that a person has seen to the end.
    package func completedFilmIDs(of personID: Int) throws -> [Int] {
        try integers(ActivitySQL.selectCompletedFilms, [personID])
    }

    package func watchState(of filmID: Int, by personID: Int) throws -> WatchState? {
        try row(ActivitySQL.selectWatch, [personID, filmID]).map { try WatchState($0) }
    }

    /// Notes a person's progress in a film. A film that was completed once counts as watched from
    /// then on, also while it is watched again.
    ///
    /// - Parameter progressPercent: nil leaves the stored value.
    package func setWatch(
        _ status: WatchStatus,
        of filmID: Int,
        by personID: Int,
        progressPercent: Int? = nil,
        at time: Timestamp
    ) throws -> WatchOutcome {
        guard try canAct(personID, on: filmID) else { return .noSuchFilm }
        let row = try row(ActivitySQL.selectWatch, [personID, filmID])
        let old = try row.map { try WatchState($0) }
        let oldCompletion = try row.flatMap { try $0[4] as Int64? }
        let new = WatchState(
            filmID: filmID,
            status: status,
            progressPercent: progressPercent ?? old?.progressPercent,
            at: time
        )
        let completion =
            oldCompletion ?? (status == .completed ? time.milliseconds : nil)
        try run(
            ActivitySQL.putWatch,
            [
                personID, filmID, status.column, new.progressPercent, time.milliseconds,
                completion,
            ]
        )
        if old == nil { try run(ActivitySQL.addFilmWatcher, [filmID, 1]) }
        if oldCompletion == nil, completion != nil {
            try run(ActivitySQL.addWatched, [personID, 1])
        }
        return .written(new, replaced: old)
    }
}

extension WatchState {
    /// A row of `ActivitySQL.selectWatch`.
    fileprivate init(_ row: SQLRow) throws {
        try self.init(
            filmID: row[0],
            status: row.value(1, WatchStatus.init(column:)),
            progressPercent: row[2],
            at: row.instant(3)
        )
    }
}
