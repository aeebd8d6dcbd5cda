import Activity
import Duties
import Expectations
import LoopTesting

@testable import ActivityApp

@Suite("Film app: requests, acceptances and likes are pushed", .timeLimit(.minutes(10)))
struct NoticeTests {
    private static func review(_ filmID: Int, by personID: Int, _ hub: FilmAppHub) async throws
        -> Int
    {
        let body = #"{"rating":4,"comment":"Cold.","is_review":true}"#
        let request = try RateRequest(json: Array(body.utf8))
        return try await hub.service.rate(filmID, request, by: personID).id
    }

    /// The tags `type` of what a topic has kept, oldest first.
    private static func kept(_ personID: Int, _ hub: FilmAppHub) async throws -> [String?] {
        try await hub.store.history(of: activityTopic(personID), count: 99)?
            .publications.map { $0.tags[ActivityTag.type] } ?? []
    }

    private static func waiting(_ hub: FilmAppHub) async throws -> [String] {
        try await hub.store.pendingDeliveries(perEndpoint: 99, of: ["all"]).map(\.eventType)
    }

    private static func endpoint() throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: "all",
            url: "http://127.0.0.1:9/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(types: ["activity.friend.*", "activity.review.*"]),
            timeout: .seconds(60)
        )
    }

    // MARK: Ends of friendships

    /// Both learn whose entries to drop, and neither why.
    @Test(arguments: ["unfriend", "block"])
    func endOfAFriendshipIsToldToBothAndNotKept(_ end: String) async throws {
        try await FilmAppHub.run(people: 3, endpoints: [try Self.endpoint()]) { hub async throws in
            _ = try await hub.service.requestFriend(2, by: 1)
            _ = try await hub.service.requestFriend(1, by: 2)
            hub.publications.withLock { $0 = [] }
            if end == "block" {
                _ = try await hub.service.block(2, by: 1)
            } else {
                _ = try await hub.service.unfriend(2, by: 1)
            }
            for (person, former) in [(1, 2), (2, 1)] {
                expectEqual(hub.tags(ActivityTag.type, on: person), ["friend_removed"])
                let payload = hub.publications.withLock { publications in
                    publications.first { $0.topic == activityTopic(person) }?.payload
                }
                let event = String(decoding: payload ?? [], as: UTF8.self)
                expect(event.contains(#""type":"activity.friend.removed""#))
                expect(event.contains(#""data":{"user_id":\#(former)}"#))
                try await expectEqual(Self.kept(person, hub), [])
                let feed = try await hub.service.activities(of: person, try ActivityQuery.all)
                expect(String(decoding: feed, as: UTF8.self).contains(#""removals":1"#))
            }
        }
    }

    @Test func blockOfSomebodyWhoIsNoFriendTellsNothing() async throws {
        try await FilmAppHub.run(people: 2) { hub async throws in
            _ = try await hub.service.block(2, by: 1)
            for person in [1, 2] { expectEqual(hub.tags(ActivityTag.type, on: person), []) }
        }
    }

    @Test func deletedAccountIsToldToItsFriends() async throws {
        try await FilmAppHub.run(people: 3) { hub async throws in
            _ = try await hub.service.requestFriend(2, by: 1)
            _ = try await hub.service.requestFriend(1, by: 2)
            hub.publications.withLock { $0 = [] }
            try await hub.service.deleteAccount(1)
            let chores = ActivityChores(service: hub.service)
            while try await chores.purgeNext() {}
            expectEqual(hub.tags(ActivityTag.type, on: 2), ["friend_removed"])
            expectEqual(hub.tags(ActivityTag.type, on: 3), [])
            try await expectEqual(Self.kept(2, hub), [])
        }
    }

    /// The feed has the activities of present friends; the topic what was published meanwhile.
    @Test func newFriendshipBringsEntriesBackToTheFeed() async throws {
        try await FilmAppHub.run(people: 2) { hub async throws in
            func befriend() async throws {
                _ = try await hub.service.requestFriend(2, by: 1)
                _ = try await hub.service.requestFriend(1, by: 2)
            }
            func feed() async throws -> String {
                let feed = try await hub.service.activities(of: 2, try ActivityQuery.all)
                return String(decoding: feed, as: UTF8.self)
            }
            try await befriend()
            _ = try await Self.review(1, by: 1, hub)
            try await expect(feed().contains(#""total_count":1"#))
            _ = try await hub.service.block(2, by: 1)
            try await expect(feed().contains(#""total_count":0"#))
            _ = try await hub.service.unblock(2, by: 1)
            try await befriend()
            try await expect(feed().contains(#""total_count":1"#))
            try await expect(!Self.kept(2, hub).contains("review"))
        }
    }

    // MARK: Watching

    @Test(arguments: [(nil, 100), (97, 97)])
    func completedFilmIsWatchedToItsEnd(_ told: Int?, _ shown: Int) async throws {
        try await FilmAppHub.run(people: 1) { hub async throws in
            func watch(_ event: String, _ percent: Int?) async throws -> Int? {
                let progress = percent.map { #","progress_percent":\#($0)"# } ?? ""
                let body = #"{"event_type":"\#(event)"\#(progress)}"#
                let request = try WatchRequest(json: Array(body.utf8))
                return try await hub.service.watch(1, request, by: 1).progressPercent
            }
            try await expectEqual(watch("started", 10), 10)
            try await expectEqual(watch("completed", told), shown)
        }
    }

    // MARK: Requests

    @Test func requestIsToldToWhomItAsksAndItsAcceptanceToWhoAsked() async throws {
        try await FilmAppHub.run(people: 3, endpoints: [try Self.endpoint()]) { hub async throws in
            let asked = try await hub.service.requestFriend(2, by: 1)
            expectEqual(hub.tags(ActivityTag.type, on: 2), ["friend_requested"])
            expectEqual(hub.tags(ActivityTag.actor, on: 2), ["1"])
            try await expectEqual(Self.kept(2, hub), ["friend_requested"])
            _ = try await hub.service.accept(request: try require(asked.requestID), by: 2)
            expectEqual(hub.tags(ActivityTag.type, on: 1), ["friend_accepted"])
            try await expectEqual(Self.kept(2, hub), [], "an answered request is no news")
            try await expectEqual(Self.kept(1, hub), ["friend_accepted"])
            expectEqual(hub.tags(ActivityTag.type, on: 3), [])
            try await expectEqual(Self.waiting(hub), ["activity.friend.accepted"])
        }
    }

    @Test func askingSomebodyWhoHasAskedIsAnAcceptance() async throws {
        try await FilmAppHub.run(people: 2) { hub async throws in
            _ = try await hub.service.requestFriend(2, by: 1)
            _ = try await hub.service.requestFriend(1, by: 2)
            expectEqual(hub.tags(ActivityTag.type, on: 1), ["friend_accepted"])
            try await expectEqual(Self.kept(2, hub), [])
        }
    }

    @Test func declinedRequestLeavesTheTopicAndNothingIsTold() async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            let asked = try await hub.service.requestFriend(2, by: 1)
            _ = try await hub.service.decline(request: try require(asked.requestID), by: 2)
            try await expectEqual(Self.kept(2, hub), [])
            expectEqual(hub.tags(ActivityTag.type, on: 1), [])
            try await expectEqual(Self.waiting(hub), [])
        }
    }

    @Test func withdrawnRequestIsErasedAndToldOnceHoweverOftenItIsRepeated() async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            let first = try await require(hub.service.requestFriend(2, by: 1).requestID)
            await #expect(throws: ActivityError.friendRequestNotFound(first, of: .outgoing)) {
                try await hub.service.withdraw(request: first, by: 2)
            }
            _ = try await hub.service.withdraw(request: first, by: 1)
            try await expectEqual(Self.kept(2, hub), ["withdrawn"])
            try await expectEqual(Self.waiting(hub), ["activity.friend.withdrawn"])
            await #expect(throws: ActivityError.friendRequestNotFound(first, of: .outgoing)) {
                try await hub.service.withdraw(request: first, by: 1)
            }
            let page = try await hub.store.readActivity {
                try $0.friendRequests(of: 2, .incoming, range: PageRange(limit: 9))
            }
            expectEqual(page.totalCount, 0)
        }
    }

    @Test func blockTakesTheRequestOutOfTheTopicAndIsNotTold() async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            _ = try await hub.service.requestFriend(2, by: 1)
            _ = try await hub.service.block(1, by: 2)
            try await expectEqual(Self.kept(2, hub), [])
            try await expectEqual(Self.waiting(hub), [])
            expectEqual(hub.tags(ActivityTag.type, on: 1), [])
            await #expect(throws: ActivityError.userNotFound(2)) {
                try await hub.service.requestFriend(2, by: 1)
            }
            expectEqual(hub.tags(ActivityTag.type, on: 2), ["friend_requested"])
        }
    }

    // MARK: Likes

    @Test func likeIsToldToTheAuthorOnlyAndOnce() async throws {
        try await FilmAppHub.run(people: 3) { hub async throws in
            try await hub.befriend(1, [3])
            let review = try await Self.review(1, by: 1, hub)
            for _ in 1...3 { _ = try await hub.service.like(true, review: review, of: 1, by: 2) }
            _ = try await hub.service.like(true, review: review, of: 1, by: 1)
            expectEqual(hub.tags(ActivityTag.type, on: 1), ["review_liked"])
            expectEqual(hub.tags(ActivityTag.type, on: 3), ["review"])
        }
    }

    @Test func topicKeepsOneEventOfALikeThatIsRepeatedAgainAndAgain() async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            let review = try await Self.review(1, by: 1, hub)
            for number in 1...40 {
                let isLiked = !number.isMultiple(of: 2)
                _ = try await hub.service.like(isLiked, review: review, of: 1, by: 2)
                let last = isLiked ? "review_liked" : "withdrawn"
                try await expectEqual(Self.kept(1, hub), [last])
            }
            expectEqual(hub.tags(ActivityTag.type, on: 1).count, 40)
        }
    }

    enum Ending: CaseIterable {
        case reviewDeleted, reviewIsNone, blocked, likerDeleted, authorDeleted
    }

    @Test(arguments: Ending.allCases)
    func likeIsErasedWithWhatItIsAbout(ending: Ending) async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            let review = try await Self.review(1, by: 1, hub)
            _ = try await hub.service.like(true, review: review, of: 1, by: 2)
            try await expectEqual(Self.kept(1, hub), ["review_liked"])
            switch ending {
            case .reviewDeleted: try await hub.service.unrate(1, by: 1)
            case .reviewIsNone: try await hub.rate(1, 4, by: 1)
            case .blocked: _ = try await hub.service.block(2, by: 1)
            case .likerDeleted: try await hub.service.deleteAccount(2)
            case .authorDeleted: try await hub.service.deleteAccount(1)
            }
            try await hub.carryOutChores()
            try await expectEqual(Self.kept(1, hub), [])
            guard ending != .authorDeleted else { return }
            try await expectEqual(Self.waiting(hub), [])
        }
    }

    @Test func deletedAccountLeavesTheTopicsOfWhomItAsked() async throws {
        try await FilmAppHub.run(people: 2, endpoints: [try Self.endpoint()]) { hub async throws in
            _ = try await hub.service.requestFriend(2, by: 1)
            try await hub.service.deleteAccount(1)
            try await hub.carryOutChores()
            try await expectEqual(Self.kept(2, hub), [])
            try await expectEqual(Self.waiting(hub), [])
        }
    }

    // MARK: Unread

    private static func unread(
        _ personID: Int,
        _ since: UnreadCursor,
        _ hub: FilmAppHub
    ) async throws -> UnreadCounts {
        try await hub.store.readActivity { try $0.unread(of: personID, since: since) }
    }

    @Test func unreadCountsAreWhatCameBehindTheCursor() async throws {
        try await FilmAppHub.run(people: 5, films: 2) { hub async throws in
            try await hub.befriend(1, [2])
            let review = try await Self.review(1, by: 1, hub)
            try await hub.rate(1, 4, by: 2)
            _ = try await hub.service.requestFriend(1, by: 3)
            _ = try await hub.service.like(true, review: review, of: 1, by: 3)
            let all = try await Self.unread(1, UnreadCursor(), hub)
            expectEqual([all.activities, all.friendRequests, all.likes], [1, 1, 1])
            let none = try await Self.unread(1, all.cursor, hub)
            expectEqual([none.activities, none.friendRequests, none.likes], [0, 0, 0])
            expectEqual(none.cursor, all.cursor)

            // A number is never given twice: the next like counts although the last one is gone.
            _ = try await hub.service.like(false, review: review, of: 1, by: 3)
            _ = try await hub.service.like(true, review: review, of: 1, by: 4)
            _ = try await hub.service.requestFriend(1, by: 4)
            try await hub.rate(2, 4, by: 2)
            try await hub.rate(2, 4, by: 5)
            let later = try await Self.unread(1, all.cursor, hub)
            expectEqual([later.activities, later.friendRequests, later.likes], [1, 1, 1])
            _ = try await hub.service.block(4, by: 1)
            let blocked = try await Self.unread(1, all.cursor, hub)
            expectEqual([blocked.activities, blocked.friendRequests, blocked.likes], [1, 0, 0])
            try await hub.service.deleteAccount(3)
            let left = try await Self.unread(1, UnreadCursor(), hub)
            expectEqual([left.activities, left.friendRequests, left.likes], [2, 0, 0])
        }
    }

    @Test func countsStopAtTheirBound() async throws {
        try await FilmAppHub.run(people: UnreadCounts.countMax + 2) { hub async throws in
            let review = try await Self.review(1, by: 1, hub)
            try await hub.store.commitActivity { tables in
                for person in 2...(UnreadCounts.countMax + 2) {
                    _ = try tables.like(review: review, of: 1, by: person, at: FilmAppHub.start)
                    _ = try tables.requestFriend(1, by: person, at: FilmAppHub.start)
                }
                return (Change(), ())
            }
            let counts = try await Self.unread(1, UnreadCursor(), hub)
            expectEqual(counts.likes, UnreadCounts.countMax)
            expectEqual(counts.friendRequests, UnreadCounts.countMax)
            expectEqual(counts.cursor.likeNumber, UnreadCounts.countMax + 1)
        }
    }

    /// A file from before the likes were numbered.
    @Test func likesOfAnOlderFileAreNumbered() async throws {
        try await FilmAppHub.run(people: 4, films: 2) { hub async throws in
            for film in 1...2 {
                let review = try await Self.review(film, by: 1, hub)
                for person in 2...4 {
                    _ = try await hub.service.like(true, review: review, of: film, by: person)
                }
            }
            let numbers = try await hub.store.readActivity { tables in
                try tables.rows("SELECT number FROM review_like ORDER BY number", []) {
                    try $0[0] as Int
                }
            }
            expectEqual(numbers, [1, 2, 3, 4, 5, 6])
        }
    }
}

extension ActivityQuery {
    /// The first page of the whole feed.
    fileprivate static var all: ActivityQuery {
        get throws { try ActivityQuery(type: nil, since: nil, limit: nil, offset: nil) }
    }
}
