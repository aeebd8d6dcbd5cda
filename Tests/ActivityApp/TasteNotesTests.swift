import Activity
import Expectations
import Store

@testable import ActivityApp

@Suite("Taste notes", .timeLimit(.minutes(10)))
struct TasteNotesTests {
    private let few = RatingTotals(count: 2, halves: 9)
    private let more = RatingTotals(count: 3, halves: 19)

    @Test func genresAreMadeOnceForTheSameRatingsAndModel() {
        let notes = TasteNotes()
        var made = 0
        func ask(_ person: Int, _ totals: RatingTotals, model: Int) -> [String] {
            notes.favoriteGenres(of: person, totals, model: model) {
                made += 1
                return ["genre \(made)"]
            }
        }
        expectEqual(ask(1, few, model: 1), ["genre 1"])
        expectEqual(ask(1, few, model: 1), ["genre 1"])
        expectEqual(ask(2, few, model: 1), ["genre 2"])
        expectEqual(ask(1, more, model: 1), ["genre 3"])
        expectEqual(ask(1, more, model: 2), ["genre 4"])
        expectEqual(made, 4)
    }

    @Test func matchIsMadeAgainWhenEitherHasOtherRatings() {
        let notes = TasteNotes()
        var made = 0
        func ask(_ own: RatingTotals, _ theirs: RatingTotals) -> Int {
            notes.match(of: 1, own, with: 2, theirs, model: 1) {
                made += 1
                return TasteNotes.Match(favoriteGenres: [], sharedGenres: [], score: made)
            }.score
        }
        let scores = [ask(few, few), ask(few, few), ask(more, few), ask(more, more)]
        expectEqual(scores, [1, 1, 2, 3])
    }

    @Test func notesHaveABound() {
        let notes = TasteNotes(countMax: 3)
        var made = 0
        for person in [1, 2, 3, 3, 4, 1] {
            _ = notes.favoriteGenres(of: person, few, model: 1) {
                made += 1
                return []
            }
        }
        expectEqual(made, 5, "the fourth makes room for all")
    }

    @Test func errorsAreNotKept() throws {
        struct Failure: Error {}
        let notes = TasteNotes()
        #expect(throws: Failure.self) {
            try notes.favoriteGenres(of: 1, few, model: 1) { throw Failure() }
        }
        expectEqual(notes.favoriteGenres(of: 1, few, model: 1) { ["a"] }, ["a"])
    }

    /// What a friend shows does not need the friend's ratings again, and changes with them.
    @Test func listShowsWhatIsKeptUntilThereAreOtherRatings() async throws {
        try await FilmAppHub.run(people: 2, films: 1) { hub in
            try await hub.store.commitActivity { tables in
                try tables.put(Film(id: 0, title: "A war film", genres: ["War"]))
                return (Change(), ())
            }
            try await hub.befriend(1, [2])
            try await hub.service.taste.build()
            func genres() async throws -> String {
                let range = PageRange(limit: 10)
                let answer = try await hub.service.friends(of: 1, range)
                return String(decoding: answer, as: UTF8.self)
            }
            try await expect(!genres().contains("War"))
            try await hub.rate(2, 5, by: 2)
            try await expect(genres().contains("War"))
            try await expect(genres().contains("War"), "from the note")
        }
    }
}
