import Activity
import Expectations
import SeededRandom
import Store
import StoreTesting

@testable import ActivityApp

@Suite("The feed", .timeLimit(.minutes(10)))
struct FeedTests {
    @Test func entryHasWhatFriendsAreShown() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(2)
                try tables.put(Film(id: 4, title: "M", posterURL: "https://example.org/m.jpg"))
                try tables.makeFriends(1, 2)
                let entry = try require(
                    tables.insertActivity(
                        .review,
                        of: 4,
                        by: 1,
                        rating: 5,
                        comment: "Great.",
                        at: startOfTests
                    )
                )
                let expected = ActivityEntry(
                    id: 1,
                    actor: PersonCard(id: 1, name: "name of p1", avatarURL: nil),
                    filmID: 4,
                    filmTitle: "M",
                    filmPosterURL: "https://example.org/m.jpg",
                    type: .review,
                    rating: 5,
                    comment: "Great.",
                    at: startOfTests
                )
                expectEqual(entry, expected)
                try expectEqual(tables.activity(1), expected)
                try expectEqual(tables.feed(of: 2, range: everything).items, [expected])
                try expectEqual(tables.newestActivityID(), 1)
                try expectNil(tables.insertActivity(.started, of: 9, by: 1, at: startOfTests))
                try expectNil(tables.insertActivity(.started, of: 4, by: 9, at: startOfTests))
            }
        }
    }

    @Test func feedHasFriendsActsAndNotOnesOwn() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(4)
                try tables.insertFilms("A")
                try tables.makeFriends(1, 2)
                try tables.makeFriends(1, 3)
                let ids = try [2, 3, 1, 4, 2].map { try tables.note(.started, of: 1, by: $0) }
                try expectEqual(tables.feedIDs(1), [ids[4], ids[1], ids[0]])
                try expectEqual(tables.feedIDs(2), [ids[2]])
                try expect(tables.feedIDs(4).isEmpty)
                try tables.unfriend(1, 2)
                try expectEqual(tables.feedIDs(1), [ids[1]])
                try expectEqual(tables.feed(of: 1, range: everything).totalCount, 1)
            }
        }
    }

    @Test func catchUpGoesOnWhereItStopped() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(3)
                try tables.insertFilms("A")
                try tables.makeFriends(1, 2)
                try tables.makeFriends(1, 3)
                for number in 0..<10 {
                    _ = try tables.note(
                        number % 3 == 0 ? .rating : .started,
                        of: 1,
                        by: 2 + number % 2
                    )
                }
                var seen: [Int] = []
                var cursor = 0
                while true {
                    let part = try tables.catchUp(of: 1, since: cursor, limit: 3)
                    expectEqual(part.totalCount, 10 - seen.count)
                    seen += part.entries.map(\.id)
                    guard part.hasMore else { break }
                    cursor = part.cursor
                }
                expectEqual(seen, Array(1...10))
                let rest = try tables.catchUp(of: 1, since: 10, limit: 3)
                expect(rest.entries.isEmpty)
                expectEqual(rest.cursor, 10)
                let ratings = try tables.catchUp(of: 1, type: .rating, since: 1, limit: 9)
                expectEqual(ratings.entries.map(\.id), [4, 7, 10])
                expectEqual(ratings.totalCount, 3)
                let all = try tables.catchUp(of: 1, type: .rating, since: 0, limit: 1)
                expectEqual(all.totalCount, 4)
            }
        }
    }

    /// Against the plain list of all activities, for every page of a store of any acts.
    @Test(arguments: [UInt64(1), 2, 3])
    func pagesAreThoseOfThePlainList(_ seed: UInt64) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let acts = try insertActs(into: tables, seed: seed)
                for type in [nil, ActivityType.rating, .watchlist] {
                    let ids = acts.filter {
                        (2...8).contains($0.person) && (type == nil || $0.type == type)
                    }.map(\.id)
                    for limit in [1, 7, 100] {
                        let step = max(1, limit / 2)
                        for offset in stride(from: 0, through: ids.count + 1, by: step) {
                            let range = PageRange(limit: limit, offset: offset)
                            try expectPage(of: tables, type, range, ids: ids)
                        }
                        for since in stride(from: 0, to: 151, by: 10) {
                            try expectCatchUp(of: tables, type, since: since, limit, ids: ids)
                        }
                    }
                }
            }
        }
    }

    /// 150 acts of 12 people, of whom some act much and some never; those from 2 to 8 are friends of 1.
    private func insertActs(
        into tables: ActivityTables,
        seed: UInt64
    ) throws -> [(id: Int, person: Int, type: ActivityType)] {
        var generator = SeededGenerator(seed: seed)
        let people = 12
        try tables.insertPeople(people)
        try tables.insertFilms("A", "B")
        for friend in 2...8 { try tables.makeFriends(1, friend) }
        return try (0..<150).map { _ in
            let person = min(
                Int.random(in: 1...people, using: &generator),
                Int.random(in: 1...people, using: &generator)
            )
            let type = ActivityType.allCases.randomElement(using: &generator)!
            return (try tables.note(type, of: 1, by: person), person, type)
        }
    }

    /// - Parameter ids: all that the feed has, oldest first.
    private func expectPage(
        of tables: ActivityTables,
        _ type: ActivityType?,
        _ range: PageRange,
        ids: [Int]
    ) throws {
        let page = try tables.feed(of: 1, type: type, range: range)
        let expected = Array(ids.reversed().dropFirst(range.offset).prefix(range.limit))
        expectEqual(page.items.map(\.id), expected, "\(range)")
        expectEqual(page.totalCount, ids.count)
        let deep = try tables.deepFeed(of: 1, type: type, range: range)
        expectEqual(deep, expected, "\(range), sorted")
        guard range.offset < ids.count else { return }
        for reach in [1, 20, 149, 150] {
            let walked = try tables.walkedFeed(
                of: 1,
                type: type,
                range: range,
                count: ids.count,
                reach: reach
            )
            let isReached = expected.allSatisfy { $0 > 150 - reach }
            expectEqual(walked, (isReached ? expected : nil), "\(range), reach \(reach)")
        }
    }

    /// - Parameter ids: all that the feed has, oldest first.
    private func expectCatchUp(
        of tables: ActivityTables,
        _ type: ActivityType?,
        since: Int,
        _ limit: Int,
        ids: [Int]
    ) throws {
        let part = try tables.catchUp(of: 1, type: type, since: since, limit: limit)
        let later = ids.filter { $0 > since }
        let expected = Array(later.prefix(limit))
        expectEqual(part.entries.map(\.id), expected, "since \(since)")
        expectEqual(part.totalCount, later.count)
        for reach in [1, 20, 150] {
            let count = try tables.walkedCount(of: 1, type: type, since: since, reach: reach)
            expectEqual(count, (since + reach < 150 ? nil : later.count))
            let walked = try tables.walkedCatchUp(
                of: 1,
                type: type,
                since: since,
                limit: limit,
                count: later.count,
                reach: reach
            )
            let isReached = expected.allSatisfy { $0 <= since + reach }
            expectEqual(walked, (isReached ? expected : nil), "since \(since), reach \(reach)")
        }
    }

    /// With as many friends as it takes to walk through all activities: those of friends who have left, of people
    /// who are blocked, and of strangers are passed over.
    @Test func feedOfVeryManyFriendsHasNobodyElse() async throws {
        try await withFilmStore { store in
            let friends = ActivityTables.walkedFriendsMin
            try await store.act { tables throws in
                try tables.insertPeople(friends + 6)
                try tables.insertFilms("A")
                for friend in 2...(friends + 3) { try tables.makeFriends(1, friend) }
                let reach = (friends + 2) / ActivityTables.friendsPerActivity
                try expectEqual(tables.feedReach(of: 1), reach)
                try expectNil(tables.feedReach(of: 2))
                for person in 2...6 { _ = try tables.note(.started, of: 1, by: person) }
                _ = try tables.note(.rating, of: 1, by: friends + 5)
                _ = try tables.note(.rating, of: 1, by: 7)
                try expectEqual(tables.feedIDs(1), [7, 5, 4, 3, 2, 1])
                _ = try tables.deletePerson(3, at: startOfTests)
                _ = try tables.block(5, by: 1, at: startOfTests)
                try expect(tables.feedReach(of: 1) != nil)
                try expectEqual(tables.feedIDs(1), [7, 5, 3, 1])
                let page = try tables.feed(of: 1, range: PageRange(limit: 2, offset: 1))
                expectEqual(page.items.map(\.id), [5, 3])
                let part = try tables.catchUp(of: 1, since: 1, limit: 2)
                expectEqual(part.entries.map(\.id), [3, 5])
                expectEqual(part.totalCount, 3)
                try expectEqual(tables.feedIDs(1, type: .rating), [7])
                try expectEqual(tables.catchUp(of: 1, since: .max, limit: 2).entries, [])
            }
        }
    }

    @Test func farDownTheFeedIsTheSameList() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(3)
                try tables.insertFilms("A")
                try tables.makeFriends(1, 2)
                try tables.makeFriends(1, 3)
                let depth = ActivityTables.mergedDepthMax
                for number in 0..<(depth + 20) {
                    _ = try tables.note(.started, of: 1, by: 2 + number % 2)
                }
                let offsets = [depth - 10, depth - 9]
                let pages = try offsets.map { offset in
                    try tables.feed(of: 1, range: PageRange(limit: 10, offset: offset)).items.map(
                        \.id
                    )
                }
                expectEqual(pages[0].first, 30)
                expectEqual(pages[0].dropFirst(), pages[1].dropLast())
            }
        }
    }
}

@Suite("Merging activities", .timeLimit(.minutes(10)))
struct FeedMergeTests {
    @Test(arguments: [true, false])
    func allComeInOrder(_ isNewestFirst: Bool) {
        var lists: [Int: [Int]] = [1: [1, 4, 9], 2: [2, 3], 3: [10], 4: []]
        if isNewestFirst { lists = lists.mapValues { $0.reversed() } }
        let heads = lists.compactMap { person, ids in
            ids.first.map { FeedMerge.Head(id: $0, personID: person) }
        }
        var merge = FeedMerge(heads: heads, isNewestFirst: isNewestFirst)
        var ids: [Int] = []
        while let id = merge.next({ head in
            lists[head.personID]!.drop { $0 != head.id }.dropFirst().first
        }) {
            ids.append(id)
        }
        let all = [1, 2, 3, 4, 9, 10]
        expectEqual(ids, (isNewestFirst ? all.reversed() : all))
    }

    @Test func nobodyHasNothing() {
        var merge = FeedMerge(heads: [], isNewestFirst: true)
        expectNil(merge.next { _ in 1 })
    }
}
