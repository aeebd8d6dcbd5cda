import Expectations

@testable import Radar

@Suite("Trend: Theil–Sen and Mann–Kendall", .timeLimit(.minutes(10)))
struct TrendSlopeTests {
    @Test(arguments: RadarVectors.all.slopes)
    private func seriesHasTheSlopeAndTheProbability(_ vector: RadarVectors.Slope) {
        let scores = vector.scores.map { DailyScore(dayNumber: Int($0[0]), score: $0[1]) }
        let test = MannKendall(scores.map(\.score))
        expect(abs(theilSenSlope(scores) - vector.perDay) < 2e-9)
        expectEqual(test.count, vector.count)
        expect(abs(test.variance - vector.variance) < 1e-8)
        expect(abs(test.pValue - vector.pValue) < 4e-7)
    }

    @Test func medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
        // Slopes 1, 2 and 3 of three days, and of two days the one.
        let three = [(0, 0.0), (1, 0.1), (3, 0.6)].map(DailyScore.init)
        expect(abs(theilSenSlope(three) - 0.2) < 1e-12)
        expectEqual(theilSenSlope(Array(three.prefix(2))), 0.1)
        // Slopes 0, 0, 0.1, 0.3, 0.1 and 0.15.
        let four = [(0, 0.0), (1, 0.0), (2, 0.0), (3, 0.3)].map(DailyScore.init)
        expect(abs(theilSenSlope(four) - 0.05) < 1e-12)
    }

    @Test func scoresThatDifferByTheirErrorAreTies() {
        let sums = [0.1 + 0.2, 0.3].map { DailyScore(dayNumber: 0, score: $0).score }
        expectEqual(sums[0], sums[1])
        expectEqual(MannKendall(sums).count, 0)
        expectEqual(MannKendall(sums).pValue, 1)
    }

    @Test func oppositeSeriesHasTheOppositeCount() {
        let values = [0.3, 0.1, 0.4, 0.1, 0.5, 0.9, 0.2, 0.6]
        let test = MannKendall(values)
        let reversed = MannKendall(values.reversed())
        expectEqual(reversed.count, -test.count)
        expectEqual(reversed.variance, test.variance)
        expectEqual(reversed.pValue, test.pValue)
    }
}
