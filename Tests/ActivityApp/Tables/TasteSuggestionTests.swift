import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Films that are not interesting, and suggestions by taste", .timeLimit(.minutes(10)))
struct TasteSuggestionTests {
    /// Runs `body` with seven people and five films.
    private func withTables(
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(7)
                try tables.insertFilms("A", "B", "C", "D", "E")
                try body(tables)
            }
        }
    }

    // MARK: Not interested

    @Test func filmIsNotedOnceAndTakenBack() async throws {
        try await withTables { tables throws in
            for film in [3, 1, 3] {
                let outcome = try tables.addNotInterested(film, of: 1, at: startOfTests)
                expectEqual(outcome, .noted)
            }
            try expectEqual(tables.notInterestedFilmIDs(of: 1), [1, 3])
            try expectEqual(tables.notInterestedFilmIDs(of: 2), [])
            try expect(tables.removeNotInterested(3, of: 1))
            try expect(!tables.removeNotInterested(3, of: 1))
            try expect(!tables.removeNotInterested(1, of: 2))
            try expectEqual(tables.notInterestedFilmIDs(of: 1), [1])
        }
    }

    @Test func notedFilmsHaveALimitAndAreKnown() async throws {
        try await withTables { tables throws in
            func add(_ film: Int, by person: Int = 1) throws -> NotInterestedOutcome {
                try tables.addNotInterested(film, of: person, at: startOfTests, countMax: 2)
            }
            try expectEqual([1, 2, 3, 2].map { try add($0) }, [.noted, .noted, .full, .noted])
            try expectEqual(add(9), .noSuchFilm)
            try expectEqual(add(1, by: 9), .noSuchFilm)
            try expect(tables.removeNotInterested(1, of: 1))
            try expectEqual(add(3), .noted)
        }
    }

    // MARK: Suggestions by taste

    /// All but the seventh like the film 1; the first three like 2, too.
    private func likeFilms(_ tables: ActivityTables) throws {
        for person in 1...6 { _ = try tables.rate(1, by: person, stars: 5) }
        for person in 1...3 { _ = try tables.rate(2, by: person, stars: 4) }
        _ = try tables.rate(1, by: 7, stars: 3)
    }

    private func candidates(_ person: Int, _ tables: ActivityTables) throws -> [Int] {
        try tables.tasteCandidates(for: person).map(\.person.id)
    }

    @Test func onlyPeopleWhoConsentAreCandidatesAndHaveThem() async throws {
        try await withTables { tables throws in
            try likeFilms(tables)
            try expect(!tables.suggestsByTaste(1))
            for person in [1, 3, 4, 7] { try tables.setSuggestsByTaste(true, of: person) }
            try expectEqual(candidates(1, tables), [3, 4], "two films in common go before one")
            try expectEqual(candidates(2, tables), [], "did not consent")
            try expectEqual(candidates(7, tables), [], "likes nothing")
            try tables.setSuggestsByTaste(false, of: 3)
            try expectEqual(candidates(1, tables), [4])
            try expectEqual(candidates(3, tables), [])
            try expect(!tables.suggestsByTaste(9), "there is no such person")
        }
    }

    @Test func nobodyIsACandidateWhoIsAFriendOrAskedOrBlocked() async throws {
        try await withTables { tables throws in
            try likeFilms(tables)
            for person in 1...7 { try tables.setSuggestsByTaste(true, of: person) }
            try expectEqual(candidates(1, tables), [2, 3, 4, 5, 6])
            try tables.makeFriends(1, 2)
            _ = try tables.requestFriend(3, by: 1, at: startOfTests)
            _ = try tables.requestFriend(1, by: 4, at: startOfTests)
            _ = try tables.block(5, by: 1, at: startOfTests)
            _ = try tables.block(1, by: 6, at: startOfTests)
            try expectEqual(candidates(1, tables), [])
            try expectEqual(candidates(5, tables), [2, 3, 4, 6])
            _ = try tables.deletePerson(2, at: startOfTests)
            try expectEqual(candidates(5, tables), [3, 4, 6])
        }
    }

    @Test func candidatesAndPeopleWhoAreComparedHaveLimits() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(45)
                try tables.insertFilms("A")
                for person in 1...45 {
                    _ = try tables.rate(1, by: person, stars: 5)
                    try tables.setSuggestsByTaste(true, of: person)
                }
                try expectEqual(tables.tasteCandidates(for: 1).map(\.person.id), Array(2...31))
                try tables.run("UPDATE person SET rating_count = 2001 WHERE id = 2")
                try tables.run("UPDATE person SET rating_count = 2000 WHERE id = 3")
                try expectEqual(tables.tasteCandidates(for: 1).map(\.person.id), Array(3...32))
            }
        }
    }
}
