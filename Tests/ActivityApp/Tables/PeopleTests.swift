import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("People", .timeLimit(.minutes(10)))
struct PeopleTests {
    @Test func personIsFoundBySubjectAndLoginUndoesNoEdit() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                var kari = newPerson("s1")
                kari.email = "kari@example.org"
                kari.lastActiveAt = startOfTests
                let first = try tables.findOrInsert(kari)
                expect(first.isNew)
                expectEqual(first.person.email, "kari@example.org")
                try expectEqual(tables.person(first.person.id), first.person)

                var edited = first.person
                edited.name = "Kari"
                edited.bio = "Films."
                edited.avatarURL = "https://example.org/k.png"
                try expect(tables.update(edited))
                let again = try tables.findOrInsert(kari)
                expect(!again.isNew)
                expectEqual(again.person, edited)
                try expectEqual(tables.card(edited.id)?.name, "Kari")
                try expect(tables.findOrInsert(newPerson("s1", provider: "other")).isNew)
                try expectEqual(tables.personCount(), 2)
            }
        }
    }

    /// Swift takes the two spellings for equal; to a provider they are two people.
    @Test func subjectsAreToldApartByTheirBytes() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let composed = try tables.findOrInsert(newPerson("\u{E9}"))
                let decomposed = try tables.findOrInsert(newPerson("e\u{301}"))
                expect(decomposed.isNew)
                expect(composed.person.id != decomposed.person.id)
            }
            await #expect {
                try await store.act { _ = try $0.findOrInsert(newPerson("a\u{0}b")) }
            } throws: { ($0 as? StoreError)?.code == .constraint }
        }
    }

    @Test func unknownPersonIsNeitherChangedNorTouched() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try expect(!tables.update(Person(id: 9, name: "x", createdAt: startOfTests)))
                try expect(!tables.touch(9, at: startOfTests))
                try expectNil(tables.person(9))
                try expectNil(tables.profile(of: 9, for: 1))
            }
        }
    }

    @Test func presenceIsNotedOnceAMinute() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(1)
                let wrote = try [0, 59, 60, 61, 121].map {
                    try tables.touch(1, at: startOfTests + .seconds($0))
                }
                expectEqual(wrote, [true, false, false, true, false])
                try expectEqual(tables.person(1)?.lastActiveAt, startOfTests + .seconds(61))
            }
        }
    }

    @Test func profileAddsUpWhatThePersonDid() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(3)
                let films = [
                    Film(id: 1, title: "A", genres: ["Drama", "War"], runtimeMinutes: 100),
                    Film(id: 2, title: "B", genres: ["Comedy"], runtimeMinutes: 50),
                    Film(id: 3, title: "C", genres: ["Comedy"]),
                    Film(id: 4, title: "D", genres: ["War"], runtimeMinutes: 1000),
                ]
                for film in films { try tables.put(film) }
                for id in 1...3 {
                    _ = try tables.setWatch(.completed, of: id, by: 1, at: startOfTests)
                }
                _ = try tables.setWatch(.started, of: 4, by: 1, at: startOfTests)
                // Watched again: it stays one of those that were completed.
                _ = try tables.setWatch(.started, of: 1, by: 1, at: startOfTests)
                _ = try tables.rate(1, by: 1, stars: 5)
                _ = try tables.rate(2, by: 1, HalfStars(halves: 9)!, at: startOfTests)
                _ = try tables.rate(3, by: 1, HalfStars(halves: 8)!, at: startOfTests)
                try tables.makeFriends(1, 2)

                let profile = try require(tables.profile(of: 1, for: 2))
                expectEqual(profile.person.id, 1)
                expectEqual(profile.watchedCount, 3)
                expectEqual(profile.friendsCount, 1)
                expectEqual(profile.ratingsCount, 3)
                expectEqual(profile.favoritesCount, 2)
                expectEqual(profile.statistics.averageRatingGiven, 4.5)
                expectEqual(profile.statistics.mostWatchedGenre, "Comedy")
                expectEqual(profile.statistics.totalWatchMinutes, 150)
                expectEqual(profile.friendStatus, .accepted)
                let own = try require(tables.profile(of: 1, for: 1))
                expectNil(own.friendStatus)
                let empty = try require(tables.profile(of: 3, for: 1))
                expectEqual(empty.statistics, .none)
                expectNil(empty.friendStatus)
            }
        }
    }
}
