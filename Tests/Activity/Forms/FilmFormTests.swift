import Expectations

@testable import Activity

@Suite("Forms of films: byte for byte", .timeLimit(.minutes(10)))
struct FilmFormTests {
    private let scores = [1: Example.silverSeaScores]

    @Test func filmHasTheContractsForm() throws {
        let film = Example.silverSea.json(scores: Example.silverSeaScores)
        expectEqual(text(film), (try ActivityVectors.form("film")))
        let year = Example.shore.json(scores: .unknown)
        expectEqual(text(year), (try ActivityVectors.form("film with a year alone")))
        let bare = Example.untitled.json(scores: .unknown)
        expectEqual(text(bare), (try ActivityVectors.form("film without a year")))
    }

    @Test(
        arguments: [
            (1924, "1924-01-01"), (987, "0987-01-01"), (9999, "9999-01-01"), (10_000, nil),
            (0, nil),
        ] as [(Int, String?)]
    )
    func yearStandsForItsFirstDay(year: Int, day: String?) {
        expectEqual(Film(id: 1, title: "A", year: year).releaseDateShown, day)
    }

    @Test(
        arguments: [
            ("2024-02-29", "2024-02-29"), ("2023-02-29", "2023-01-01"), ("", "2023-01-01"),
            ("2023", "2023-01-01"),
        ]
    )
    func dayThatDoesNotExistGivesWayToTheYear(date: String, shown: String) {
        expectEqual(Film(id: 1, title: "A", year: 2023, releaseDate: date).releaseDateShown, shown)
    }

    @Test func foundFilmsHaveTheContractsForm() throws {
        let page = Page(
            items: [Example.silverSea, Example.shore],
            totalCount: 150,
            range: PageRange(limit: 2, offset: 4)
        )
        expectEqual(text(page.json(scores: scores)), (try ActivityVectors.form("search")))
        let none = Page<FilmView>(items: [], totalCount: 0, range: PageRange(limit: 20))
        let expected = try ActivityVectors.form("search that finds nothing")
        expectEqual(text(none.json(scores: scores)), expected)
    }

    @Test func watchlistHasFilmsAndWhenTheyCame() throws {
        let item = WatchlistItem(film: Example.shore, addedAt: Example.second)
        let page = Page(items: [item], totalCount: 1, range: PageRange(limit: 20))
        expectEqual(text(page.json(scores: [:])), (try ActivityVectors.form("watchlist")))
    }

    @Test func recommendationsHaveTheContractsForm() throws {
        let explanation = Array(
            #"""
            {"primary_reason":"genre_match","factors":[{"type":"genre_match","value":94,"description":"You rate Sci-Fi higher than other films."}]}
            """#.utf8
        )
        let ratings = FriendRatings([
            FriendRating(person: Example.kari, stars: Example.stars(10)),
            FriendRating(person: Example.ola, stars: Example.stars(8)),
        ])
        let page = Page(
            items: [
                Recommendation(
                    film: Example.silverSea,
                    scores: Example.silverSeaScores,
                    explanation: explanation,
                    friendRatings: ratings
                ),
                Recommendation(
                    film: Example.untitled,
                    scores: .unknown,
                    explanation: explanation,
                    friendRatings: .none
                ),
            ],
            totalCount: 50,
            range: PageRange(limit: 2)
        )
        let expected = try ActivityVectors.form("recommendations")
        expectEqual(text(page.json(updatedAt: Example.first)), expected)
    }

    @Test func answersOfActsHaveTheirForms() throws {
        let on = watchlistAnswer(filmID: 1, isInWatchlist: true)
        expectEqual(text(on), (try ActivityVectors.form("film on the watchlist")))
        let off = watchlistAnswer(filmID: 1, isInWatchlist: false)
        expectEqual(text(off), (try ActivityVectors.form("film off the watchlist")))
        let left = notInterestedAnswer(filmID: 1, isNotInterested: true)
        expectEqual(text(left), (try ActivityVectors.form("film that is not interesting")))
        let begun = WatchState(
            filmID: 1,
            status: .started,
            progressPercent: 25,
            at: Example.first
        )
        expectEqual(text(begun.json()), (try ActivityVectors.form("film begun")))
        let seen = WatchState(
            filmID: 1,
            status: .completed,
            progressPercent: nil,
            at: Example.first
        )
        expectEqual(text(seen.json()), (try ActivityVectors.form("film seen")))
        expectEqual(text(successAnswer()), (try ActivityVectors.form("success")))
    }

    @Test(
        arguments: [
            (14.0 / 3, 4.67), (4.5, 4.5), (5, 5), (0.5, 1), (0.99, 1), (0.999, 1), (1.004, 1),
            (1.01, 1.01), (3.995, 4), (3.004_999, 3),
        ] as [(Double, Double)]
    )
    func averagesAreShownInHundredthsFromOneStarOn(average: Double, shown: Double) {
        expectEqual(averageShown(average), shown)
    }

    @Test(arguments: [
        "https://image.tmdb.org/t/p/w500/aB1.jpg", "https://image.tmdb.org/t/p/w200/aB1.jpg",
        "https://image.tmdb.org/t/p/original/aB1.jpg", "https://image.tmdb.org/t/p/w92/aB1.jpg",
    ])
    func posterOfTMDBHasAllSizes(url: String) {
        let poster = Poster(url)
        expectEqual(poster.w200, "https://image.tmdb.org/t/p/w200/aB1.jpg")
        expectEqual(poster.w500, "https://image.tmdb.org/t/p/w500/aB1.jpg")
        expectEqual(poster.original, "https://image.tmdb.org/t/p/original/aB1.jpg")
    }

    @Test(arguments: [
        "https://images.example/w200/a.jpg", "https://image.tmdb.org/t/p/w/a.jpg",
        "https://image.tmdb.org/t/p/wide/a.jpg", "https://image.tmdb.org/t/p/w500",
        "https://image.tmdb.org/t/p/w500/", "https://image.tmdb.org.example/t/p/w500/a.jpg",
    ])
    func otherPosterHasOneSize(url: String) {
        let poster = Poster(url)
        expectEqual([poster.w200, poster.w500, poster.original], [url, url, url])
    }
}
