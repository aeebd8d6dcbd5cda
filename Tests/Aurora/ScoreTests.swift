import Expectations

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
        try expect(abs(require(score.activity) - example.activity) < 0.0006)
        expect(abs(score.darkness - example.darkness) < 0.0006)
        try expect(abs(require(score.clearSky) - example.clearSky) < 0.0006)
        expectEqual((score.value * 10).rounded() / 10, example.score, "\(score.value)")
        expectEqual(LevelBounds.standard.level(of: score.value, previous: nil), example.level)
        expectEqual(score.limitingFactor, example.limitingFactor)
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
        try expect(abs(require(all.activity) - (0.25 + 0.35 * coupling + 0.075)) < 1e-12)
        expectEqual(score(ovation: 26.5).activity, ovation)
        try expect(abs(require(score(coupling: 5000).activity) - coupling) < 1e-12)
        expectEqual(score(kp: 3).activity, 0.5)
        let two = try require(score(ovation: 26.5, coupling: 5000).activity)
        expect(abs(two - (0.5 * 0.5 + 0.35 * coupling) / 0.85) < 1e-12)
        expectNil(score().activity)
        expectEqual(score().value, 0)
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
                                expect(more <= scores[bits] + 1e-9, "\(whole) \(bits) \(another)")
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
        expectEqual(Score(inputs).activity, 0.5, "a storm of long ago raises nothing")
        expectNil(Score(inputs).coupling)
        inputs.lost.coupling = 0
        inputs.lost.kp = 3
        let lowered = Score(inputs)
        try expect(abs(require(lowered.activity) - 0.25 / 0.85) < 1e-12)
        expectEqual(lowered.coupling, 0)
        expectNil(lowered.kp, "it is above the mean of the others")
        expect(abs(lowered.weight - 0.85) < 1e-12)
        inputs.ovation = nil
        expectNil(Score(inputs).activity, "nothing fresh")
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
        expectEqual(score.value, 0)
        expectEqual(score.limitingFactor, .cloud)
        expectEqual(Visibility(score), .unknown)
    }

    @Test func partsStayBetweenNothingAndAll() {
        expectEqual(score(ovation: 0).ovation, 0)
        expectEqual(score(ovation: 3).ovation, 0)
        expectEqual(score(ovation: 50).ovation, 1)
        expectEqual(score(ovation: 100).ovation, 1)
        expectEqual(score(kp: 6).kp, 1)
        expectEqual(score(kp: 9).kp, 1)
        expectEqual(score(coupling: 0).coupling, 0)
        expectEqual(score(coupling: 1e9).coupling, 1)
    }

    @Test(
        arguments: [
            (90, 0), (-6, 0), (-9, 0.5), (-12, 1), (-40, 1), (-7.5, 0.15625),
        ] as [(Double, Double)]
    )
    func darknessRisesBetweenCivilAndNauticalTwilight(sun: Double, darkness: Double) {
        expectEqual(score(sun: sun).darkness, darkness)
    }

    @Test func missingCloudCountsAsClearAndIsNoFactor() {
        let score = score(ovation: 50, cloud: nil)
        expectNil(score.clearSky)
        expectEqual(score.value, 100)
        expectEqual(Visibility(score), .unknown)
    }

    @Test func missingActivityLimitsOnlyWhereTheSkyWouldAllow() {
        expectEqual(score().limitingFactor, .data)
        expectEqual(score(cloud: nil).limitingFactor, .data)
        expectEqual(score(cloud: 1).limitingFactor, .cloud)
        expectEqual(score(sun: 0).limitingFactor, .darkness)
        expectEqual(score(cloud: 1, sun: -5).limitingFactor, .darkness)
    }

    @Test(arguments: [
        (0.0, -20.0, Visibility.excellent), (0.13, -20, .excellent), (0.14, -20, .good),
        (0.25, -20, .good), (0.44, -20, .good), (0.45, -20, .moderate), (0.78, -20, .moderate),
        (0.79, -20, .poor), (0.96, -20, .poor), (0.97, -20, .none), (1, -20, .none),
        (0, -6, .none), (0, -8, .poor),
    ])
    func visibilityIsDarknessTimesClearSky(cloud: Double, sun: Double, visibility: Visibility) {
        expectEqual(Visibility(score(ovation: 50, cloud: cloud, sun: sun)), visibility)
    }

    @Test func daylightIsVisibleNothingEvenWithoutCloudData() {
        expectEqual(Visibility(score(cloud: nil, sun: 10)), .none)
    }
}
