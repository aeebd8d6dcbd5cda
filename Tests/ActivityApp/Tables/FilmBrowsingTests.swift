import Activity
import Expectations
import SeededRandom
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Browsing, people and overviews", .timeLimit(.minutes(10)))
struct FilmBrowsingTests {
    private static let films = [
        Film(
            id: 1,
            title: "The Matrix",
            year: 1999,
            genres: ["Sci-Fi", "Action"],
            overview: "A hacker learns that his world is the dream of a machine.",
            directors: ["Lana Wachowski", "Lilly Wachowski"],
            actors: ["Keanu Reeves", "Carrie-Anne Moss"]
        ),
        Film(
            id: 2,
            title: "Hacker",
            year: 2016,
            genres: ["Action"],
            directors: ["Akan Satayev"]
        ),
        Film(
            id: 3,
            title: "Speed",
            year: 1994,
            genres: ["Action"],
            overview: "A bus must not slow down.",
            directors: ["Jan de Bont"],
            actors: ["Keanu Reeves", "Sandra Bullock"]
        ),
        Film(id: 4, title: "A Trip to the Moon", year: 1902, genres: ["Sci-Fi"]),
        Film(id: 5, title: "Ærlig talt", genres: ["Drama"]),
    ]

    private func withCatalogue(
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                for film in Self.films { try tables.put(film) }
                try tables.insertPeople(12)
                // Speed is loved by one, the Matrix liked by many.
                _ = try tables.rate(3, by: 1, stars: 5)
                for person in 1...12 { _ = try tables.rate(1, by: person, stars: 4) }
                for person in 1...2 { _ = try tables.rate(2, by: person, stars: 1) }
                try body(tables)
            }
        }
    }

    private func browse(
        _ tables: ActivityTables,
        _ sort: FilmSort,
        genres: [String] = [],
        years: ClosedRange<Int>? = nil,
        limit: Int = 20,
        offset: Int = 0
    ) throws -> [Int] {
        try tables.browseFilms(
            genres: genres,
            years: years,
            sort: sort,
            range: PageRange(limit: limit, offset: offset),
            for: 1
        ).items.map(\.film.id)
    }

    private func search(_ tables: ActivityTables, _ text: String) throws -> [Int] {
        try tables.searchFilms(text, range: PageRange(limit: 20), for: 1).items.map(\.film.id)
    }

    // MARK: Browsing

    @Test func filmsAreShownInTheOrderThatIsAskedFor() async throws {
        try await withCatalogue { tables throws in
            try expectEqual(browse(tables, .popularity), [1, 2, 3, 4, 5])
            try expectEqual(browse(tables, .rating), [1, 3, 2, 4, 5])
            try expectEqual(browse(tables, .year), [2, 1, 3, 4, 5])
            try expectEqual(browse(tables, .title), [4, 5, 2, 3, 1])
        }
    }

    @Test func genresAndYearsBoundTheList() async throws {
        try await withCatalogue { tables throws in
            try expectEqual(browse(tables, .popularity, genres: ["sci fi"]), [1, 4])
            try expectEqual(browse(tables, .popularity, genres: ["Action", "SCI-FI"]), [1])
            try expectEqual(browse(tables, .popularity, genres: ["Western"]), [])
            try expectEqual(browse(tables, .popularity, genres: ["drama"]), [5], "a rare genre")
            try expectEqual(browse(tables, .year, years: 1994...1999), [1, 3])
            try expectEqual(browse(tables, .title, years: 1994...1999), [3, 1])
            try expectEqual(browse(tables, .year, years: 1999...1999), [1])
            try expectEqual(browse(tables, .year, genres: ["Action"], years: 1900...2000), [1, 3])
            try expectEqual(browse(tables, .year, genres: ["Drama"], years: 1870...2200), [])
        }
    }

    @Test func searchedFilmsAreSortedAndBoundedAsWell() async throws {
        try await withCatalogue { tables throws in
            func search(_ sort: FilmSort?, _ years: ClosedRange<Int>? = nil) throws -> [Int] {
                try tables.searchFilms(
                    "keanu",
                    years: years,
                    sort: sort,
                    range: PageRange(limit: 20),
                    for: 1
                ).items.map(\.film.id)
            }
            try expectEqual(search(.title), [3, 1])
            try expectEqual(search(.popularity), [1, 3])
            try expectEqual(search(nil, 1999...2000), [1])
            try expectEqual(search(nil, 2000...2001), [])
        }
    }

    /// Whatever the order and the filter, pages have every film once, and the count is theirs.
    @Test func pagesFollowEachOther() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                var random = SeededGenerator(seed: 9)
                for id in 1...60 {
                    try tables.put(
                        Film(
                            id: id,
                            title: "Film \(Int.random(in: 1...9, using: &random))",
                            year: Bool.random(using: &random)
                                ? Int.random(in: 1990...1995, using: &random) : nil,
                            genres: ["Drama"] + (id.isMultiple(of: 7) ? ["War"] : [])
                        )
                    )
                }
                for sort in FilmSort.allCases {
                    for genres in [[], ["Drama"], ["War"], ["Drama", "War"]] {
                        for years in [nil, 1991...1993] {
                            try checkPages(tables, sort, genres, years)
                        }
                    }
                }
            }
        }
    }

    private func checkPages(
        _ tables: ActivityTables,
        _ sort: FilmSort,
        _ genres: [String],
        _ years: ClosedRange<Int>?
    ) throws {
        let expected = try tables.films(after: 0, limit: 99).map(\.film).filter { film in
            Set(film.genres).isSuperset(of: genres)
                && (years.map { film.year.map($0.contains) ?? false } ?? true)
        }.map(\.id)
        let pages = try stride(from: 0, to: 70, by: 7).map {
            try browse(tables, sort, genres: genres, years: years, limit: 7, offset: $0)
        }
        expectEqual(pages.joined().sorted(), expected, "\(sort), \(genres), \(years as Any)")
        let whole = try browse(tables, sort, genres: genres, years: years, limit: 100)
        expectEqual(Array(pages.joined()), whole)
        let count = try tables.browseFilms(
            genres: genres,
            years: years,
            sort: sort,
            range: PageRange(limit: 1, offset: 99),
            for: 1
        ).totalCount
        expectEqual(count, expected.count)
    }

    // MARK: People and overviews

    @Test func peopleAndOverviewsAreFoundBehindTitles() async throws {
        try await withCatalogue { tables throws in
            try expectEqual(search(tables, "hacker"), [2, 1], "the title comes first")
            try expectEqual(search(tables, "wachowski"), [1])
            try expectEqual(search(tables, "keanu speed"), [3], "words of different texts")
            try expectEqual(search(tables, "reeves machine"), [1])
            try expectEqual(search(tables, "the ma"), [1])
            try expectEqual(search(tables, "bullo"), [3], "a name that is not typed to its end")
            try expectEqual(search(tables, "hack"), [2], "in overviews only whole words")
            try expectEqual(
                search(tables, "bus"),
                [],
                "short words are not looked for in overviews"
            )
        }
    }

    @Test(arguments: [("kaenu", [1, 3]), ("wachovski", [1]), ("sandra bulock", [3])])
    func typingMistakesInNamesAreForgiven(text: String, ids: [Int]) async throws {
        try await withCatalogue { tables throws in
            try expectEqual(search(tables, text).sorted(), ids)
        }
    }

    @Test func countIsOfAllThatIsFound() async throws {
        try await withCatalogue { tables throws in
            let page = try tables.searchFilms("hacker", range: PageRange(limit: 1), for: 1)
            expect(page.totalCount == 2 && page.hasMore)
        }
    }

    @Test func changedTextsAreSearchedAsTheyAreNow() async throws {
        try await withCatalogue { tables throws in
            var film = Self.films[2]
            film.overview = nil
            film.actors = ["Dennis Hopper"]
            try tables.put(film)
            try expectEqual(search(tables, "slow down"), [])
            try expectEqual(search(tables, "bullock"), [])
            try expectEqual(search(tables, "bulock"), [], "its words are forgotten")
            try expectEqual(search(tables, "hopper"), [3])
            try expectEqual(search(tables, "keanu"), [1])
        }
    }

    /// As a file has it whose films were stored when only titles were searched.
    @Test func textsOfAnOlderFileAreIndexed() async throws {
        try await withCatalogue { tables throws in
            try tables.run("UPDATE film_prose SET people = '', overview = ''")
            try expectEqual(search(tables, "machine"), [])
            var last: Int? = 0
            while let after = last { last = try tables.indexTexts(after: after, limit: 2) }
            try expectEqual(search(tables, "machine"), [1])
            try expectEqual(search(tables, "keanu").sorted(), [1, 3])
        }
    }
}
