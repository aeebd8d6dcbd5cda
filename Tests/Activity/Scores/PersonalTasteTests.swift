import Expectations
import TasteTesting

@testable import Activity

@Suite("Recommendations", .timeLimit(.minutes(10)))
struct PersonalTasteTests {
    @Test(
        "have scores of 0 to 100, without variety descending, and no film twice",
        arguments: 1...5
    )
    func order(seed: Int) {
        let world = TasteWorld(seed: seed)
        let taste = world.model.taste(of: world.ratings(of: seed))
        let scores = taste.recommendations(limit: 100, variety: 0, now: tasteNow).films
        expect(scores.allSatisfy { (0...100).contains($0.aiScore) })
        // Films of genres that the person does not like come last, in the same order.
        let disliked = scores.map { score in
            world.model.films.index(of: score.filmID).map(taste.dislikesGenres) ?? false
        }
        let firstCount = disliked.prefix { !$0 }.count
        expect(disliked.dropFirst(firstCount).allSatisfy { $0 })
        for part in [scores.prefix(firstCount), scores.dropFirst(firstCount)] {
            expect(zip(part, part.dropFirst()).allSatisfy { $0.aiScore >= $1.aiScore })
        }
        expectEqual(Set(scores.map(\.filmID)).count, scores.count)
        let varied = taste.recommendations(limit: 100, now: tasteNow).films
        expectEqual(Set(varied.map(\.filmID)), Set(scores.map(\.filmID)))
        expectEqual(varied.first, scores.first)
    }

    @Test("put films of genres that the person dislikes last, and name no reason against a film")
    func dislikedGenres() {
        var genres: [Int: [String]] = [:]
        for film in 1...12 {
            genres[film] = [["Comedy"], ["Horror"], ["War"], ["Drama"]][film % 4]
        }
        let catalogue = films(genres)
        // Others like horror and war films best.
        let others = (1...20).flatMap { person in
            (1...12).map { rating(person, $0, [3, 5, 5, 3][$0 % 4]) }
        }
        for ratings in [others, []] {
            let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
            let own = [4, 8].map { rating(99, $0, 5) } + [1, 5, 2, 6].map { rating(99, $0, 1) }
            let taste = model.taste(of: own)
            let found = taste.recommendations(limit: 100, now: tasteNow).films
            expectEqual(found.count, 6)
            let disliked: Set = [9, 10]
            expectEqual(Set(found.suffix(2).map(\.filmID)), disliked)
            for score in found.dropLast(2) {
                let film = catalogue[score.filmID - 1]
                let reason = taste.explanation(of: film, now: tasteNow).primaryReason
                expect(reason != .genreMatch || film.genres == ["Comedy"])
            }
            for film in disliked {
                let found = taste.explanation(of: catalogue[film - 1], now: tasteNow)
                expect(found.primaryReason != .genreMatch)
            }
        }
    }

    @Test("of films that no one has rated do not claim that they are popular")
    func unratedFilm() {
        let model = TasteModel(ratings: [], films: films([1: ["Drama"]]), at: tasteNow)
        let found = model.taste(of: []).explanation(of: films([1: ["Drama"]])[0], now: tasteNow)
        expectEqual(found.primaryReason, .unrated)
        expectEqual(found.factors.map(\.type), [.unrated])
    }

    @Test("name nothing that the person has rated, nor what is to be left out")
    func exclusions() {
        let world = TasteWorld(seed: 3)
        let own = world.ratings(of: 1)
        let page = world.model.taste(of: own).recommendations(
            excluding: [1, 2, 3],
            limit: 100,
            now: tasteNow
        )
        let left = Set(own.map(\.filmID)).union([1, 2, 3])
        expect(Set(page.films.map(\.filmID)).isDisjoint(with: left))
        expectEqual(page.totalCount, world.films.count - left.count)
        expectEqual(page.basis, .taste)
    }

    @Test("are the same page by page as at once")
    func pages() {
        let world = TasteWorld(seed: 4)
        let taste = world.model.taste(of: world.ratings(of: 2))
        let all = taste.recommendations(limit: 100, now: tasteNow)
        let pages = stride(from: 0, to: 50, by: 7).flatMap {
            taste.recommendations(limit: 7, offset: $0, now: tasteNow).films
        }
        expectEqual(pages, all.films)
        expect(taste.recommendations(limit: 7, offset: 99, now: tasteNow).films.isEmpty)
    }

    @Test("end where a feed ends")
    func limit() {
        let world = TasteWorld(seed: 4)
        let model = TasteModel(
            ratings: world.ratings,
            films: world.films,
            at: tasteNow,
            limits: TasteLimits(recommendationsMax: 5)
        )
        let page = model.taste(of: []).recommendations(limit: 100, now: tasteNow)
        expectEqual(page.films.count, 5)
        expectEqual(page.totalCount, 5)
    }

    @Test("follow a taste: films that the like-minded like come before those of others")
    func taste() {
        // Two camps of ten; a newcomer likes two films of the first.
        let catalogue = films(Dictionary(uniqueKeysWithValues: (1...8).map { ($0, ["Drama"]) }))
        let ratings = (1...20).flatMap { person in
            (1...8).map { rating(person, $0, ($0 <= 4) == (person <= 10) ? 5 : 2) }
        }
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        let page = model.taste(of: [rating(99, 1, 5), rating(99, 2, 4.5)])
            .recommendations(limit: 10, now: tasteNow)
        expectEqual(page.films.map(\.filmID), [3, 4, 5, 6, 7, 8])
        expect(page.films[1].aiScore > page.films[2].aiScore + 10)
    }

    @Test("count a rating of this moment, without another build")
    func foldedIn() {
        let world = TasteWorld(seed: 5)
        let model = world.model
        let own = world.ratings(of: 8).filter { $0.filmID % 4 == 0 }
        let before = model.taste(of: own).recommendations(limit: 100, now: tasteNow)
        let film = before.films[0].filmID
        let after = model.taste(of: own + [rating(8, film, 5, daysAgo: 0)])
            .recommendations(limit: 100, now: tasteNow)
        expect(!after.films.map(\.filmID).contains(film))
        expect(after.films.map(\.aiScore) != before.films.dropFirst().map(\.aiScore))
    }

    @Test("are everybody's for somebody who has rated nothing, and say so")
    func coldStart() {
        let catalogue = films([1: ["Drama"], 2: ["Drama"], 3: ["Drama"]])
        let ratings = (1...9).map { rating($0, 2, 4) } + [rating(1, 1, 5)]
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        let page = model.taste(of: []).recommendations(limit: 3, now: tasteNow)
        expectEqual(page.basis, .popular)
        expectEqual(page.films.map(\.filmID), [2, 1, 3], "nine good ratings go before one better")
        expect(page.films.allSatisfy { $0.weights.popular == 100 })
    }

    @Test("prefer what is rated lately among what is rated alike")
    func trend() {
        let catalogue = films([1: [], 2: []])
        let ratings =
            (1...9).map { rating($0, 1, 4, daysAgo: 300) }
            + (1...9).map { rating($0, 2, 4, daysAgo: 2) }
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        let page = model.taste(of: []).recommendations(limit: 3, now: tasteNow)
        expectEqual(page.films.map(\.filmID), [2, 1])
    }

    @Test("are none of an empty catalogue, and a score there is all the same")
    func empty() {
        let model = TasteModel(ratings: [], films: [], at: tasteNow)
        let taste = model.taste(of: [rating(1, 7, 5)])
        let page = taste.recommendations(limit: 10, now: tasteNow)
        expectEqual(page, Recommendations(films: [], totalCount: 0, basis: .popular))
        let score = taste.score(of: Film(id: 7, title: "Film 7"), now: tasteNow)
        expect((0...100).contains(score.aiScore))
    }

    @Test("have scores for one person, one film, or ratings that are all the same")
    func degenerate() {
        let one = TasteModel(ratings: [rating(1, 1, 5)], films: films([1: ["Drama"]]), at: tasteNow)
        let page = one.taste(of: [rating(1, 1, 5)]).recommendations(limit: 1, now: tasteNow)
        expect(page.films.isEmpty)
        expectEqual(one.taste(of: []).recommendations(limit: 1, now: tasteNow).films.count, 1)

        let catalogue = films([1: ["Drama"], 2: ["Drama"], 3: []])
        for stars in [0.5, 2, 5] {
            let same = (1...30).flatMap { [rating($0, 1, stars), rating($0, 2, stars)] }
            let model = TasteModel(ratings: same, films: catalogue, at: tasteNow)
            let scores = model.taste(of: [rating(1, 1, stars)])
                .recommendations(limit: 3, now: tasteNow).films
            expectEqual(scores.count, 2)
            expect(scores.allSatisfy { (0...100).contains($0.aiScore) })
            expect(scores.allSatisfy { $0.exact.isFinite })
        }
    }

    @Test("know a film that is newer than the model by its genres")
    func newerFilm() {
        let catalogue = films([1: ["Drama"], 2: ["Horror"]])
        let model = TasteModel(ratings: [rating(1, 1, 5)], films: catalogue, at: tasteNow)
        let newer = Film(id: 9, title: "Film 9", genres: ["Drama"])
        let taste = model.taste(of: [rating(1, 1, 5), rating(1, 2, 1)])
        let drama = taste.score(of: newer, now: tasteNow)
        let horror = taste.score(of: Film(id: 9, title: "", genres: ["Horror"]), now: tasteNow)
        expect(drama.genreValue > horror.genreValue)
        let rated = model.taste(of: [rating(1, 9, 5)], films: [newer])
        expectEqual(rated.ratingsCount, 1)
        expectEqual(rated.favoriteGenres(), ["Drama"])
        expectEqual(
            model.taste(of: [rating(1, 9, 5)]).ratingsCount,
            0,
            "it waits for the next build"
        )
    }

    @Test("have weights that always add up to one hundred")
    func weights() {
        for count in 0...1000 {
            let weights = FactorWeights(ratingsCount: count)
            expectEqual(weights.similar + weights.genre + weights.popular, 100)
            expect(weights.popular >= 5)
        }
        expectEqual(FactorWeights(ratingsCount: 0).popular, 100)
        expectEqual(FactorWeights(ratingsCount: 5).similar, 43)
    }
}
