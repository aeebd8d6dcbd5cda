import Activity
import Expectations
import Foundation
import Store

@testable import ActivityApp

@Suite("Recommendations and suggestions of the film app", .timeLimit(.minutes(10)))
struct TasteServiceTests {
    private func recommended(
        _ hub: FilmAppHub,
        _ range: PageRange = PageRange(limit: 100)
    ) async throws -> [Int] {
        let answer = try await hub.service.recommendations(for: 1, in: .english, range)
        let json = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        let films = try require(json?["recommendations"] as? [[String: Any]])
        return films.compactMap { $0["movie_id"] as? Int }
    }

    private func suggested(_ hub: FilmAppHub, to person: Int) async throws -> [Int] {
        let answer = try await hub.service.friends(of: person, PageRange(limit: 20))
        let json = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        let people = try require(json?["suggestions"] as? [[String: Any]])
        return people.compactMap { $0["user_id"] as? Int }
    }

    @Test func filmThatIsNotInterestingLeavesRecommendationsAtOnceAndComesBack() async throws {
        try await FilmAppHub.run(people: 2, films: 5) { hub async throws in
            for film in 1...5 { try await hub.rate(film, 6 - film, by: 2) }
            try await hub.service.taste.build()
            let all = try await recommended(hub)
            expectEqual(Set(all), [1, 2, 3, 4, 5])
            let service = hub.service
            for _ in 1...2 { try await service.setNotInterested(true, in: all[0], of: 1) }
            try await expectEqual(recommended(hub), Array(all.dropFirst()))
            let second = try await recommended(hub, PageRange(limit: 2, offset: 2))
            expectEqual(second, Array(all[3...4]), "pages follow the list without it")
            for _ in 1...2 { try await service.setNotInterested(false, in: all[0], of: 1) }
            try await expectEqual(recommended(hub), all)
        }
    }

    @Test func unknownFilmIsRefused() async throws {
        try await FilmAppHub.run(people: 1) { hub async throws in
            for isNot in [true, false] {
                await #expect(throws: ActivityError.movieNotFound(9)) {
                    try await hub.service.setNotInterested(isNot, in: 9, of: 1)
                }
            }
        }
    }

    @Test func oneFilmTooManyIsAConflict() async throws {
        try await FilmAppHub.run(people: 1, films: 2) { hub async throws in
            try await hub.store.commitActivity { tables in
                for film in 2...(ActivityLimits.notInterestedMax + 1) {
                    let sql = "INSERT INTO not_interested VALUES (1, \(film), 0)"
                    try tables.run(sql)
                }
                return (Change(), ())
            }
            let error = await #expect(throws: ActivityError.self) {
                try await hub.service.setNotInterested(true, in: 1, of: 1)
            }
            expectEqual(error?.status, 409)
            expectEqual(error?.message.contains("5000 films"), true)
            try await hub.service.setNotInterested(false, in: 2, of: 1)
            try await hub.service.setNotInterested(true, in: 1, of: 1)
        }
    }

    @Test func peopleOfTheSameTasteAreSuggestedIfBothConsent() async throws {
        try await FilmAppHub.run(people: 5, films: 4) { hub async throws in
            for person in [1, 2, 3] {
                for film in 1...3 { try await hub.rate(film, 5, by: person) }
            }
            // The fourth agrees about one film and about nothing else.
            for (film, stars) in [(1, 5), (2, 1), (3, 1)] {
                try await hub.rate(film, stars, by: 4)
            }
            try await hub.service.taste.build()
            try await expectEqual(suggested(hub, to: 1), [])
            let consent = try ProfilePatch(json: Array(#"{"suggest_by_taste":true}"#.utf8))
            for person in [1, 2, 4] { try await hub.service.change(consent, of: person) }
            try await expectEqual(suggested(hub, to: 1), [2])
            try await expectEqual(suggested(hub, to: 3), [], "the third did not consent")
            let own = try await hub.service.profile(of: 1, for: 1)
            expect(String(decoding: own, as: UTF8.self).contains(#""suggest_by_taste":true"#))
            let others = try await hub.service.profile(of: 2, for: 1)
            expect(!String(decoding: others, as: UTF8.self).contains("suggest_by_taste"))
            _ = try await hub.service.block(2, by: 1)
            try await expectEqual(suggested(hub, to: 1), [])
            try await expectEqual(suggested(hub, to: 2), [])
        }
    }

    @Test func friendsOfFriendsComeFirstAndNobodyTwice() async throws {
        try await FilmAppHub.run(people: 5, films: 3) { hub async throws in
            try await hub.befriend(1, [2])
            try await hub.befriend(2, [3])
            let consent = try ProfilePatch(json: Array(#"{"suggest_by_taste":true}"#.utf8))
            for person in [1, 3, 4] {
                for film in 1...3 { try await hub.rate(film, 4, by: person) }
                try await hub.service.change(consent, of: person)
            }
            try await hub.service.taste.build()
            try await expectEqual(suggested(hub, to: 1), [3, 4])
        }
    }
}
