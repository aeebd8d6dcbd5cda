import TasteTesting
import Testing
import Timekeeping

@testable import Activity
@testable import ActivityImport

@Suite("Evaluation", .timeLimit(.minutes(10)))
struct EvaluationTests {
    @Test("holds out the last fifth of each person's ratings, rounded down")
    func split() {
        let ratings =
            (1...11).map { rating(1, $0, 4, daysAgo: $0) } + (1...4).map { rating(2, $0, 4) }
        let splits = HeldOutSplit.lastFifth(of: ratings.reversed())
        #expect(splits.map(\.personID) == [1, 2])
        #expect(splits[0].heldOut.map(\.filmID) == [2, 1], "the latest two")
        #expect(splits[0].known.map(\.filmID) == [11, 10, 9, 8, 7, 6, 5, 4, 3])
        #expect(splits[1].heldOut.isEmpty)
    }

    @Test("gives a film less the later it is named")
    func gain() {
        var quality = RankingQuality()
        quality.add([9, 1, 8, 2], relevant: [1, 2])
        // 1/log₂3 + 1/log₂5 of 1/log₂2 + 1/log₂3.
        #expect(abs(quality.gainAt10 - 0.650_921) < 1e-6)
        #expect(quality.recallAt20 == 1)
        quality.add([7], relevant: [1])
        #expect(abs(quality.gainAt10 - 0.650_921 / 2) < 1e-6)
        #expect(quality.recallAt20 == 0.5)
        quality.add([1], relevant: [])
        #expect(quality.count == 2, "nothing to find is no list")
    }

    @Test("looks at the first ten for gain and at the first twenty for recall")
    func depth() {
        var quality = RankingQuality()
        quality.add(Array(101...110) + [1] + Array(111...119) + [2], relevant: [1, 2])
        #expect(quality.gainAt10 == 0)
        #expect(quality.recallAt20 == 0.5)
        var best = RankingQuality()
        best.add(Array(1...20), relevant: Set(1...40))
        #expect(best.gainAt10 == 1)
        #expect(best.recallAt20 == 0.5)
    }

    @Test("tells what was liked at each score")
    func reliability() {
        var reliability = ScoreReliability()
        for (score, isLiked) in [(0, false), (9, true), (90, true), (100, true)] {
            reliability.add(score: score, isLiked: isLiked)
        }
        #expect(reliability.decades.map(\.count) == [2, 0, 0, 0, 0, 0, 0, 0, 0, 2])
        #expect(reliability.decades[0].likedPercent == 50)
        #expect(reliability.decades[9].meanScore == 95)
        #expect(abs(reliability.meanSquare - (0.91 * 0.91 + 0.01) / 4) < 1e-12)
    }

    @Test("finds the model better than popularity where people have tastes")
    func model() {
        let world = TasteWorld(seed: 11, people: 100, films: 80, ratingsEach: 25)
        var uptime = Duration.zero
        let report = evaluate(ratings: world.ratings, films: world.films) {
            uptime += .milliseconds(250)
            return uptime
        }
        #expect(report.peopleCount == 100)
        #expect(report.buildTime == .milliseconds(250))
        #expect(report.comparison.model.count == report.comparison.popularity.count)
        #expect(report.comparison.model.gainAt10 > 1.5 * report.comparison.popularity.gainAt10)
        #expect(report.comparison.model.recallAt20 > 1.5 * report.comparison.popularity.recallAt20)
        #expect(report.newcomers.map(\.ratingsCount) == [0, 1, 3, 5, 10, 20])
        #expect((7...10).contains(report.newcomers[3].comparison.model.count))
        #expect(report.text.contains("model built in 0.25 s\n"))
        #expect(report.text.contains("model, 10 ratings"))
    }

    @Test("of no ratings at all is a report of zeros")
    func empty() {
        let report = evaluate(ratings: [], films: []) { .zero }
        #expect(report.comparison.model.gainAt10 == 0)
        #expect(report.text.hasPrefix("0 ratings of 0 films by 0 people\nmodel built in 0.00 s\n"))
    }
}
