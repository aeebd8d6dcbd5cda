import Testing
import Timekeeping

@testable import Aurora

@Suite("Score", .timeLimit(.minutes(10)))
struct ScoreTests {
    struct Case: Sendable {
        var name: String
        var inputs: Score.Inputs
        var activity: Double
        var darkness: Double
        var clearSky: Double
        var score: Double
        var level: Level
        var limitingFactor: LimitingFactor

        init(
            _ name: String,
            _ inputs: [Double],
            _ factors: [Double],
            _ score: Double,
            _ level: Level,
            _ limitingFactor: LimitingFactor
        ) {
            self.name = name
            self.inputs = Score.Inputs(
                ovation: inputs[0],
                coupling: inputs[1],
                kp: inputs[2],
                cloud: inputs[3],
                sunElevation: inputs[4]
            )
            (activity, darkness, clearSky) = (factors[0], factors[1], factors[2])
            self.score = score
            self.level = level
            self.limitingFactor = limitingFactor
        }
    }

    /// OVATION, coupling, Kp, cloud, sun; activity, darkness, clear sky; score.
    static let cases = [
        Case(
            "active, dark, clear",
            [35.92, 8714, 3.33, 0.03, -27.92],
            [0.722, 1, 0.995],
            71.8,
            .good,
            .activity
        ),
        Case(
            "quiet, dark, clear",
            [8.65, 1500, 1, 0.05, -28],
            [0.176, 1, 0.989],
            17.4,
            .low,
            .activity
        ),
        Case(
            "storm, dark, clear",
            [85, 40_000, 8.67, 0.10, -25],
            [1, 1, 0.968],
            96.8,
            .excellent,
            .cloud
        ),
        Case(
            "storm, dark, 60 % cloud",
            [85, 40_000, 8.67, 0.60, -25],
            [1, 1, 0.535],
            53.5,
            .good,
            .cloud
        ),
        Case(
            "storm, dark, overcast",
            [85, 40_000, 8.67, 1, -25],
            [1, 1, 0],
            0,
            .none,
            .cloud
        ),
        Case(
            "active, sun -8°",
            [35.92, 8714, 3.33, 0.03, -8],
            [0.722, 0.259, 0.995],
            18.6,
            .low,
            .darkness
        ),
        Case(
            "midnight sun",
            [8.65, 3250, 2, 0.05, 2.97],
            [0.277, 0, 0.989],
            0,
            .none,
            .darkness
        ),
    ]

    @Test(arguments: cases)
    func workedCase(_ example: Case) throws {
        let score = Score(example.inputs)
        #expect(abs(try #require(score.activity) - example.activity) < 0.0006)
        #expect(abs(score.darkness - example.darkness) < 0.0006)
        #expect(abs(try #require(score.clearSky) - example.clearSky) < 0.0006)
        #expect((score.value * 10).rounded() / 10 == example.score, "\(score.value)")
        #expect(LevelBounds.standard.level(of: score.value, previous: nil) == example.level)
        #expect(score.limitingFactor == example.limitingFactor)
    }

    private func score(
        ovation: Double? = nil,
        coupling: Double? = nil,
        kp: Double? = nil,
        cloud: Double? = 0,
        sun: Double = -20
    ) -> Score {
        Score(
            Score.Inputs(
                ovation: ovation,
                coupling: coupling,
                kp: kp,
                cloud: cloud,
                sunElevation: sun
            )
        )
    }

    @Test func missingPartsLeaveTheirWeightToTheOthers() throws {
        let all = score(ovation: 26.5, coupling: 5000, kp: 3)
        let (ovation, coupling) = (0.5, 1 - 0.36787944117144233)
        #expect(abs(try #require(all.activity) - (0.25 + 0.35 * coupling + 0.075)) < 1e-12)
        #expect(score(ovation: 26.5).activity == ovation)
        #expect(abs(try #require(score(coupling: 5000).activity) - coupling) < 1e-12)
        #expect(score(kp: 3).activity == 0.5)
        let two = try #require(score(ovation: 26.5, coupling: 5000).activity)
        #expect(abs(two - (0.5 * 0.5 + 0.35 * coupling) / 0.85) < 1e-12)
        #expect(score().activity == nil)
        #expect(score().value == 0)
    }

    /// `inputs` without those whose bits are set, of which the last value is still known.
    private func losing(_ bits: Int, of inputs: Score.Inputs) -> Score.Inputs {
        var inputs = inputs
        func lose(
            _ bit: Int,
            _ part: WritableKeyPath<Score.Inputs, Double?>,
            _ lost: WritableKeyPath<Score.Lost, Double?>
        ) {
            guard bits & 1 << bit != 0 else { return }
            inputs.lost[keyPath: lost] = inputs[keyPath: part]
            inputs[keyPath: part] = nil
        }
        lose(0, \.ovation, \.ovation)
        lose(1, \.coupling, \.coupling)
        lose(2, \.kp, \.kp)
        lose(3, \.cloud, \.cloud)
        return inputs
    }

    @Test func inputThatIsLostNeverRaisesTheScore() {
        let values = [0.0, 2, 3.5, 20, 60, 3000, 20_000]
        for ovation in values.prefix(5) {
            for coupling in values {
                for kp in [0.0, 1.67, 6, 9] {
                    for cloud in [0.0, 0.4, 1] {
                        let whole = Score.Inputs(
                            ovation: ovation,
                            coupling: coupling,
                            kp: kp,
                            cloud: cloud,
                            sunElevation: -20
                        )
                        let scores = (0..<16).map { Score(losing($0, of: whole)).value }
                        for bits in 0..<16 {
                            for another in 0..<4 {
                                let more = scores[bits | 1 << another]
                                #expect(more <= scores[bits] + 1e-9, "\(whole) \(bits) \(another)")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func lostPartCountsOnlyWhereItLowersTheActivity() throws {
        var inputs = Score.Inputs(
            ovation: 26.5,
            coupling: nil,
            kp: nil,
            cloud: 0,
            sunElevation: -20
        )
        inputs.lost.coupling = 1e9
        #expect(Score(inputs).activity == 0.5, "a storm of long ago raises nothing")
        #expect(Score(inputs).coupling == nil)
        inputs.lost.coupling = 0
        inputs.lost.kp = 3
        let lowered = Score(inputs)
        #expect(abs(try #require(lowered.activity) - 0.25 / 0.85) < 1e-12)
        #expect(lowered.coupling == 0)
        #expect(lowered.kp == nil, "it is above the mean of the others")
        #expect(abs(lowered.weight - 0.85) < 1e-12)
        inputs.ovation = nil
        #expect(Score(inputs).activity == nil, "nothing fresh")
    }

    @Test func lostCloudStillHidesTheSkyButIsNotKnown() {
        var inputs = Score.Inputs(
            ovation: 50,
            coupling: nil,
            kp: nil,
            cloud: nil,
            sunElevation: -20
        )
        inputs.lost.cloud = 1
        let score = Score(inputs)
        #expect(score.value == 0)
        #expect(score.limitingFactor == .cloud)
        #expect(Visibility(score) == .unknown)
    }

    @Test func partsStayBetweenNothingAndAll() {
        #expect(score(ovation: 0).ovation == 0)
        #expect(score(ovation: 3).ovation == 0)
        #expect(score(ovation: 50).ovation == 1)
        #expect(score(ovation: 100).ovation == 1)
        #expect(score(kp: 6).kp == 1)
        #expect(score(kp: 9).kp == 1)
        #expect(score(coupling: 0).coupling == 0)
        #expect(score(coupling: 1e9).coupling == 1)
    }

    @Test(
        arguments: [
            (90, 0), (-6, 0), (-9, 0.5), (-12, 1), (-40, 1), (-7.5, 0.15625),
        ] as [(Double, Double)]
    )
    func darknessRisesBetweenCivilAndNauticalTwilight(sun: Double, darkness: Double) {
        #expect(score(sun: sun).darkness == darkness)
    }

    @Test func missingCloudCountsAsClearAndIsNoFactor() {
        let score = score(ovation: 50, cloud: nil)
        #expect(score.clearSky == nil)
        #expect(score.value == 100)
        #expect(Visibility(score) == .unknown)
    }

    @Test func missingActivityLimitsOnlyWhereTheSkyWouldAllow() {
        #expect(score().limitingFactor == .data)
        #expect(score(cloud: nil).limitingFactor == .data)
        #expect(score(cloud: 1).limitingFactor == .cloud)
        #expect(score(sun: 0).limitingFactor == .darkness)
        #expect(score(cloud: 1, sun: -5).limitingFactor == .darkness)
    }

    @Test(arguments: [
        (0.0, -20.0, Visibility.excellent), (0.13, -20, .excellent), (0.14, -20, .good),
        (0.25, -20, .good), (0.44, -20, .good), (0.45, -20, .moderate), (0.78, -20, .moderate),
        (0.79, -20, .poor), (0.96, -20, .poor), (0.97, -20, .none), (1, -20, .none),
        (0, -6, .none), (0, -8, .poor),
    ])
    func visibilityIsDarknessTimesClearSky(cloud: Double, sun: Double, visibility: Visibility) {
        #expect(Visibility(score(ovation: 50, cloud: cloud, sun: sun)) == visibility)
    }

    @Test func daylightIsVisibleNothingEvenWithoutCloudData() {
        #expect(Visibility(score(cloud: nil, sun: 10)) == .none)
    }
}

@Suite("Levels", .timeLimit(.minutes(10)))
struct LevelTests {
    private let bounds = LevelBounds.standard

    @Test func levelsAscend() {
        #expect(Level.allCases == Level.allCases.sorted())
        #expect(Level.allCases.map(\.rawValue) == ["none", "low", "moderate", "good", "excellent"])
    }

    @Test(
        arguments: [
            (0, .none), (9.999, .none), (10, .low), (24.999, .low), (25, .moderate),
            (49.999, .moderate), (50, .good), (74.999, .good), (75, .excellent), (100, .excellent),
        ] as [(Double, Level)]
    )
    func levelIsEnteredAtItsBound(score: Double, level: Level) {
        #expect(bounds.level(of: score, previous: nil) == level)
        #expect(bounds.level(of: score, previous: Level.none) == level)
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
        #expect(bounds.level(of: score, previous: previous) == level)
    }

    @Test(
        arguments: [
            (49.6, nil, 49), (50, nil, 50), (49.4, nil, 49), (9.5, nil, 9), (10.5, nil, 11),
            (46.6, .good, 46), (47.0, .good, 47), (47.4, .good, 47), (99.7, nil, 100),
            (0.4, nil, 0),
        ] as [(Double, Level?, Int)]
    )
    func shownScoreHasTheLevelOfTheScore(score: Double, previous: Level?, shown: Int) {
        #expect(bounds.shownScore(score, previous: previous) == shown)
    }

    @Test func shownScoreAgreesWithItsLevelEverywhere() {
        for previous in [nil] + Level.allCases.map(Optional.some) {
            for tenth in 0...1000 {
                let score = Double(tenth) / 10
                let shown = Double(bounds.shownScore(score, previous: previous))
                #expect(abs(shown - score) < 1)
                #expect(
                    bounds.level(of: shown, previous: previous)
                        == bounds.level(of: score, previous: previous)
                )
            }
        }
    }

    @Test func boundsAscendWithRoomForTheMargin() {
        #expect(LevelBounds(low: 5, moderate: 20, good: 40, excellent: 100) != nil)
        #expect(LevelBounds(low: 3.1, moderate: 6.2, good: 9.3, excellent: 12.4) != nil)
        #expect(LevelBounds(low: 3, moderate: 20, good: 40, excellent: 60) == nil)
        #expect(LevelBounds(low: 10, moderate: 10, good: 40, excellent: 60) == nil)
        #expect(LevelBounds(low: 10, moderate: 20, good: 40, excellent: 101) == nil)
        #expect(
            LevelBounds(low: 10, moderate: 20, good: 40, excellent: 60, leaveMargin: -1) == nil
        )
        #expect(
            LevelBounds(low: 10, moderate: 20, good: .nan, excellent: 60) == nil
        )
    }
}

@Suite("Confidence", .timeLimit(.minutes(10)))
struct ConfidenceTests {
    private func estimate(
        ages: [Int?],
        qualities: [Double] = [1, 1, 1],
        cloud: Double? = 0,
        cloudAge: Int? = 0,
        sun: Double = -20
    ) -> ConfidenceEstimate {
        let weights = [0.5, 0.35, 0.15]
        let minutes = [30, 15, 240]
        let terms = (0..<3).map {
            ConfidenceEstimate.Term(
                name: "\($0)",
                weight: weights[$0],
                quality: qualities[$0],
                age: ages[$0].map { .seconds(60 * $0) },
                timeConstant: .seconds(60 * minutes[$0])
            )
        }
        let score = Score(
            Score.Inputs(ovation: 50, coupling: 0, kp: 0, cloud: cloud, sunElevation: sun)
        )
        return ConfidenceEstimate(
            terms: terms,
            score: score,
            cloud: cloud,
            cloudAge: cloudAge.map { .seconds(60 * $0) }
        )
    }

    @Test func allFreshIsCertain() {
        #expect(estimate(ages: [0, 0, 0]).value == 1)
        #expect(estimate(ages: [-3, -3, -3]).value == 1, "an age below 0 is 0")
    }

    @Test func eachTermDecaysWithItsOwnTimeConstant() {
        let e = 0.36787944117144233
        #expect(abs(estimate(ages: [30, 0, 0]).value - (0.5 + 0.5 * e)) < 1e-12)
        #expect(abs(estimate(ages: [0, 15, 0]).value - (0.65 + 0.35 * e)) < 1e-12)
        #expect(abs(estimate(ages: [0, 0, 240]).value - (0.85 + 0.15 * e)) < 1e-12)
    }

    @Test func missingAndHeldInputsCostTheirWeight() {
        #expect(abs(estimate(ages: [nil, 0, 0]).value - 0.5) < 1e-12)
        #expect(abs(estimate(ages: [0, 0, 0], qualities: [1, 0.5, 1]).value - 0.825) < 1e-12)
        #expect(estimate(ages: [nil, nil, nil]).value == 0)
    }

    @Test(arguments: [(0, 1), (180, 1), (181, 0.9), (nil, 0.7)] as [(Int?, Double)])
    func oldOrMissingCloudLowersIt(age: Int?, factor: Double) {
        let estimate = estimate(ages: [0, 0, 0], cloud: age == nil ? nil : 0, cloudAge: age)
        #expect(estimate.cloudFactor == factor)
        #expect(estimate.value == factor)
    }

    @Test func certainNoIsTrusted() {
        #expect(estimate(ages: [nil, nil, nil], sun: 0).value == 0.95)
        #expect(abs(estimate(ages: [nil, nil, nil], sun: -9).value - 0.475) < 1e-12)
        #expect(estimate(ages: [nil, nil, nil], cloud: 1).value == 0.95)
        #expect(estimate(ages: [nil, nil, nil], cloud: 1, cloudAge: 181).value == 0.95 * 0.9)
        #expect(estimate(ages: [nil, nil, nil], cloud: 0.94).value == 0)
    }

    @Test(
        arguments: [
            (1, .high), (0.75, .high), (0.7499, .medium), (0.4, .medium), (0.3999, .low), (0, .low),
        ] as [(Double, Confidence)]
    )
    func confidenceHasThreeWords(value: Double, confidence: Confidence) {
        #expect(Confidence(value: value) == confidence)
    }
}
