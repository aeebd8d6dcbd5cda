import Expectations

@testable import Aurora

@Suite("Levels", .timeLimit(.minutes(10)))
struct LevelTests {
    private let bounds = LevelBounds.standard

    @Test func levelsAscend() {
        expectEqual(Level.allCases, Level.allCases.sorted())
        expectEqual(
            Level.allCases.map(\.rawValue),
            ["none", "low", "moderate", "good", "excellent"]
        )
    }

    @Test(
        arguments: [
            (0, .none), (9.999, .none), (10, .low), (24.999, .low), (25, .moderate),
            (49.999, .moderate), (50, .good), (74.999, .good), (75, .excellent), (100, .excellent),
        ] as [(Double, Level)]
    )
    func levelIsEnteredAtItsBound(score: Double, level: Level) {
        expectEqual(bounds.level(of: score, previous: nil), level)
        expectEqual(bounds.level(of: score, previous: Level.none), level)
    }

    @Test(
        arguments: [
            (74.9, .excellent, .excellent), (72, .excellent, .excellent),
            (71.99, .excellent, .good),
            (47, .good, .good), (46.99, .good, .moderate), (22, .moderate, .moderate),
            (21.99, .moderate, .low), (7, .low, .low), (6.99, .low, .none),
            // A fall over several levels ends in the lowest whose leaving bound is not reached.
            (48, .excellent, .good), (46, .excellent, .moderate), (0, .excellent, .none),
            // A level below is no floor.
            (74.9, .good, .good), (80, .low, .excellent),
        ] as [(Double, Level, Level)]
    )
    func levelIsLeftThreePointsBelow(score: Double, previous: Level, level: Level) {
        expectEqual(bounds.level(of: score, previous: previous), level)
    }

    @Test(
        arguments: [
            (49.6, nil, 49), (50, nil, 50), (49.4, nil, 49), (9.5, nil, 9), (10.5, nil, 11),
            (46.6, .good, 46), (47.0, .good, 47), (47.4, .good, 47), (99.7, nil, 100),
            (0.4, nil, 0),
        ] as [(Double, Level?, Int)]
    )
    func shownScoreHasTheLevelOfTheScore(score: Double, previous: Level?, shown: Int) {
        expectEqual(bounds.shownScore(score, previous: previous), shown)
    }

    @Test func shownScoreAgreesWithItsLevelEverywhere() {
        for previous in [nil] + Level.allCases.map(Optional.some) {
            for tenth in 0...1000 {
                let score = Double(tenth) / 10
                let shown = Double(bounds.shownScore(score, previous: previous))
                expect(abs(shown - score) < 1)
                expectEqual(
                    bounds.level(of: shown, previous: previous),
                    bounds.level(of: score, previous: previous)
                )
            }
        }
    }

    @Test func boundsAscendWithRoomForTheMargin() {
        expect(LevelBounds(low: 5, moderate: 20, good: 40, excellent: 100) != nil)
        expect(LevelBounds(low: 3.1, moderate: 6.2, good: 9.3, excellent: 12.4) != nil)
        expectNil(LevelBounds(low: 3, moderate: 20, good: 40, excellent: 60))
        expectNil(LevelBounds(low: 10, moderate: 10, good: 40, excellent: 60))
        expectNil(LevelBounds(low: 10, moderate: 20, good: 40, excellent: 101))
        expectNil(LevelBounds(low: 10, moderate: 20, good: 40, excellent: 60, leaveMargin: -1))
        expectNil(LevelBounds(low: 10, moderate: 20, good: .nan, excellent: 60))
    }
}
