import Activity

/// The result of a friend request.
package enum FriendRequestOutcome: Sendable, Equatable {
    case sent(requestID: Int)
    /// The other one had asked before, by this request: they are friends.
    case accepted(requestID: Int)
    case alreadySent(requestID: Int)
    case alreadyFriends
    /// No such person, or one who has blocked the asking one, or is blocked.
    case noSuchPerson
    /// One of the two has as many friends as there may be, or the asking one as many open requests.
    case tooMany
}

/// The result of accepting a friend request.
package enum AcceptOutcome: Sendable, Equatable {
    case accepted(friendID: Int)
    case notFound
    /// One of the two has as many friends as there may be; the request stays.
    case tooMany
}

/// The maximum numbers of a person's friends and open requests.
package struct FriendLimits: Sendable, Equatable {
    package var friendsMax: Int
    /// That the person has sent.
    package var requestsMax: Int

    package init(friendsMax: Int = 100_000, requestsMax: Int = 1000) {
        self.friendsMax = friendsMax
        self.requestsMax = requestsMax
    }
}

extension ActivityTables {
    /// Sends a friend request; if the other person has already sent one, accepts that.
    package func requestFriend(
        _ otherID: Int,
        by personID: Int,
        at time: Timestamp,
        limits: FriendLimits = FriendLimits()
    ) throws -> FriendRequestOutcome {
        guard personID != otherID, try card(otherID) != nil, try card(personID) != nil else {
            return .noSuchPerson
        }
        switch try relation(of: personID, to: otherID) {
        case .blocks, .isBlocked: return .noSuchPerson
        case .friend: return .alreadyFriends
        case .asked(let id): return .alreadySent(requestID: id)
        case .isAsked(let id):
            guard try haveRoom(personID, otherID, limits) else { return .tooMany }
            try befriend(personID, otherID, at: time)
            return .accepted(requestID: id)
        case .none:
            let open = try integer(ActivitySQL.countRequestsFrom, [personID]) ?? 0
            guard open < limits.requestsMax, try haveRoom(personID, otherID, limits) else {
                return .tooMany
            }
            let id = try session.insert(
                ActivitySQL.insertRequest,
                [personID, otherID, time.milliseconds]
            )
            return .sent(requestID: id)
        }
    }

    /// Accepts a request that was sent to `personID`.
    package func acceptRequest(
        _ id: Int,
        by personID: Int,
        at time: Timestamp,
        limits: FriendLimits = FriendLimits()
    ) throws -> AcceptOutcome {
        guard let otherID = try integer(ActivitySQL.selectRequestTo, [id, personID]),
            try card(otherID) != nil, try card(personID) != nil
        else { return .notFound }
        guard try haveRoom(personID, otherID, limits) else { return .tooMany }
        try befriend(personID, otherID, at: time)
        return .accepted(friendID: otherID)
    }

    /// Declines a request that was sent to `personID`; who sent it may ask again.
    ///
    /// - Returns: who had sent it; nil when there is no such request.
    @discardableResult
    package func declineRequest(_ id: Int, by personID: Int) throws -> Int? {
        guard let otherID = try integer(ActivitySQL.selectRequestTo, [id, personID]) else {
            return nil
        }
        try run(ActivitySQL.deleteRequest, [id])
        return otherID
    }

    /// Takes back a request that `personID` has sent.
    ///
    /// - Returns: whom it was sent to; nil when there is no such request.
    @discardableResult
    package func withdrawRequest(_ id: Int, by personID: Int) throws -> Int? {
        guard let otherID = try integer(ActivitySQL.selectRequestFrom, [id, personID]) else {
            return nil
        }
        try run(ActivitySQL.deleteRequest, [id])
        return otherID
    }

    /// A person's open requests in one direction, newest first.
    package func friendRequests(
        of personID: Int,
        _ direction: RequestDirection,
        range: PageRange
    ) throws -> Page<FriendRequestView> {
        let isIncoming = direction == .incoming
        let select =
            isIncoming ? ActivitySQL.selectRequestsTo : ActivitySQL.selectRequestsFrom
        let count = isIncoming ? ActivitySQL.countRequestsTo : ActivitySQL.countRequestsFrom
        let requests = try rows(select, [personID, range.limit, range.offset]) { row in
            FriendRequestView(
                id: try row[0],
                direction: direction,
                person: try row.personCard(2),
                mutualFriends: try mutualFriendCount(personID, try row[2]),
                at: try row.instant(1)
            )
        }
        return Page(
            items: requests,
            totalCount: try integer(count, [personID]) ?? 0,
            range: range
        )
    }

    private func haveRoom(_ one: Int, _ other: Int, _ limits: FriendLimits) throws -> Bool {
        try friendCount(of: one) < limits.friendsMax
            && friendCount(of: other) < limits.friendsMax
    }
}
