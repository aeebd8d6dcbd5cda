import Activity
import Duties
import Expectations
import LoopTesting

@testable import ActivityApp

@Suite("The film app: what a transaction tells", .timeLimit(.minutes(10)))
struct ActivityServiceTests {
    // MARK: Deleting a rating

    /// Each change of it made an activity, and each activity has to be taken from each friend: in one
    /// transaction that was more than the store takes.
    @Test func ratingThatWasChangedVeryOftenCanBeDeleted() async throws {
        try await FilmAppHub.run(people: 61) { hub async throws in
            try await hub.befriend(1, 2...61)
            try await hub.rate(1, 4, by: 1)
            let told = 300
            try await hub.store.commitActivity { tables in
                for _ in 1..<told {
                    _ = try tables.insertActivity(.rating, of: 1, by: 1, at: FilmAppHub.start)
                }
                return (Change(), ())
            }
            try await hub.service.unrate(1, by: 1)
            let (count, rating) = try await hub.store.readActivity { tables in
                (
                    try tables.feed(of: 2, range: PageRange(limit: 1)).totalCount,
                    try tables.rating(of: 1, by: 1)
                )
            }
            expect(count == 0 && rating == nil)

            try await hub.carryOutChores()
            for friend in [2, 61] {
                let types = hub.tags(ActivityTag.type, on: friend)
                expectEqual(types.count { $0 == "deleted" }, told)
            }
            await #expect(throws: ActivityError.ratingNotFound(movieID: 1)) {
                try await hub.service.unrate(1, by: 1)
            }
        }
    }

    @Test func deletionsOfMoreThanAnActMayTellAreToldInTheBackgroundAndInOrder() async throws {
        try await FilmAppHub.run(people: 4) {
            $0.fanoutInAct = 5
        } _: { hub async throws in
            try await hub.befriend(1, 2...4)
            for stars in 1...3 { try await hub.rate(1, stars, by: 1) }
            try await hub.service.unrate(1, by: 1)
            let isWaiting = try await hub.store.readActivity { try $0.isFanningOut(1) }
            expect(isWaiting, "nine events are more than five")
            let created = ["rating", "rating", "rating"]
            expectEqual(hub.tags(ActivityTag.type, on: 2), created + ["deleted"])
            try await hub.carryOutChores()
            let deleted = ["deleted", "deleted", "deleted"]
            for friend in 2...4 {
                expectEqual(hub.tags(ActivityTag.type, on: friend), created + deleted)
            }
            let payloads = hub.publications.withLock { list in
                list.filter { $0.topic == activityTopic(4) && $0.tags["type"] == "deleted" }
                    .map { String(decoding: $0.payload, as: UTF8.self) }
            }
            for (id, payload) in zip(1...3, payloads) {
                expect(payload.contains(#""data":{"activity_id":\#(id)}"#))
            }
        }
    }

    // MARK: Webhooks

    private func endpoint(_ name: String, _ topics: [String]) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: "http://127.0.0.1:1/",
            secrets: [WebhookSecret(key: [UInt8](repeating: 1, count: 24))],
            filter: try WebhookFilter(topics: topics),
            timeout: .seconds(1)
        )
    }

    @Test func endpointForSomebodysFeedHearsOfTheFriendsOnceAndOfNobodyElse() async throws {
        let endpoints = [
            try endpoint("all", []), try endpoint("feeds", ["activity:*"]),
            try endpoint("second", ["activity:2"]),
            try endpoint("both", ["activity:3", "activity:2"]),
            try endpoint("other", ["aurora:*", "activity:03", "activity:2:alerts"]),
        ]
        try await FilmAppHub.run(people: 4, endpoints: endpoints) { hub async throws in
            try await hub.befriend(1, 2...3)
            try await hub.rate(1, 5, by: 1)
            try await hub.rate(1, 4, by: 4)
            var counts: [String: Int] = [:]
            for endpoint in endpoints {
                counts[endpoint.name] =
                    try await hub.store.deliveries(of: endpoint.name, limit: 10).count
            }
            expectEqual(counts, ["all": 2, "feeds": 2, "second": 1, "both": 1, "other": 0])
        }
    }

    // MARK: What the loops know

    @Test func acceptanceThatIsNotedBehindABlockMakesNobodyFriends() async throws {
        try await FilmAppHub.run(people: 2) { hub async throws in
            try await hub.befriend(1, [2])
            expect(hub.service.friends.areFriends(1, 2))
            _ = try await hub.service.block(1, by: 2)
            expect(!hub.service.friends.areFriends(1, 2))
            // What an acceptance does at its end that was committed before the block.
            await hub.service.noteFriendship(of: 1, and: 2)
            expect(!hub.service.friends.areFriends(1, 2) && !hub.service.friends.areFriends(2, 1))
        }
    }

    @Test func acceptanceThatIsNotedBehindADeletionMakesNobodyFriends() async throws {
        try await FilmAppHub.run(people: 2) { hub async throws in
            try await hub.befriend(1, [2])
            let early = hub.service.friends.version
            try await hub.service.deleteAccount(2)
            expect(!hub.service.friends.set(1, 2, areFriends: true, asOf: early))
            await hub.service.noteFriendship(of: 1, and: 2)
            expect(!hub.service.friends.areFriends(1, 2))
        }
    }

    @Test func loopsAndStoreAgreeHoweverAcceptancesAndBlocksMeet() async throws {
        try await FilmAppHub.run(people: 40) { hub async throws in
            let service = hub.service
            try await withThrowingTaskGroup(of: Void.self) { group in
                for one in stride(from: 1, to: 40, by: 2) {
                    let asked = try await service.requestFriend(one + 1, by: one)
                    let request = try require(asked.requestID)
                    group.addTask { _ = try? await service.accept(request: request, by: one + 1) }
                    group.addTask { _ = try await service.block(one + 1, by: one) }
                    group.addTask { _ = try? await service.unfriend(one, by: one + 1) }
                }
                try await group.waitForAll()
            }
            for one in stride(from: 1, to: 40, by: 2) {
                expect(!service.friends.areFriends(one, one + 1), "\(one) has blocked the other")
            }
        }
    }

    // MARK: Deleting an account

    /// The account's ratings are there until its rows are gone; a model that was built in between has them.
    @Test func scoresForgetTheRatingsOfADeletedAccountAlsoIfTheyWereComputedMeanwhile() async throws
    {
        try await FilmAppHub.run(people: 2) { hub async throws in
            let taste = hub.service.taste
            let empty = taste.model.meanStars
            try await hub.rate(1, 5, by: 1)
            try await hub.service.deleteAccount(1)
            try await taste.build()
            expectEqual(taste.model.meanStars, 5)
            try await hub.carryOutChores()
            try await taste.build()
            expectEqual(taste.model.meanStars, empty)
        }
    }
}
