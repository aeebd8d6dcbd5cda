import Expectations
import SeededRandom
import TasteTesting

@testable import Activity

@Suite("Taste model", .timeLimit(.minutes(10)))
struct TasteModelTests {
    private struct Cancelled: Error {}

    /// Everything that a reader of the model can see for one person.
    private func feed(_ model: TasteModel, _ own: [TasteRating]) -> [FilmScore] {
        model.taste(of: own).recommendations(limit: 100, now: tasteNow).films
    }

    @Test("does not depend on the order of ratings and films", arguments: 1...5)
    func permutation(seed: Int) {
        let world = TasteWorld(seed: seed)
        var random = SeededGenerator(seed: UInt64(seed + 100))
        let shuffled = TasteModel(
            ratings: world.ratings.shuffled(using: &random),
            films: world.films.shuffled(using: &random),
            at: tasteNow
        )
        let own = world.ratings(of: seed)
        let one = feed(world.model, own)
        expectEqual(one, feed(shuffled, own.shuffled(using: &random)))
        expect(one.count > 10)
    }

    @Test("is the same each time that it is built")
    func deterministic() {
        let world = TasteWorld(seed: 7)
        expectEqual(feed(world.model, []), feed(world.model, []))
        expectEqual(world.model.similarCurve, world.model.similarCurve)
    }

    @Test("counts of several ratings of a film the latest")
    func latest() {
        let catalogue = films([1: ["Drama"], 2: ["Drama"]])
        let once = [rating(1, 1, 5, daysAgo: 1), rating(2, 1, 4)]
        let twice = [rating(1, 1, 2, daysAgo: 9)] + once
        let model = TasteModel(ratings: twice, films: catalogue, at: tasteNow)
        expectEqual(model.statistics.counts, [2, 0])
        expectEqual(model.statistics.mean(of: 0), 4.5)
        expectEqual(model.taste(of: twice).ratingsCount, 1 + 1)
        expectEqual(model.taste(of: Array(twice.prefix(2))).likesCount, 1)
    }

    @Test("ends a build that is cancelled, at whichever check")
    func cancellation() {
        let world = TasteWorld(seed: 1, people: 6)
        var checks = 0
        _ = try? TasteModel(ratings: world.ratings, films: world.films, at: tasteNow) {
            () throws(Cancelled) in checks += 1
        }
        expectEqual(checks, 6 + 3 + 6 + 1, "people, one block three times, people, curves")
        for last in 1...checks {
            var calls = 0
            #expect(throws: Cancelled.self) {
                try TasteModel(ratings: world.ratings, films: world.films, at: tasteNow) {
                    () throws(Cancelled) in
                    calls += 1
                    if calls == last { throw Cancelled() }
                }
            }
            expectEqual(calls, last)
        }
    }

    @Test("ends a build whose task is cancelled")
    func cancelledTask() async {
        let world = TasteWorld(seed: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try TasteModel(ratings: world.ratings, films: world.films, at: tasteNow) {
                try Task.checkCancellation()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("relates the films with most ratings, no more than it may")
    func relatedLimit() {
        let world = TasteWorld(seed: 2)
        let model = TasteModel(
            ratings: world.ratings,
            films: world.films,
            at: tasteNow,
            limits: TasteLimits(relatedFilmsMax: 3)
        )
        let counts = model.statistics.counts
        let related = model.regression.films.map { counts[Int($0)] }
        expectEqual(related.count, 3)
        expectEqual(related.sorted(), counts.sorted().suffix(3))
        let taste = model.taste(of: world.ratings(of: 1))
        let others = world.films.indices.filter { model.regression.place(of: $0) == nil }
        expectEqual(others.count, world.films.count - 3)
        expect(others.allSatisfy { taste.evidence(for: $0) == 0 })
    }

    @Test("counts all ratings of a tireless person, and relates only the latest")
    func ratingsLimit() {
        let catalogue = films([1: [], 2: [], 3: []])
        let own = [rating(1, 1, 5, daysAgo: 3), rating(1, 2, 5, daysAgo: 2), rating(1, 3, 5)]
        let model = TasteModel(
            ratings: own,
            films: catalogue,
            at: tasteNow,
            limits: TasteLimits(ratingsPerPersonMax: 2)
        )
        expectEqual(model.statistics.counts, [1, 1, 1])
        expect(model.regression.weight(of: 0, on: 1) > 0)
        expectEqual(model.regression.weight(of: 2, on: 0), 0)
        expectEqual(model.regression.weight(of: 2, on: 1), 0, "that was the oldest of the three")
        let taste = model.taste(of: own)
        expectEqual(taste.ratingsCount, 3)
        expectEqual(taste.rated.count, 2, "nor is the oldest evidence")
    }

    @Test("counts a rating for half after a week")
    func trend() {
        let catalogue = films([1: [], 2: []])
        let ratings = [rating(1, 1, 4, daysAgo: 7), rating(2, 1, 4, daysAgo: 14)]
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        expect(abs(model.trend.count(of: 0, decay: 1) - 0.75) < 1e-12)
        let later = model.trend.decay(until: tasteNow + FilmTrend.halfLife)
        expect(abs(model.trend.count(of: 0, decay: later) - 0.375) < 1e-12)
        expectEqual(model.trend.count(of: 1, decay: 1), 0)
    }

    @Test("draws the mean of few ratings to the mean of all")
    func weightedMean() {
        // Nine ratings of three stars and one of five: C is 3.2, m is five.
        let catalogue = films([1: [], 2: []])
        let ratings = (1...9).map { rating($0, 1, 3) } + [rating(10, 2, 5)]
        let model = TasteModel(ratings: ratings, films: catalogue, at: tasteNow)
        expectEqual(model.statistics.priorCount, 9)
        expect(abs(model.statistics.meanStars - 3.2) < 1e-12)
        let mean = model.statistics.weightedMean(count: 1, starsSum: 5)
        expect(abs(mean - (5 + 9 * 3.2) / 10) < 1e-12)
        expect(model.knows(2))
        expect(!model.knows(3))
    }
}
