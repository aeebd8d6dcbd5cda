import Activity
import Expectations
import Service
import StoreTesting

@testable import ActivityApp

@Suite("Deleted accounts", .timeLimit(.minutes(10)))
struct DeletionTests {
    /// Everything that a person may have left somewhere, and another person with as much.
    private func fill(_ tables: ActivityTables) throws {
        try tables.insertPeople(8)
        try tables.insertFilms("A", "B", "C")
        for friend in 2...4 { try tables.makeFriends(1, friend) }
        try tables.makeFriends(2, 3)
        _ = try tables.requestFriend(5, by: 1, at: startOfTests)
        _ = try tables.requestFriend(1, by: 6, at: startOfTests)
        _ = try tables.block(7, by: 1, at: startOfTests)
        _ = try tables.block(1, by: 8, at: startOfTests)
        for film in 1...3 {
            for person in 1...2 {
                let rating = try tables.rate(film, by: person, stars: 4, review: "by \(person)")!
                _ = try tables.like(review: rating.id, of: film, by: 3 - person, at: startOfTests)
                _ = try tables.note(.review, of: film, by: person)
            }
        }
        for person in 1...2 {
            _ = try tables.setWatch(.completed, of: 1, by: person, at: startOfTests)
            _ = try tables.addToWatchlist(2, of: person, at: startOfTests)
            for film in 1...3 {
                _ = try tables.addNotInterested(film, of: person, at: startOfTests)
            }
            let token = RefreshRecord(
                hash: [UInt8](repeating: UInt8(person), count: 32),
                user: String(person),
                family: "f\(person)",
                expiresAt: startOfTests
            )
            try accounts(tables).insert(token)
            try tables.startFanOut(.created, of: person, by: person, payload: [], at: startOfTests)
        }
    }

    private func accounts(_ tables: ActivityTables) -> AccountTables {
        AccountTables(tables.session, path: tables.path)
    }

    @Test func deletedPersonIsGoneAtOnce() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try fill(tables)
                try expectEqual(tables.deletePerson(1, at: startOfTests), ["f1"])
                try expectNil(tables.deletePerson(1, at: startOfTests))
                try expectNil(tables.person(1))
                try expectNil(tables.profile(of: 1, for: 2))
                try expect(
                    tables.feed(of: 3, range: everything).items.allSatisfy { $0.actor.id == 2 }
                )
                try expectEqual(tables.feed(of: 3, range: everything).totalCount, 3)
                try expect(
                    tables.catchUp(of: 3, since: 1, limit: 9).entries.allSatisfy {
                        $0.actor.id == 2
                    }
                )
                let reviews = try tables.reviews(of: 1, for: 3, range: everything)
                expectEqual(reviews?.items.map(\.author.id), [2])
                expectEqual(reviews?.totalCount, 1)
                try expectEqual(
                    tables.friends(of: 2, range: everything).items.map(\.person.id),
                    [3]
                )
                try expectEqual(tables.friendRatings(of: 1, for: 3, latest: 9).count, 1)
                try expect(tables.friendRequests(of: 5, .incoming, range: everything).items.isEmpty)
                try expect(tables.suggestions(for: 4, range: everything).items.isEmpty)
                let accounts = accounts(tables)
                for (person, isThere) in [(1, false), (2, true)] {
                    let token = [UInt8](repeating: UInt8(person), count: 32)
                    try expectEqual((accounts.record(hash: token) != nil), isThere)
                }
                try expect(!tables.isFanningOut(1))
            }
        }
    }

    @Test func deletedPersonDoesNothingMore() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try fill(tables)
                _ = try tables.deletePerson(1, at: startOfTests)
                try expectEqual(
                    tables.rate(1, by: 1, HalfStars(stars: 1)!, at: startOfTests),
                    .noSuchFilm
                )
                try expectEqual(tables.addToWatchlist(1, of: 1, at: startOfTests), .noSuchFilm)
                try expectEqual(tables.addNotInterested(1, of: 1, at: startOfTests), .noSuchFilm)
                try expectEqual(
                    tables.setWatch(.started, of: 2, by: 1, at: startOfTests),
                    .noSuchFilm
                )
                try expectEqual(tables.requestFriend(4, by: 1, at: startOfTests), .noSuchPerson)
                try expectEqual(tables.requestFriend(1, by: 4, at: startOfTests), .noSuchPerson)
                try expect(!tables.block(2, by: 1, at: startOfTests))
                let request = try require(
                    tables.integer("SELECT id FROM friend_request WHERE person_id = 1")
                )
                try expectEqual(tables.acceptRequest(request, by: 5, at: startOfTests), .notFound)
                let sent = try tables.requestFriend(4, by: 5, at: startOfTests)
                guard case .sent(let toLeaver) = sent else {
                    Issue.record("not sent: \(sent)")
                    return
                }
                _ = try tables.deletePerson(4, at: startOfTests)
                try expectEqual(tables.acceptRequest(toLeaver, by: 4, at: startOfTests), .notFound)
                let review = try require(tables.rating(of: 1, by: 2))
                try expectNil(tables.like(review: review.id, of: 1, by: 1, at: startOfTests))
            }
        }
    }

    @Test(arguments: [1, 2, 7, 1000])
    func purgeLeavesNothingAndCountsStayRight(_ rowsMax: Int) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try fill(tables)
                _ = try tables.deletePerson(1, at: startOfTests)
            }
            var friends: [Int] = []
            var isLast = false
            while let page = try await store.act({ try $0.purgeDeletedPeople(rowsMax: rowsMax) }) {
                expectEqual(page.personID, 1)
                expect(page.rowCount <= rowsMax)
                friends += page.formerFriendIDs
                isLast = page.isLast
            }
            expect(isLast)
            expectEqual(friends, [2, 3, 4], "each once")
            try await store.readActivity { tables throws in
                try expectEqual(tables.rowsOf(person: 1), [:])
                try expectEqual(tables.wrongCounts(), [])
                try expectEqual(tables.friends(of: 2, range: everything).totalCount, 1)
                try expectEqual(tables.ratings(by: 2).count, 3)
            }
        }
    }

    @Test func idOfADeletedPersonIsNeverGivenAgain() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(2)
                _ = try tables.deletePerson(2, at: startOfTests)
                while try tables.purgeDeletedPeople() != nil {}
                let again = try tables.findOrInsert(newPerson("p2"))
                expect(again.isNew)
                expectEqual(again.person.id, 3)
            }
        }
    }
}

extension ActivityTables {
    /// How many rows of any table name a person, without those that have none.
    func rowsOf(person id: Int) throws -> [String: Int] {
        let columns = [
            "person": ["id"], "deleted_person": ["id"], "account_refresh_token": ["user_id"],
            "friendship": ["person_id", "friend_id"], "friend_request": ["person_id", "friend_id"],
            "block": ["person_id", "blocked_id"], "rating": ["person_id"],
            "review_like": ["person_id"], "watchlist": ["person_id"], "watch": ["person_id"],
            "not_interested": ["person_id"],
            "activity": ["person_id"], "activity_tally": ["person_id"],
            "activity_fanout": ["person_id"],
        ]
        var counts: [String: Int] = [:]
        for (table, names) in columns {
            let condition = names.map { "\($0) = '\(id)'" }.joined(separator: " OR ")
            let sql = "SELECT count(*) FROM \(table) WHERE \(condition)"
            let count = try integer(sql) ?? 0
            if count > 0 { counts[table] = count }
        }
        return counts
    }

    /// The counters that are not what the rows come to.
    func wrongCounts() throws -> [String] {
        try checksOfPeopleAndFilms.merging(otherChecks) { one, _ in one }
            .filter { try row($0.value, []) != nil }.keys.sorted()
    }
}

/// Each finds rows with a wrong counter.
private let checksOfPeopleAndFilms = [
    "film ratings": """
    SELECT id FROM film WHERE
        rating_count <> (SELECT count(*) FROM rating WHERE film_id = film.id)
        OR rating_sum <>
            (SELECT coalesce(sum(halves), 0) FROM rating WHERE film_id = film.id)
    """,
    "watchers": """
    SELECT id FROM film
    WHERE watcher_count <> (SELECT count(*) FROM watch WHERE film_id = film.id)
    """,
    "person ratings": """
    SELECT id FROM person WHERE
        rating_count <> (SELECT count(*) FROM rating WHERE person_id = person.id)
        OR rating_sum <>
            (SELECT coalesce(sum(halves), 0) FROM rating WHERE person_id = person.id)
        OR favorite_count <> (SELECT count(*) FROM rating
            WHERE person_id = person.id AND halves >= 9)
    """,
    "friends": """
    SELECT id FROM person
    WHERE friend_count <>
        (SELECT count(*) FROM friendship WHERE person_id = person.id)
    """,
    "one-sided friendships": """
    SELECT person_id FROM friendship AS own WHERE NOT EXISTS (
        SELECT 1 FROM friendship
        WHERE person_id = own.friend_id AND friend_id = own.person_id)
    """,
    "watched": """
    SELECT id FROM person
    WHERE watched_count <> (SELECT count(*) FROM watch
        WHERE person_id = person.id AND completed_at IS NOT NULL)
    """,
    "watchlist": """
    SELECT id FROM person
    WHERE watchlist_count <>
        (SELECT count(*) FROM watchlist WHERE person_id = person.id)
    """,
]

/// The same for what people did, and for the words of titles.
private let otherChecks = [
    "likes": """
    SELECT id FROM rating
    WHERE like_count <>
        (SELECT count(*) FROM review_like WHERE rating_id = rating.id)
    """,
    "likes of nothing": """
    SELECT rating_id FROM review_like
    WHERE rating_id NOT IN (SELECT id FROM rating WHERE is_review = 1)
    """,
    "tallies": """
    SELECT person_id FROM activity_tally
    WHERE activity_count <> (SELECT count(*) FROM activity
        WHERE person_id = activity_tally.person_id AND type = activity_tally.type)
    """,
    "untallied": """
    SELECT id FROM activity WHERE person_id IN (SELECT id FROM person)
        AND NOT EXISTS (SELECT 1 FROM activity_tally
            WHERE person_id = activity.person_id AND type = activity.type)
    """,
    "friends that are blocked": """
    SELECT block.person_id FROM block JOIN friendship
        ON friendship.person_id = block.person_id
        AND friendship.friend_id = block.blocked_id
    """,
    "words": """
    SELECT word FROM film_word WHERE film_count <> (SELECT count(*) FROM film_text
        WHERE ' ' || title || ' ' LIKE '% ' || film_word.word || ' %')
    """,
]
