import Activity
import DomainKit

/// A part of a deleted person's rows.
package struct PurgedRows: Sendable, Equatable {
    package var personID: Int
    /// The person's former friends; the person must be erased from the topics of each of them.
    package var formerFriendIDs: [Int]
    /// The people whom the person has asked, or whose reviews the person has liked: their topics
    /// have notices of it.
    package var notifiedIDs: [Int] = []
    package var rowCount: Int
    /// Whether nothing of the person is left.
    package var isLast: Bool
}

extension ActivityTables {
    /// Deletes an account: the person and all their data are hidden from then on, and all logins
    /// end. The rows go later, by `purgeDeletedPeople`.
    ///
    /// - Returns: the families of the logins; nil if there is no such person.
    package func deletePerson(_ id: Int, at time: Timestamp) throws -> [String]? {
        guard try changes(ActivitySQL.deletePerson, [id]) == 1 else { return nil }
        try run(ActivitySQL.noteDeletedPerson, [id])
        let families = try AccountTables(session, path: path)
            .endLogins(of: String(id), at: time)
        // The counts of the feed, and the waiting publications.
        try run(ActivitySQL.deleteTally, [id])
        try run(ActivitySQL.deleteFanOutsOfPerson, [id])
        return families
    }

    /// Deletes a part of the rows of the deleted person who has waited longest, and subtracts them
    /// from the counts of films, reviews and friends.
    ///
    /// - Parameter rowsMax: bounds the time that other writers wait; the likes of one review are
    ///   deleted together.
    /// - Returns: nil if no person is waiting.
    package func purgeDeletedPeople(rowsMax: Int = 256) throws -> PurgedRows? {
        guard let id = try integer(ActivitySQL.selectDeletedPerson) else { return nil }
        let friendIDs = try friendIDs(of: id, limit: rowsMax)
        for friendID in friendIDs { try unfriend(id, friendID) }
        var rowCount = friendIDs.count
        var notifiedIDs: [Int] = []
        for purge in [purgeRequests, purgeLikes] {
            guard rowCount < rowsMax else { break }
            let purged = try purge(id, rowsMax - rowCount)
            rowCount += purged.rowCount
            notifiedIDs += purged.notifiedIDs
        }
        for purge in [
            purgeBlocks, purgeRatings, purgeWatching, purgeNotInterested, purgeActivities,
        ] {
            guard rowCount < rowsMax else { break }
            rowCount += try purge(id, rowsMax - rowCount)
        }
        let isLast = rowCount < rowsMax
        if isLast { try run(ActivitySQL.forgetDeletedPerson, [id]) }
        return PurgedRows(
            personID: id,
            formerFriendIDs: friendIDs,
            notifiedIDs: Set(notifiedIDs).sorted(),
            rowCount: rowCount,
            isLast: isLast
        )
    }

    private func purgeRequests(
        of id: Int,
        _ rowsMax: Int
    ) throws -> (rowCount: Int, notifiedIDs: [Int]) {
        let requests = try rows(ActivitySQL.selectRequestsOfPerson, [id, rowsMax]) { row in
            (id: try row[0] as Int, recipientID: try row[1] as Int?)
        }
        for request in requests { try run(ActivitySQL.deleteRequest, [request.id]) }
        return (requests.count, requests.compactMap(\.recipientID))
    }

    private func purgeBlocks(of id: Int, _ rowsMax: Int) throws -> Int {
        let own = try changes(ActivitySQL.deleteBlocksByPerson, [id, rowsMax])
        return try own + changes(ActivitySQL.deleteBlocksOfPerson, [id, rowsMax - own])
    }

    private func purgeLikes(
        of id: Int,
        _ rowsMax: Int
    ) throws -> (rowCount: Int, notifiedIDs: [Int]) {
        let reviews = try rows(ActivitySQL.selectLikesOfPerson, [id, rowsMax]) { row in
            (id: try row[0] as Int, authorID: try row[1] as Int)
        }
        for review in reviews {
            try run(ActivitySQL.deleteLike, [review.id, id])
            try run(ActivitySQL.addLike, [review.id, -1])
        }
        return (reviews.count, reviews.map(\.authorID))
    }

    private func purgeRatings(of id: Int, _ rowsMax: Int) throws -> Int {
        let films = try integers(ActivitySQL.selectRatedFilms, [id, rowsMax])
        for film in films {
            guard let rating = try rating(of: film, by: id) else { continue }
            try delete(rating)
        }
        return films.count
    }

    private func purgeWatching(of id: Int, _ rowsMax: Int) throws -> Int {
        let films = try integers(ActivitySQL.selectWatchedFilms, [id, rowsMax])
        for film in films {
            try run(ActivitySQL.deleteWatch, [id, film])
            try run(ActivitySQL.addFilmWatcher, [film, -1])
        }
        let rest = rowsMax - films.count
        return try films.count + changes(ActivitySQL.deleteWatchlist, [id, rest])
    }

    private func purgeActivities(of id: Int, _ rowsMax: Int) throws -> Int {
        try changes(ActivitySQL.deleteActivitiesOfPerson, [id, rowsMax])
    }
}
