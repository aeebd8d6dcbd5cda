import Activity

/// The result of excluding a film from a person's recommendations.
package enum NotInterestedOutcome: Sendable, Equatable {
    /// It is noted, perhaps since long.
    case noted
    /// Or no such person: the account was deleted meanwhile.
    case noSuchFilm
    /// There are as many as there may be.
    case full
}

extension ActivityTables {
    package func addNotInterested(
        _ filmID: Int,
        of personID: Int,
        at time: Timestamp,
        countMax: Int = ActivityLimits.notInterestedMax
    ) throws -> NotInterestedOutcome {
        guard try canAct(personID, on: filmID) else { return .noSuchFilm }
        if try row(ActivitySQL.selectNotInterested, [personID, filmID]) != nil { return .noted }
        guard try integer(ActivitySQL.countNotInterested, [personID]) ?? 0 < countMax else {
            return .full
        }
        try run(ActivitySQL.insertNotInterested, [personID, filmID, time.milliseconds])
        return .noted
    }

    /// - Returns: false when the film was not noted.
    @discardableResult
    package func removeNotInterested(_ filmID: Int, of personID: Int) throws -> Bool {
        try changes(ActivitySQL.deleteNotInterested, [personID, filmID]) == 1
    }

    /// Films that a person does not want to have recommended, in the order of their ids; at most
    /// `ActivityLimits.notInterestedMax`.
    package func notInterestedFilmIDs(of personID: Int) throws -> [Int] {
        try integers(ActivitySQL.selectNotInterestedFilms, [personID])
    }

    func purgeNotInterested(of id: Int, _ rowsMax: Int) throws -> Int {
        try changes(ActivitySQL.deleteNotInterestedOfPerson, [id, rowsMax])
    }
}
