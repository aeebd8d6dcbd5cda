import Activity

extension ActivityTables {
    /// Returns the numbers of a person's unseen items after a cursor. Blocked people and those who
    /// have left do not count.
    ///
    /// - Complexity: that of `catchUp` for the activities; at most `UnreadCounts.countMax` rows of the others.
    package func unread(of personID: Int, since cursor: UnreadCursor) throws -> UnreadCounts {
        let countMax = UnreadCounts.countMax
        let activities = try catchUp(of: personID, since: cursor.activityID, limit: 1).totalCount
        let requests =
            try integer(ActivitySQL.countRequestsSince, [personID, cursor.requestID, countMax]) ?? 0
        let likes =
            try integer(ActivitySQL.countLikesSince, [personID, cursor.likeNumber, countMax]) ?? 0
        let newest = UnreadCursor(
            activityID: max(cursor.activityID, try newestActivityID()),
            requestID: max(
                cursor.requestID,
                try integer(ActivitySQL.selectNewestRequestTo, [personID]) ?? 0
            ),
            likeNumber: max(
                cursor.likeNumber,
                try integer(ActivitySQL.selectLikeNumber, [personID]) ?? 0
            )
        )
        return UnreadCounts(
            activities: min(activities, countMax),
            friendRequests: requests,
            likes: likes,
            cursor: newest
        )
    }
}
