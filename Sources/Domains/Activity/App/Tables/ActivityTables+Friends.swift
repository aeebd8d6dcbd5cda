import Activity
import DomainKit

/// The relation of one person to another.
package enum PersonRelation: Sendable, Equatable {
    case none
    case friend
    /// The one has asked the other.
    case asked(requestID: Int)
    /// The other has asked the one.
    case isAsked(requestID: Int)
    /// The one has blocked the other, who may also have blocked the one.
    case blocks
    /// Only the other has blocked the one, who must not find out.
    case isBlocked

    /// The status that the one is shown.
    package var status: FriendStatus? {
        switch self {
        case .none, .isBlocked: nil
        case .friend: .accepted
        case .asked, .isAsked: .pending
        case .blocks: .blocked
        }
    }
}

extension ActivityTables {
    // MARK: Two people

    package func relation(of personID: Int, to otherID: Int) throws -> PersonRelation {
        if try row(ActivitySQL.selectBlock, [personID, otherID]) != nil { return .blocks }
        if try row(ActivitySQL.selectBlock, [otherID, personID]) != nil { return .isBlocked }
        if try areFriends(personID, otherID) { return .friend }
        if let id = try integer(ActivitySQL.selectRequest, [personID, otherID]) {
            return .asked(requestID: id)
        }
        if let id = try integer(ActivitySQL.selectRequest, [otherID, personID]) {
            return .isAsked(requestID: id)
        }
        return .none
    }

    package func areFriends(_ personID: Int, _ otherID: Int) throws -> Bool {
        try row(ActivitySQL.selectFriendship, [personID, otherID]) != nil
    }

    /// Whether neither of the two has blocked the other.
    package func areUnblocked(_ personID: Int, _ otherID: Int) throws -> Bool {
        try row(ActivitySQL.selectUnblocked, [personID, otherID]) != nil
    }

    /// Returns the number of friends that two people have in common.
    ///
    /// - Complexity: O(friends of the one who has fewer).
    package func mutualFriendCount(_ personID: Int, _ otherID: Int) throws -> Int {
        let own = try friendCount(of: personID)
        let others = try friendCount(of: otherID)
        let few = own <= others ? personID : otherID
        let many = own <= others ? otherID : personID
        return try integer(ActivitySQL.countMutualFriends, [few, many]) ?? 0
    }

    /// The number of times that entries have left a person's feed with a friend.
    package func removalCount(of personID: Int) throws -> Int {
        try integer(ActivitySQL.selectRemovalCount, [personID]) ?? 0
    }

    // MARK: All friends of one

    package func friendCount(of personID: Int) throws -> Int {
        try integer(ActivitySQL.selectFriendCount, [personID]) ?? 0
    }

    /// Ids of a person's friends behind `id`, in their order: all of them, page by page, from 0 on.
    package func friendIDs(of personID: Int, after id: Int = 0, limit: Int) throws -> [Int] {
        try integers(ActivitySQL.selectFriendIDs, [personID, id, limit])
    }

    /// Friendships behind a pair, in the order of both ids: all of them, page by page, each from the side of
    /// the lesser id.
    package func friendships(
        after pair: (personID: Int, friendID: Int) = (0, 0),
        limit: Int
    ) throws -> [(personID: Int, friendID: Int)] {
        try rows(ActivitySQL.selectFriendships, [pair.personID, pair.friendID, limit]) { row in
            (try row[0], try row[1])
        }
    }

    /// A person's friends in the order of their ids.
    package func friends(of personID: Int, range: PageRange) throws -> Page<FriendView> {
        let arguments: SQLArguments = [personID, range.limit, range.offset]
        let friends = try rows(ActivitySQL.selectFriends, arguments) { row in
            FriendView(
                person: try row.personCard(),
                mutualFriends: try mutualFriendCount(personID, try row[0]),
                watchedCount: try row[3],
                lastActiveAt: try row.optionalInstant(4)
            )
        }
        return Page(items: friends, totalCount: try friendCount(of: personID), range: range)
    }

    /// Ends a friendship.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    package func unfriend(_ personID: Int, _ otherID: Int) throws -> Bool {
        guard try changes(ActivitySQL.deleteFriendship, [personID, otherID]) == 1 else {
            return false
        }
        try run(ActivitySQL.deleteFriendship, [otherID, personID])
        try run(ActivitySQL.addFriend, [personID, -1])
        try run(ActivitySQL.addFriend, [otherID, -1])
        for id in [personID, otherID] { try run(ActivitySQL.countRemoval, [id]) }
        return true
    }

    func befriend(_ personID: Int, _ otherID: Int, at time: Timestamp) throws {
        for (one, other) in [(personID, otherID), (otherID, personID)] {
            try run(ActivitySQL.insertFriendship, [one, other, time.milliseconds])
            try run(ActivitySQL.addFriend, [one, 1])
            try run(ActivitySQL.deleteRequestBetween, [one, other])
        }
    }

    // MARK: Blocks

    /// Blocks a person, which ends friendship and requests between the two.
    ///
    /// A person who is blocked can also block: the answer must not differ from that of others.
    ///
    /// - Returns: false if there is no such person.
    @discardableResult
    package func block(_ otherID: Int, by personID: Int, at time: Timestamp) throws -> Bool {
        if try relation(of: personID, to: otherID) == .blocks { return true }
        guard personID != otherID, try card(otherID) != nil, try card(personID) != nil
        else { return false }
        try run(ActivitySQL.insertBlock, [personID, otherID, time.milliseconds])
        try unfriend(personID, otherID)
        try run(ActivitySQL.deleteRequestBetween, [personID, otherID])
        try run(ActivitySQL.deleteRequestBetween, [otherID, personID])
        return true
    }

    /// Takes a block back. Nothing that it ended begins again.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    package func unblock(_ otherID: Int, by personID: Int) throws -> Bool {
        try changes(ActivitySQL.deleteBlock, [personID, otherID]) == 1
    }

    /// The people whom a person has blocked, in the order of their ids. Only their names are shown.
    package func blockedPeople(by personID: Int, range: PageRange) throws -> Page<FriendView> {
        let arguments: SQLArguments = [personID, range.limit, range.offset]
        let people = try rows(ActivitySQL.selectBlocked, arguments) { row in
            FriendView(
                person: try row.personCard(),
                mutualFriends: 0,
                status: .blocked,
                watchedCount: 0,
                lastActiveAt: nil
            )
        }
        let count = try integer(ActivitySQL.countBlocked, [personID]) ?? 0
        return Page(items: people, totalCount: count, range: range)
    }

    // MARK: People one may know

    /// Friends of whom friends of friends are read; more do not make suggestions better.
    private static let friendsReadMax = 200
    /// People with more friends than that are weak evidence of acquaintance.
    private static let acquaintancesMax = 1000
    /// Suggestions there are of one person.
    private static let suggestionsMax = 200

    /// Returns friends of a person's friends, those with most mutual friends first. Excludes
    /// friends, people who have asked or were asked, and people blocked by either.
    ///
    /// - Complexity: O(friends · friends of each), at most 200 · 1,000.
    package func suggestions(
        for personID: Int,
        range: PageRange
    ) throws -> Page<SuggestionView> {
        let arguments: SQLArguments = [
            personID, Self.friendsReadMax, Self.acquaintancesMax, Self.suggestionsMax,
        ]
        let found = try rows(ActivitySQL.selectSuggestions, arguments) { row in
            SuggestionView(
                person: try row.personCard(),
                mutualFriends: 0,
                watchedCount: try row[3],
                lastActiveAt: try row.optionalInstant(4)
            )
        }
        let shown = try found.dropFirst(range.offset).prefix(range.limit).map { suggestion in
            var suggestion = suggestion
            suggestion.mutualFriends = try mutualFriendCount(personID, suggestion.person.id)
            return suggestion
        }
        return Page(items: shown, totalCount: found.count, range: range)
    }

    /// Friends of friends, no friends themselves, who have completed a film.
    func mutualFriendsWatched(_ filmID: Int, for personID: Int) throws -> Int {
        let arguments: SQLArguments = [
            personID, Self.friendsReadMax, Self.acquaintancesMax, filmID,
        ]
        return try integer(ActivitySQL.countMutualFriendsWatched, arguments) ?? 0
    }
}
