import Activity
import Store

/// The feed of somebody with very many friends, read from everybody's activities in their order.
///
/// Whoever has 100,000 friends sees a large part of all that is done: it costs little to look at the newest
/// activities and to ask of each whether a friend did it, and much to ask each friend for the newest one. How many
/// are looked at is bounded by the number of friends, so that the feed of those who see a small part is looked for
/// in vain at no more than what it costs to ask the friends.
extension ActivityTables {
    /// With fewer friends all of them are asked at once.
    static let walkedFriendsMin = 1000
    /// To look at an activity, whose actor is anybody, takes three times as long as to ask the next friend in
    /// the order of their numbers: 0.95 µs and 0.33 µs with 100,000 friends.
    static let friendsPerActivity = 3

    /// How many activities may be looked at for somebody's feed; nil for few friends.
    func feedReach(of personID: Int) throws -> Int? {
        let count = try integer(ActivitySQL.selectFriendCount, [personID]) ?? 0
        return count >= Self.walkedFriendsMin ? count / Self.friendsPerActivity : nil
    }

    /// A page of the feed, newest first; nil when it is not all among the newest `reach` activities.
    ///
    /// - Parameter count: of the whole feed.
    /// - Complexity: O(reach), and O(offset + limit) where everybody is a friend.
    func walkedFeed(
        of personID: Int,
        type: ActivityType?,
        range: PageRange,
        count: Int,
        reach: Int
    ) throws -> [Int]? {
        let last = try newestActivityID() - reach
        let arguments: SQLArguments = [
            personID, last, range.limit, range.offset, type?.column,
        ]
        let ids = try integers(ActivitySQL.selectNewestOfAll, arguments)
        return ids.count == min(range.limit, count - range.offset) ? ids : nil
    }

    /// How much of the feed came behind an activity; nil when more than `reach` activities did.
    ///
    /// - Complexity: O(activities after it).
    func walkedCount(
        of personID: Int,
        type: ActivityType?,
        since: Int,
        reach: Int
    ) throws -> Int? {
        guard try newestActivityID() - since <= reach else { return nil }
        return try integer(ActivitySQL.countAllSince, [personID, since, type?.column]) ?? 0
    }

    /// What came behind an activity, oldest first; nil when it is not all among the `reach` activities behind
    /// it.
    ///
    /// - Parameter count: how much of the feed came behind it.
    /// - Complexity: O(reach), and O(limit) where everybody is a friend.
    func walkedCatchUp(
        of personID: Int,
        type: ActivityType?,
        since: Int,
        limit: Int,
        count: Int,
        reach: Int
    ) throws -> [Int]? {
        let (last, isOver) = since.addingReportingOverflow(reach)
        let arguments: SQLArguments = [
            personID, since, isOver ? .max : last, limit, type?.column,
        ]
        let ids = try integers(ActivitySQL.selectOldestOfAll, arguments)
        return ids.count == min(limit, count) ? ids : nil
    }
}
