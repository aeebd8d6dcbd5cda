import Activity
import Expectations
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Films", .timeLimit(.minutes(10)))
struct FilmTests {
    private let general = Film(
        id: 7,
        title: "The General",
        year: 1926,
        genres: ["Comedy", "Action"],
        posterURL: "https://example.org/p.jpg",
        overview: "A train is stolen.",
        releaseDate: "1926-12-31",
        tmdbID: 961,
        runtimeMinutes: 75,
        directors: ["Clyde Bruckman", "Buster Keaton"],
        actors: ["Buster Keaton", "Marion Mack"]
    )

    @Test func filmComesBackAsItWasPut() async throws {
        try await withFilmStore { store in
            let plain = Film(id: 8, title: "Nosferatu")
            try await store.act { tables throws in
                try expectEqual(tables.put(general), 7)
                try expectEqual(tables.put(plain), 8)
            }
            try await store.readActivity { tables throws in
                try expectEqual(tables.film(7), general)
                try expectEqual(tables.film(8), plain)
                try expectNil(tables.film(9))
                try expectEqual(tables.film(tmdbID: 961), general)
                try expectNil(tables.film(tmdbID: 962))
                try expectEqual(tables.filmCount(), 2)
                try expectEqual(tables.filmView(7, for: 1), FilmView(film: general))
                try expectNil(tables.filmView(9, for: 1))
            }
        }
    }

    @Test func filmIsReplacedByIDAndByTMDBIDAndKeepsItsRatings() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.put(general)
                try tables.insertPeople(1)
                _ = try tables.rate(7, by: 1, stars: 4)
                var changed = general
                changed.genres = ["Comedy", "War"]
                changed.title = "El maquinista"
                try tables.put(changed)
                try expectEqual(tables.film(7), changed)
                try expectEqual(
                    tables.ratingSummary(ofFilm: 7),
                    RatingSummary(count: 1, average: 4)
                )

                var unnumbered = changed
                unnumbered.id = 0
                unnumbered.year = 1927
                try expectEqual(tables.put(unnumbered), 7)
                try expectEqual(tables.film(7)?.year, 1927)
                unnumbered.tmdbID = nil
                try expectEqual(
                    tables.put(unnumbered),
                    8,
                    "another film: nothing tells that it is not"
                )
                let genres = try tables.genres()
                expectEqual(genres.map(\.name), ["Comedy", "War"])
                expectEqual(genres.map(\.filmCount), [2, 2])
            }
        }
    }

    @Test func catalogueKeysNameFilms() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let id = try tables.put(general)
                try tables.setKey("movielens:1", of: id)
                try tables.setKey("tmdb:961", of: id)
                try expectEqual(tables.filmID(key: "movielens:1"), 7)
                try expectEqual(tables.filmID(key: "tmdb:961"), 7)
                try expectNil(tables.filmID(key: "tmdb:962"))
                try tables.setKey("tmdb:961", of: 9)
                try expectEqual(tables.filmID(key: "tmdb:961"), 9)
            }
        }
    }

    @Test func genresAreOneWhateverTheirCaseAndTheFirstSpellingCounts() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.put(Film(id: 1, title: "A", genres: ["Sci-Fi"]))
                try tables.put(Film(id: 2, title: "B", genres: ["sci fi", "Drama"]))
                try expectEqual(tables.genres().map(\.name), ["Drama", "Sci-Fi"])
                try expectEqual(tables.genres().map(\.filmCount), [1, 2])
                try expectEqual(tables.film(2)?.genres, ["sci fi", "Drama"])
            }
        }
    }

    @Test func pagesOfFilmsHaveAllOfThem() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertFilms("A", "B", "C")
                let first = try tables.films(after: 0, limit: 2)
                expectEqual(first.map(\.film.title), ["A", "B"])
                try expectEqual(tables.films(after: 2, limit: 2).map(\.film.title), ["C"])
                expectEqual(first.first?.ratings, RatingSummary.none)
            }
        }
    }

    @Test func viewsComeInTheOrderThatIsAskedFor() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(1)
                try tables.insertFilms("A", "B", "C")
                _ = try tables.rate(3, by: 1, stars: 2)
                _ = try tables.addToWatchlist(3, of: 1, at: startOfTests)
                _ = try tables.setWatch(.paused, of: 3, by: 1, at: startOfTests)
                let views = try tables.filmViews([3, 9, 1], for: 1)
                expectEqual(views.map(\.film.title), ["C", "A"])
                expectEqual(views[0].userRating, HalfStars(stars: 2))
                expect(views[0].inWatchlist)
                expectEqual(views[0].watchStatus, .paused)
                try expectNil(tables.filmView(3, for: 2)?.userRating, "another one's view")
            }
        }
    }

    @Test func textWithNullIsRefused() async throws {
        try await withFilmStore { store in
            await #expect {
                try await store.act { try $0.put(Film(id: 0, title: "A\u{0}B")) }
            } throws: { ($0 as? StoreError)?.code == .constraint }
            await #expect {
                try await store.act { try $0.put(Film(id: 0, title: "")) }
            } throws: { ($0 as? StoreError)?.code == .constraint }
        }
    }
}
