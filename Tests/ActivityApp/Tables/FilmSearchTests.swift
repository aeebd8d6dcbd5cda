import Activity
import Expectations
import SeededRandom
import Store
import StoreTesting

@testable import ActivityApp

@Suite("Search", .timeLimit(.minutes(10)))
struct FilmSearchTests {
    private func search(
        _ tables: ActivityTables,
        _ text: String,
        genres: [String] = [],
        limit: Int = 20,
        offset: Int = 0
    ) throws -> [String] {
        try tables.searchFilms(
            text,
            genres: genres,
            range: PageRange(limit: limit, offset: offset),
            for: 1
        ).items.map(\.film.title)
    }

    private func withCatalogue(
        _ body: @escaping @Sendable (ActivityTables) throws -> Void
    ) async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let films: [(String, [String])] = [
                    ("The Matrix", ["Sci-Fi", "Action"]),
                    ("The Matrix Reloaded", ["Sci-Fi", "Action"]),
                    ("Amélie", ["Romance"]), ("Schindler's List", ["Drama", "War"]),
                    ("Star Wars", ["Sci-Fi"]), ("Start the Revolution", ["Comedy"]),
                    ("The Shawshank Redemption", ["Drama"]), ("Smørrebrød", []),
                    ("It", ["Horror"]), ("At", []),
                ]
                for (title, genres) in films {
                    try tables.put(Film(id: 0, title: title, genres: genres))
                }
                try body(tables)
            }
        }
    }

    @Test func everyGenreThatMayBeNamedCounts() async throws {
        try await withCatalogue { tables throws in
            let known = Array(repeating: "sci-fi", count: ActivityLimits.genresMax - 1)
            try expectEqual(search(tables, "matrix", genres: known + ["action"]).count, 2)
            try expect(search(tables, "matrix", genres: known + ["war"]).isEmpty)
        }
    }

    @Test(arguments: [
        ("matrix", ["The Matrix", "The Matrix Reloaded"]), ("MATRIX the", ["The Matrix"]),
        ("reloaded matrix", ["The Matrix Reloaded"]),
        ("matr", ["The Matrix", "The Matrix Reloaded"]),
        ("amelie", ["Amélie"]), ("AMÉLIE", ["Amélie"]), ("schindler's", ["Schindler's List"]),
        ("smorrebrod", ["Smørrebrød"]), ("unheard", []), ("", []), ("!?", []), ("it", ["It"]),
    ])
    func titlesAreFoundWithoutCaseAndAccents(_ text: String, _ titles: [String]) async throws {
        try await withCatalogue { tables throws in
            let found = try search(tables, text)
            expect(
                found.starts(with: titles) && (titles.count == found.count || text.contains("the"))
            )
        }
    }

    @Test(arguments: [
        ("matrx", "The Matrix"), ("mtarix", "The Matrix"), ("matriix", "The Matrix"),
        ("metrix", "The Matrix"), ("amelei", "Amélie"), ("shwashnk", "The Shawshank Redemption"),
        ("redemtpoin", "The Shawshank Redemption"), ("stat wars", "Star Wars"),
        ("the matrx reloadde", "The Matrix Reloaded"), ("sta wars", "Star Wars"),
        ("lis schindlers", "Schindler's List"),
    ])
    func typingMistakesAreForgiven(_ text: String, _ title: String) async throws {
        try await withCatalogue { tables throws in
            try expectEqual(search(tables, text).first, title)
        }
    }

    private static let otherTitles = [
        "千と千尋の神隠し", "東京物語", "Spider-Man", "Spiderman Returns", "ฉลาดเกมส์โกง", "Forest",
        "The Spider",
    ]

    @Test(arguments: [
        ("神隠し", ["千と千尋の神隠し"]), ("千尋", ["千と千尋の神隠し"]), ("千と千尋の神隠し", ["千と千尋の神隠し"]),
        ("物語", ["東京物語"]), ("東京 物", ["東京物語"]), ("京東", []), ("เกม", ["ฉลาดเกมส์โกง"]),
        ("spiderman", ["Spider-Man", "Spiderman Returns"]),
        ("spider man", ["Spider-Man", "Spiderman Returns"]),
        ("spider-man", ["Spider-Man", "Spiderman Returns"]),
        ("spiderman returns", ["Spiderman Returns"]), ("spider man returns", ["Spiderman Returns"]),
        ("forest", ["Forest"]),
    ])
    func wordsWithoutSpacesAndCompoundsAreFound(_ text: String, _ titles: [String]) async throws {
        try await withCatalogue { tables throws in
            for title in Self.otherTitles { try tables.put(Film(id: 0, title: title)) }
            try expectEqual(search(tables, text).sorted(), titles.sorted())
        }
    }

    @Test(arguments: ["mtrx", "itt", "ot", "starwarz", "xmelxxe"])
    func tooManyMistakesAreNot(_ text: String) async throws {
        try await withCatalogue { tables throws in try expect(search(tables, text).isEmpty) }
    }

    @Test(arguments: [
        "\"", "matrix\" OR \"a", "matrix*", "title:matrix", "NEAR(matrix)", "a AND", "-x",
    ])
    func signsOfTheQueryLanguageAreNoLanguage(_ text: String) async throws {
        try await withCatalogue { tables throws in _ = try search(tables, text) }
    }

    @Test func allNamedGenresAreNeeded() async throws {
        try await withCatalogue { tables throws in
            try expectEqual(search(tables, "st", genres: ["sci-fi"]), ["Star Wars"])
            try expect(search(tables, "st", genres: ["SCI FI", "Comedy"]).isEmpty)
            try expectEqual(search(tables, "schindler", genres: ["war", "drama"]).count, 1)
            try expect(search(tables, "st", genres: ["Musical"]).isEmpty)
            try expectEqual(search(tables, "star", genres: [""]).count, 2)
        }
    }

    @Test func pagesHaveTheWholeNumberAndFollowEachOther() async throws {
        try await withCatalogue { tables throws in
            let all = try search(tables, "the")
            expectEqual(all.count, 4)
            let range = PageRange(limit: 3, offset: 3)
            let page = try tables.searchFilms("the", range: range, for: 1)
            expectEqual(page.totalCount, 4)
            expectEqual(page.items.map(\.film.title), [all[3]])
            expect(!page.hasMore)
            try expect(search(tables, "the", offset: 4).isEmpty)
        }
    }

    @Test func amongEqualsTheTitlesBeginningDecidesAndThenWhoIsRated() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.insertPeople(2)
                try tables.insertFilms("Far Home", "Home Alone", "Near Home")
                _ = try tables.rate(3, by: 1, stars: 1)
                try expectEqual(search(tables, "home"), ["Home Alone", "Near Home", "Far Home"])
            }
        }
    }

    @Test func renamedFilmIsFoundByItsPresentTitleAlone() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try tables.put(Film(id: 5, title: "Working Title"))
                try tables.put(Film(id: 5, title: "Casablanca"))
                try expect(search(tables, "working").isEmpty)
                try expect(search(tables, "wokring").isEmpty, "its words are forgotten, too")
                try expectEqual(search(tables, "casablanka"), ["Casablanca"])
            }
        }
    }

    // MARK: What it costs

    @Test func veryLongWordsAreStoredAndFound() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let title = String(repeating: "я", count: 900)
                let overview = "What " + String(repeating: "о", count: 15_000)
                try tables.put(Film(id: 0, title: title, genres: [], overview: overview))
                try tables.put(Film(id: 0, title: "Other", genres: []))
                try expectEqual(search(tables, title), [title])
                try expectEqual(search(tables, "what"), [title])
            }
        }
    }

    @Test func filmWithoutAYearIsTheLastByYear() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                let years: [(String, Int?)] = [("One", nil), ("Two", 1999), ("Three", 2024)]
                for (title, year) in years {
                    try tables.put(Film(id: 0, title: title, year: year, genres: []))
                }
                let films = try tables.browseFilms(
                    sort: .year,
                    range: PageRange(limit: 3, offset: 0),
                    for: 1
                )
                expectEqual(films.items.map(\.film.title), ["Three", "Two", "One"])
            }
        }
    }

    /// An import may bring its own ids.
    @Test func filmWithoutAnIDGetsOneBehindAllOthers() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                try expectEqual(tables.put(Film(id: 0, title: "One", genres: [])), 1)
                try expectEqual(tables.put(Film(id: 7, title: "Seven", genres: [])), 7)
                try expectEqual(tables.put(Film(id: 0, title: "Eight", genres: [])), 8)
                try expectEqual(tables.put(Film(id: 3, title: "Three", genres: [])), 3)
                try expectEqual(tables.put(Film(id: 0, title: "Nine", genres: [])), 9)
            }
        }
    }

    /// Of 10,000 films and about 3,000 words. Counted in steps of SQLite's machine, of which a row takes
    /// some ten to forty.
    @Test(.needsFile) func searchOfTenThousandFilmsReadsFewRows() async throws {
        try await withFilmStore { store in
            try await store.act { tables throws in
                var generator = SeededGenerator(seed: 7)
                let words = (0..<3000).map { _ in
                    String(
                        (0..<Int.random(in: 4...9, using: &generator)).map { _ in
                            "abcdefghijklmnopqrstuvwxyz".randomElement(using: &generator)!
                        }
                    )
                }
                for _ in 0..<10_000 {
                    let title = (0..<3).map { _ in words.randomElement(using: &generator)! }
                    try tables.put(Film(id: 0, title: title.joined(separator: " ")))
                }
                let word = words[0]
                let found = try steps(tables) { try search(tables, word).count }
                expect((1...20).contains(found.value))
                expect(found.steps < 2000, "\(found)")

                // One letter of a word replaced by a digit, which is in no title.
                let mistyped = "0" + word.dropFirst()
                let near = try steps(tables) { try search(tables, mistyped).count }
                expect(near.value >= found.value)
                expect(near.steps < 40_000, "\(near): a part of the words, no film")

                // A dozen of them cost a look at each, and nothing is found.
                let dozen = words[1...12].map { "0" + $0.dropFirst() }.joined(separator: " ")
                let none = try steps(tables) { try search(tables, dozen).count }
                expectEqual(none.value, 0)
                expect(none.steps < 2000, "\(none)")
            }
        }
    }

    private func steps<Value>(
        _ tables: ActivityTables,
        _ body: () throws -> Value
    ) throws -> (value: Value, steps: Int) {
        let filter = FilmFilterSQL(genreCount: 0, hasYears: false, source: .order)
        let index = FilmTextIndex(.sqlite)
        let statements = [
            ActivitySQL.searchFilms(filter, nil, index), ActivitySQL.countFound(filter, index),
            ActivitySQL.selectWords, ActivitySQL.selectFilmView,
        ]
        return try tables.session.steps(in: statements, body)
    }
}

@Suite("Search budget", .timeLimit(.minutes(10)))
struct SearchBudgetTests {
    @Test func unknownWordsComeFirstThenTheLastThenTheKnown() throws {
        let budget = try require(SearchBudget(isKnown: [true, false, true, false, true]))
        expectEqual(budget.order, [1, 3, 4, 0, 2])
    }

    @Test func moreMistypedWordsThanAnybodyTypesAreNotLookedAt() {
        let few = [Bool](repeating: false, count: SearchBudget.unknownWordsMax + 1)
        expect(SearchBudget(isKnown: few) != nil, "the last may not be typed to its end")
        expectNil(SearchBudget(isKnown: few + [true]))
        expectNil(SearchBudget(isKnown: [Bool](repeating: false, count: 12)))
    }

    @Test func knownWordsAreLookedAtAsFarAsThereIsRoom() throws {
        let budget = try require(SearchBudget(isKnown: [Bool](repeating: true, count: 12)))
        expectEqual(budget.order, [11, 0, 1, 2, 3, 4])
        expect(budget.alternativesMax * budget.order.count <= 72)
    }

    @Test func whatAWordDoesNotNeedIsForThoseAfterIt() throws {
        var budget = try require(SearchBudget(isKnown: [false, false, false], wordsReadMax: 90))
        let first = budget.takeShare()
        budget.note(wordsRead: 10)
        let second = budget.takeShare()
        budget.note(wordsRead: second)
        let third = budget.takeShare()
        expectEqual([first, second, third], [30, 40, 40])
    }

    @Test(arguments: [1...100])
    func budgetIsNeverPassed(_ seeds: ClosedRange<Int>) throws {
        for seed in seeds {
            var generator = SeededGenerator(seed: UInt64(seed))
            let count = Int.random(in: 1...12, using: &generator)
            let isKnown = (0..<count).map { _ in Bool.random(using: &generator) }
            guard var budget = SearchBudget(isKnown: isKnown, wordsReadMax: 100) else { continue }
            var sum = 0
            for _ in budget.order {
                let read = Int.random(in: 0...budget.takeShare(), using: &generator)
                budget.note(wordsRead: read)
                sum += read
            }
            expect(sum <= 100, "seed \(seed)")
        }
    }

    @Test func wordsThatAreNearAreNeverTakenForFar() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<5000 {
            let words = (0..<2).map { _ in
                (0..<Int.random(in: 1...7, using: &generator)).map { _ in
                    ["a", "b", "c", "\u{E5}"].randomElement(using: &generator)! as Unicode.Scalar
                }
            }
            let letters = words.map { LetterSet($0) }
            guard let distance = EditDistance.between(words[0], words[1], max: 7) else { continue }
            expect(letters[0].isWithin(distance, of: letters[1]), "\(words)")
        }
        expect(!LetterSet("abc".unicodeScalars).isWithin(2, of: LetterSet("xyz".unicodeScalars)))
    }
}

@Suite("Typing mistakes", .timeLimit(.minutes(10)))
struct EditDistanceTests {
    @Test(arguments: [
        ("star", "star", 0), ("star", "stars", 1), ("star", "tar", 1), ("star", "stir", 1),
        ("star", "satr", 1), ("star", "stra", 1), ("", "a", 1), ("matrix", "mtarx", 2),
        ("casablanca", "kasablanka", 2),
    ])
    func mistakesAreCounted(_ left: String, _ right: String, _ distance: Int) {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        expectEqual(EditDistance.between(left, right, max: 2), distance)
        expectEqual(EditDistance.between(right, left, max: 2), distance)
        if distance > 0 {
            expectNil(EditDistance.between(left, right, max: distance - 1))
        }
    }

    @Test func bandGivesWhatTheWholeTableGives() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let words = (0..<2).map { _ in
                (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                    ["a", "b", "c"].randomElement(using: &generator)! as Unicode.Scalar
                }
            }
            let exact = EditDistance.between(words[0], words[1], max: 20)
            let banded = EditDistance.between(words[0], words[1], max: 2)
            expectEqual(banded, exact.flatMap { $0 <= 2 ? $0 : nil }, "\(words)")
        }
    }

    @Test func shortWordsForgiveNothing() {
        expectEqual([3, 4, 7, 8, 20].map { EditDistance.allowed(length: $0) }, [0, 1, 1, 2, 2])
    }

    @Test func unknownWordOfThreeLettersMayLackOne() throws {
        expectNil(EditDistance.allowed(3, isKnown: true))
        expectNil(EditDistance.allowed(2, isKnown: false))
        let three = try require(EditDistance.allowed(3, isKnown: false))
        expect(three == (1, 4...4))
        let eight = try require(EditDistance.allowed(8, isKnown: true))
        expect(eight == (2, 6...10))
    }
}
