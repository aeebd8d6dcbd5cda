import Activity
import DomainKit

/// The feed of a person with very many friends, read from the activities of all people in their
/// order.
///
/// A person with 100,000 friends sees a large part of all activities: it costs little to read the
/// newest activities and to check of each whether a friend did it, and much to read the newest one
/// of each friend. The number of activities read is bounded by the number of friends, so that for a
/// person who sees a small part, the failed attempt costs no more than reading from the friends.
extension ActivityTables {
    /// With fewer friends, the newest activities of all of them are read at once.
    static let walkedFriendsMin = 1000
    /// Reading one activity of any actor takes three times as long as reading from the next friend
    /// in the order of their numbers: 0.95 µs and 0.33 µs with 100,000 friends.
    static let friendsPerActivity = 3

    /// Returns the maximum number of activities to read for a person's feed; nil for few friends.
    func feedReach(of personID: Int) throws -> Int? {
        let count = try integer(ActivitySQL.selectFriendCount, [personID]) ?? 0
        return count >= Self.walkedFriendsMin ? count / Self.friendsPerActivity : nil
    }

    /// Returns a page of the feed, newest first; nil if it is not entirely among the newest `reach`
    /// activities.
    ///
    /// - Parameter count: of the whole feed.
    /// - Complexity: O(reach), and O(offset + limit) if all people are friends.
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

    /// Returns the number of the feed's activities after an activity; nil if more than `reach`
    /// activities of any people come after it.
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

    /// Returns the activities after an activity, oldest first; nil if the requested ones are not
    /// all among the `reach` activities of any people after it.
    ///
    /// - Parameter count: the number of the feed's activities after it.
    /// - Complexity: O(reach), and O(limit) if all people are friends.
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
