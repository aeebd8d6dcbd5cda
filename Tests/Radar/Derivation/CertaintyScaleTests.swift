import Expectations

@testable import Radar

@Suite("Certainty: probabilities that were observed", .timeLimit(.minutes(10)))
struct CertaintyScaleTests {
    @Test func scaleGoesFromZeroToOneAndNeverFalls() {
        let points = CertaintyScale.points
        expectEqual(points.first?.model, 0)
        expectEqual(points.last?.model, 1)
        for (left, right) in zip(points, points.dropFirst()) {
            expect(left.model < right.model)
            expect(left.observed <= right.observed)
        }
        expect(points.allSatisfy { (0...1).contains($0.observed) })
        var last = 0.0
        for step in 0...1000 {
            let value = CertaintyScale.calibrated(Double(step) / 1000)
            expect(value >= last)
            last = value
        }
    }

    @Test func scaleIsExactAtItsPoints() {
        for point in CertaintyScale.points {
            expect(abs(CertaintyScale.calibrated(point.model) - point.observed) < 1e-12)
        }
    }

    /// Sums of probabilities miss 0 and 1 by some units of the last place.
    @Test(arguments: [-1e-12, 1 + 1e-12])
    func scaleTakesRoundedProbabilities(probability: Double) {
        expect((0...1).contains(CertaintyScale.calibrated(probability)))
    }

    @Test(arguments: [
        (0.9, 1.19, 9.0, "insufficient"), (0.9, 1.2, 9, "clear"), (0.849, 5, 9, "uncertain"),
        (0.85, 5, 1.5, "clear"), (0.99, 5, 1.499, "uncertain"), (0.99, 99, 1, "uncertain"),
    ])
    func clearNeedsProbabilityAnswersAndProviders(
        probability: Double,
        sampleSize: Double,
        providers: Double,
        certainty: String
    ) {
        let found = PositionRule.certainty(
            probability: probability,
            sampleSize: sampleSize,
            providers: providers
        )
        expectEqual(found.rawValue, certainty)
    }

    @Test(arguments: [
        (0, "divided"), (0.199, "divided"), (0.2, "leaning"), (-0.2, "leaning"),
        (0.6, "strong"), (-1, "strong"), (0.599, "leaning"),
    ])
    func strengthIsThatOfTheScore(score: Double, strength: String) {
        expectEqual(PositionRule.strength(score: score).rawValue, strength)
    }
}
