import Expectations
import SeededRandom
import TasteTesting

@testable import Activity

@Suite("Evaluation", .timeLimit(.minutes(10)))
struct EvaluationTests {
    @Test("holds out the last fifth of each person's ratings, rounded down")
    func split() {
        let ratings =
            (1...11).map { rating(1, $0, 4, daysAgo: $0) } + (1...4).map { rating(2, $0, 4) }
        let splits = HeldOutSplit.lastFifth(of: ratings.reversed())
        expectEqual(splits.map(\.personID), [1, 2])
        expectEqual(splits[0].heldOut.map(\.filmID), [2, 1], "the latest two")
        expectEqual(splits[0].known.map(\.filmID), [11, 10, 9, 8, 7, 6, 5, 4, 3])
        expect(splits[1].heldOut.isEmpty)
    }

    @Test("gives a film less the later it is named")
    func gain() {
        var quality = RankingQuality()
        quality.add([9, 1, 8, 2], relevant: [1, 2])
        // 1/log₂3 + 1/log₂5 of 1/log₂2 + 1/log₂3.
        expect(abs(quality.gainAt10 - 0.650_921) < 1e-6)
        expectEqual(quality.recallAt20, 1)
        quality.add([7], relevant: [1])
        expect(abs(quality.gainAt10 - 0.650_921 / 2) < 1e-6)
        expectEqual(quality.recallAt20, 0.5)
        quality.add([1], relevant: [])
        expectEqual(quality.count, 2, "nothing to find is no list")
    }

    @Test("looks at the first ten for gain and at the first twenty for recall")
    func depth() {
        var quality = RankingQuality()
        quality.add(Array(101...110) + [1] + Array(111...119) + [2], relevant: [1, 2])
        expectEqual(quality.gainAt10, 0)
        expectEqual(quality.recallAt20, 0.5)
        var best = RankingQuality()
        best.add(Array(1...20), relevant: Set(1...40))
        expectEqual(best.gainAt10, 1)
        expectEqual(best.recallAt20, 0.5)
    }

    @Test("tells what was liked at each score")
    func reliability() {
        var reliability = ScoreReliability()
        for (score, isLiked) in [(0, false), (9, true), (90, true), (100, true)] {
            reliability.add(score: score, isLiked: isLiked)
        }
        expectEqual(reliability.decades.map(\.count), [2, 0, 0, 0, 0, 0, 0, 0, 0, 2])
        expectEqual(reliability.decades[0].likedPercent, 50)
        expectEqual(reliability.decades[9].meanScore, 95)
        expect(abs(reliability.meanSquare - (0.91 * 0.91 + 0.01) / 4) < 1e-12)
    }

    @Test("counts the films that lists show, and how different their genres are")
    func variety() {
        let genres = [1: GenreSet([0]), 2: GenreSet([0]), 3: GenreSet([0, 1]), 4: GenreSet([2])]
        func add(_ films: [Int], to quality: inout RankingQuality) {
            quality.add(films, relevant: [9]) { genres[$0] ?? GenreSet() }
        }
        var quality = RankingQuality()
        add([1, 2, 3], to: &quality)
        // Distances 0, 1/2 and 1/2.
        expect(abs(quality.diversity - 1.0 / 3) < 1e-12)
        add([4, 1], to: &quality)
        expect(abs(quality.diversity - (1.0 / 3 + 1) / 2) < 1e-12)
        add([4], to: &quality)
        expect(abs(quality.diversity - (1.0 / 3 + 1) / 2) < 1e-12, "one film has no pair")
        expectEqual(quality.shownFilmsCount, 4)
        add(Array(11...25), to: &quality)
        expectEqual(quality.shownFilmsCount, 14, "ten of fifteen are shown")
    }

    @Test("compares two models list by list")
    func differences() throws {
        var one = RankingQuality()
        var other = RankingQuality()
        expectNil(one.gainDifference(from: other))
        for films in [[1], [2], [1], [2]] {
            one.add([1], relevant: [1])
            other.add(films, relevant: [1])
        }
        // Differences 0, 1, 0, 1: mean 1/2, variance 1/3, standard error √(1/12).
        let found = try require(one.gainDifference(from: other))
        expectEqual(found.mean, 0.5)
        expect(abs(found.standardError - (1.0 / 12).squareRoot()) < 1e-12)
        other.add([1], relevant: [1])
        expectNil(one.gainDifference(from: other), "not the same lists")
    }

    private let factors = FactorRanking.Settings(factorCount: 6, iterations: 4)

    @Test("finds every model better than popularity where people have tastes")
    func model() throws {
        let world = TasteWorld(seed: 11, people: 100, films: 80, ratingsEach: 25)
        var uptime = Duration.zero
        let report = evaluate(ratings: world.ratings, films: world.films, factors: factors) {
            uptime += .milliseconds(250)
            return uptime
        }
        expectEqual(report.peopleCount, 100)
        expectEqual(report.buildTime, .milliseconds(250))
        expectEqual(
            report.rankings.map(\.name),
            [
                "popularity", "neighbours", "factors", "regression", "regression, varied",
            ]
        )
        let popularity = try require(report.rankings.first).quality
        for ranking in report.rankings.dropFirst() {
            let quality = ranking.quality
            expectEqual(quality.count, popularity.count)
            expect(quality.gainAt10 > 1.5 * popularity.gainAt10, "\(ranking.name)")
            expect(quality.recallAt20 > popularity.recallAt20, "\(ranking.name)")
        }
        expectEqual(report.newcomers.map(\.ratingsCount), [0, 1, 3, 5, 10, 20])
        expect((7...10).contains(report.newcomers[3].rankings[1].quality.count))
        expect(report.text.contains("model built in 0.25 s\n"))
        expect(report.text.contains("10 regression, varied"))
        expect(report.text.contains(" ± "))
    }

    /// People with one of four tastes who mostly rate the first films; genres say nothing.
    private func skewedWorld() -> (films: [Film], ratings: [TasteRating]) {
        var random = SeededGenerator(seed: 12)
        let catalogue = films(Dictionary(uniqueKeysWithValues: (1...80).map { ($0, []) }))
        let ratings = (1...100).flatMap { person in
            (1...25).map { number in
                let place = Double.random(in: 0..<1, using: &random)
                let film = 1 + Int(80 * place * place)
                return rating(person, film, film % 4 == person % 4 ? 5 : 3, daysAgo: 30 - number)
            }
        }
        return (catalogue, ratings)
    }

    /// Films that are exchanged for each other leave all counts of ratings plausible, and nothing true.
    @Test("refutes a model of ratings whose films were shuffled, and not the true one")
    func broken() throws {
        let world = skewedWorld()
        let splits = HeldOutSplit.lastFifth(of: world.ratings)
        let known = splits.flatMap(\.known)
        var random = SeededGenerator(seed: 5)
        let ids = world.films.map(\.id)
        let other = Dictionary(uniqueKeysWithValues: zip(ids, ids.shuffled(using: &random)))
        let shuffled = known.map { rating in
            var rating = rating
            rating.filmID = other[rating.filmID] ?? rating.filmID
            return rating
        }
        func model(_ ratings: [TasteRating]) -> TasteRanking {
            let model = TasteModel(ratings: ratings, films: world.films, at: tasteNow)
            return TasteRanking(model: model, now: tasteNow)
        }
        let found = compare(
            [
                ("popularity", PopularityRanking(known, EvaluatedFilms(world.films))),
                ("broken", model(shuffled)), ("true", model(known)),
            ],
            splits,
            films: world.films
        ).map(\.quality)
        let loss = try require(found[1].gainDifference(from: found[0]))
        expect(loss.mean < -2 * loss.standardError)
        let gain = try require(found[2].gainDifference(from: found[0]))
        expect(gain.mean > 2 * gain.standardError)
    }

    @Test("solves the factors of one film and one person as one does by hand")
    func factorsByHand() {
        // y = 2, λ = 1: one entry of weight 3 gives x = (1 + 3)·2 / (2² + 1 + 3·2²) = 8/17; without
        // entries x is zero.
        var films = FactorTable(count: 1, 1)
        films.set(0, to: [2])
        let people = films.solved([[.init(index: 0, weight: 3)], []], 1)
        var one = FactorTable(count: 1, 1)
        one.set(0, to: [1])
        expect(abs(people.product(0, one, 0) - 8.0 / 17) < 1e-15)
        expectEqual(people.product(1, one, 0), 0)
    }

    @Test("of no ratings at all is a report of zeros")
    func empty() {
        let report = evaluate(ratings: [], films: []) { .zero }
        expect(report.rankings.allSatisfy { $0.quality.gainAt10 == 0 })
        expect(report.text.hasPrefix("0 ratings of 0 films by 0 people\nmodel built in 0.00 s\n"))
    }

    @Test(
        "has lists for one person who rated one film, and for equal ratings",
        arguments: [0.5, 2, 5]
    )
    func degenerate(stars: Double) {
        let catalogue = films([1: ["Drama"], 2: [], 3: ["Drama"]])
        let one = evaluate(ratings: [rating(1, 1, stars)], films: catalogue) { .zero }
        expectEqual(one.peopleCount, 1)
        let same = (1...7).flatMap { person in (1...3).map { rating(person, $0, stars) } }
        let report = evaluate(ratings: same, films: catalogue, factors: factors) { .zero }
        expect(report.rankings.allSatisfy { $0.quality.gainAt10.isFinite })
        expect(!report.text.contains("nan"))
    }
}
