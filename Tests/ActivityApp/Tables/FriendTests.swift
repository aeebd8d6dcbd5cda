import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Friends", .timeLimit(.minutes(10)))
struct FriendTests {
    private func withPeople(
        _ count: Int,
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(count)
                try body(tables)
            }
        }
    }

    private func ask(_ tables: ActivityTables, _ other: Int, by one: Int) throws
        -> FriendRequestOutcome
    {
        try tables.requestFriend(other, by: one, at: startOfTests)
    }

    private func sentRequest(_ tables: ActivityTables, _ other: Int, by one: Int) throws -> Int {
        let outcome = try ask(tables, other, by: one)
        guard case .sent(let id) = outcome else { throw UnexpectedOutcome(outcome: outcome) }
        return id
    }

    private struct UnexpectedOutcome: Error {
        let outcome: FriendRequestOutcome
    }

    // MARK: Requests

    @Test func requestIsSeenByBothAndAccepted() async throws {
        try await withPeople(2) { tables throws in
            let id = try sentRequest(tables, 2, by: 1)
            try expectEqual(tables.relation(of: 1, to: 2), .asked(requestID: id))
            try expectEqual(tables.relation(of: 2, to: 1), .isAsked(requestID: id))
            try expectEqual(tables.relation(of: 2, to: 1).status, .pending)
            let incoming = try tables.friendRequests(of: 2, .incoming, range: everything)
            expectEqual(incoming.items.map(\.id), [id])
            expectEqual(incoming.items.map(\.person.id), [1])
            expectEqual(incoming.totalCount, 1)
            let outgoing = try tables.friendRequests(of: 1, .outgoing, range: everything)
            expectEqual(outgoing.items.map(\.person.id), [2])
            try expect(tables.friendRequests(of: 1, .incoming, range: everything).items.isEmpty)

            let accepted = try tables.acceptRequest(id, by: 2, at: startOfTests)
            expectEqual(accepted, .accepted(friendID: 1))
            try expect(tables.areFriends(1, 2))
            try expect(tables.areFriends(2, 1))
            try expectEqual(tables.relation(of: 1, to: 2), .friend)
            try expectEqual(tables.friendCount(of: 1), 1)
            try expectEqual(tables.acceptRequest(id, by: 2, at: startOfTests), .notFound)
        }
    }

    @Test func requestIsAnsweredByWhomItWasSentToAlone() async throws {
        try await withPeople(3) { tables throws in
            let id = try sentRequest(tables, 2, by: 1)
            for other in [1, 3] {
                try expectEqual(tables.acceptRequest(id, by: other, at: startOfTests), .notFound)
                try expectNil(tables.declineRequest(id, by: other))
            }
            try expectEqual(tables.declineRequest(id, by: 2), 1)
            try expectNil(tables.declineRequest(id, by: 2))
            try expectEqual(tables.relation(of: 1, to: 2), .none)
            let second = try sentRequest(tables, 2, by: 1)
            expect(second > id, "an id is never given twice")
        }
    }

    @Test func refusalsOfRequestsHaveTheirReasons() async throws {
        try await withPeople(3) { tables throws in
            let id = try sentRequest(tables, 2, by: 1)
            try expectEqual(ask(tables, 2, by: 1), .alreadySent(requestID: id))
            try expectEqual(
                ask(tables, 1, by: 2),
                .accepted(requestID: 1),
                "each has asked the other"
            )
            try expectEqual(ask(tables, 2, by: 1), .alreadyFriends)
            try expectEqual(ask(tables, 9, by: 1), .noSuchPerson)
            try expectEqual(ask(tables, 1, by: 1), .noSuchPerson)
            try expect(tables.block(1, by: 3, at: startOfTests))
            try expectEqual(ask(tables, 3, by: 1), .noSuchPerson)
            try expectEqual(ask(tables, 1, by: 3), .noSuchPerson)
        }
    }

    @Test func friendsAndRequestsHaveALimit() async throws {
        try await withPeople(5) { tables throws in
            let limits = FriendLimits(friendsMax: 2, requestsMax: 1)
            func ask(_ other: Int, by one: Int) throws -> FriendRequestOutcome {
                try tables.requestFriend(other, by: one, at: startOfTests, limits: limits)
            }
            try expectEqual(ask(2, by: 1), .sent(requestID: 1))
            try expectEqual(ask(3, by: 1), .tooMany, "one open request is allowed")
            try tables.makeFriends(1, 3)
            try expectEqual(
                tables.acceptRequest(1, by: 2, at: startOfTests, limits: limits),
                .accepted(friendID: 1)
            )
            try expectEqual(ask(1, by: 4), .tooMany, "1 has two friends")
            try expectEqual(ask(5, by: 4), .sent(requestID: 2))
            try tables.makeFriends(5, 2)
            try tables.makeFriends(5, 3)
            try expectEqual(
                tables.acceptRequest(2, by: 5, at: startOfTests, limits: limits),
                .tooMany
            )
            try expectEqual(tables.relation(of: 4, to: 5), .asked(requestID: 2), "it stays")
        }
    }

    // MARK: Lists

    @Test func friendsComeInPagesWithMutualCounts() async throws {
        try await withPeople(6) { tables throws in
            for friend in 2...5 { try tables.makeFriends(1, friend) }
            try tables.makeFriends(2, 3)
            try tables.makeFriends(2, 4)
            try tables.makeFriends(2, 6)
            let page = try tables.friends(of: 1, range: PageRange(limit: 2))
            expectEqual(page.items.map(\.person.id), [2, 3])
            expectEqual(page.items.map(\.mutualFriends), [2, 1])
            expect(page.items.allSatisfy { $0.status == .accepted })
            expectEqual(page.totalCount, 4)
            let rest = try tables.friends(of: 1, range: PageRange(limit: 9, offset: 2))
            expectEqual(rest.items.map(\.person.id), [4, 5])
            try expectEqual(tables.mutualFriendCount(6, 1), 1)
            try expectEqual(tables.friendIDs(of: 1, limit: 3), [2, 3, 4])
            try expectEqual(tables.friendIDs(of: 1, after: 4, limit: 3), [5])
        }
    }

    @Test func unfriendingEndsItForBothAndOnce() async throws {
        try await withPeople(2) { tables throws in
            try tables.makeFriends(1, 2)
            try expect(tables.unfriend(2, 1))
            try expect(!tables.unfriend(1, 2))
            try expect(!tables.areFriends(1, 2))
            try expectEqual(tables.friendCount(of: 1), 0)
            try expectEqual(tables.friendCount(of: 2), 0)
        }
    }

    @Test func suggestionsAreFriendsOfFriendsAndNobodyElse() async throws {
        try await withPeople(12) { tables throws in
            for friend in 2...4 { try tables.makeFriends(1, friend) }
            for other in [5, 6, 7, 8, 9, 10] { try tables.makeFriends(2, other) }
            for other in [5, 6] { try tables.makeFriends(3, other) }
            try tables.makeFriends(4, 6)
            _ = try ask(tables, 7, by: 1)
            _ = try ask(tables, 1, by: 8)
            _ = try tables.block(9, by: 1, at: startOfTests)
            _ = try tables.block(1, by: 10, at: startOfTests)
            let page = try tables.suggestions(for: 1, range: everything)
            expectEqual(page.items.map(\.person.id), [6, 5])
            expectEqual(page.items.map(\.mutualFriends), [3, 2])
            expectEqual(page.totalCount, 2)
            let second = try tables.suggestions(for: 1, range: PageRange(limit: 5, offset: 1))
            expectEqual(second.items.map(\.person.id), [5])
            try expect(tables.suggestions(for: 12, range: everything).items.isEmpty)
        }
    }

    // MARK: Blocks

    @Test func blockEndsFriendshipAndRequestsBothWays() async throws {
        try await withPeople(4) { tables throws in
            try tables.makeFriends(1, 2)
            _ = try ask(tables, 3, by: 1)
            _ = try ask(tables, 1, by: 4)
            for other in 2...4 { try expect(tables.block(other, by: 1, at: startOfTests)) }
            try expectEqual(tables.friendCount(of: 1), 0)
            try expectEqual(tables.friendCount(of: 2), 0)
            for direction in RequestDirection.allCases {
                let requests = try tables.friendRequests(of: 1, direction, range: everything)
                expect(requests.items.isEmpty)
            }
            try expectEqual(tables.relation(of: 1, to: 2), .blocks)
            try expectEqual(tables.relation(of: 1, to: 2).status, .blocked)
            try expectEqual(tables.relation(of: 2, to: 1), .isBlocked)
            try expectNil(tables.relation(of: 2, to: 1).status, "2 is not to know")
            try expectNil(tables.profile(of: 1, for: 2))
            try expectNil(tables.profile(of: 2, for: 1))
            try expect(!tables.areUnblocked(1, 2))
            try expect(!tables.areUnblocked(2, 1))
        }
    }

    @Test func blockingTellsNothingToWhoIsBlocked() async throws {
        try await withPeople(2) { tables throws in
            try expect(tables.block(2, by: 1, at: startOfTests))
            try expect(tables.block(2, by: 1, at: startOfTests), "a second time changes nothing")
            try expect(!tables.block(9, by: 1, at: startOfTests))
            try expect(!tables.block(1, by: 1, at: startOfTests))
        }
    }

    @Test func blockedPersonCanBlockBackAndEachBlockEndsByItself() async throws {
        try await withPeople(2) { tables throws in
            try expect(tables.block(2, by: 1, at: startOfTests))
            try expect(tables.block(1, by: 2, at: startOfTests))
            try expectEqual(tables.relation(of: 2, to: 1), .blocks)
            try expect(tables.unblock(2, by: 1))
            try expectEqual(tables.relation(of: 1, to: 2), .isBlocked)
            try expectEqual(tables.relation(of: 2, to: 1), .blocks)
            try expect(tables.unblock(1, by: 2))
            try expect(tables.areUnblocked(1, 2))
        }
    }

    @Test func blockedPeopleAreListedWithTheirNamesAlone() async throws {
        try await withPeople(4) { tables throws in
            try tables.session.run("UPDATE person SET avatar_url = 'https://example.com/face.png'")
            for other in [4, 2] { _ = try tables.block(other, by: 1, at: startOfTests) }
            _ = try tables.block(1, by: 3, at: startOfTests)
            let page = try tables.blockedPeople(by: 1, range: PageRange(limit: 1, offset: 1))
            expectEqual(page.totalCount, 2)
            expectEqual(page.items.map(\.person.id), [4])
            expectEqual(page.items.map(\.person.name), [try tables.card(4)?.name])
            expectEqual(page.items.map(\.status), [.blocked])
            expectEqual(page.items.map(\.person.avatarURL), [nil])
        }
    }

    @Test func endOfAFriendshipCountsAsARemovalForBoth() async throws {
        try await withPeople(3) { tables throws in
            try tables.makeFriends(1, 2)
            try expectEqual(tables.removalCount(of: 1), 0)
            _ = try tables.block(3, by: 1, at: startOfTests)
            try expectEqual(tables.removalCount(of: 1), 0, "no friend, no entries")
            _ = try tables.block(2, by: 1, at: startOfTests)
            for person in [1, 2] { try expectEqual(tables.removalCount(of: person), 1) }
        }
    }

    @Test func unblockingBringsNothingBack() async throws {
        try await withPeople(2) { tables throws in
            try tables.makeFriends(1, 2)
            _ = try tables.block(2, by: 1, at: startOfTests)
            try expect(!tables.unblock(1, by: 2))
            try expect(tables.unblock(2, by: 1))
            try expect(!tables.unblock(2, by: 1))
            try expectEqual(tables.relation(of: 1, to: 2), .none)
            try expect(tables.profile(of: 1, for: 2) != nil)
        }
    }
}
