import Expectations

@testable import Aurora

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
        expectEqual(estimate(ages: [0, 0, 0]).value, 1)
        expectEqual(estimate(ages: [-3, -3, -3]).value, 1, "an age below 0 is 0")
    }

    @Test func eachTermDecaysWithItsOwnTimeConstant() {
        let e = 0.36787944117144233
        expect(abs(estimate(ages: [30, 0, 0]).value - (0.5 + 0.5 * e)) < 1e-12)
        expect(abs(estimate(ages: [0, 15, 0]).value - (0.65 + 0.35 * e)) < 1e-12)
        expect(abs(estimate(ages: [0, 0, 240]).value - (0.85 + 0.15 * e)) < 1e-12)
    }

    @Test func missingAndHeldInputsCostTheirWeight() {
        expect(abs(estimate(ages: [nil, 0, 0]).value - 0.5) < 1e-12)
        expect(abs(estimate(ages: [0, 0, 0], qualities: [1, 0.5, 1]).value - 0.825) < 1e-12)
        expectEqual(estimate(ages: [nil, nil, nil]).value, 0)
    }

    @Test(arguments: [(0, 1), (180, 1), (181, 0.9), (nil, 0.7)] as [(Int?, Double)])
    func oldOrMissingCloudLowersIt(age: Int?, factor: Double) {
        let estimate = estimate(ages: [0, 0, 0], cloud: age == nil ? nil : 0, cloudAge: age)
        expectEqual(estimate.cloudFactor, factor)
        expectEqual(estimate.value, factor)
    }

    @Test func certainNoIsTrusted() {
        expectEqual(estimate(ages: [nil, nil, nil], sun: 0).value, 0.95)
        expect(abs(estimate(ages: [nil, nil, nil], sun: -9).value - 0.475) < 1e-12)
        expectEqual(estimate(ages: [nil, nil, nil], cloud: 1).value, 0.95)
        expectEqual(estimate(ages: [nil, nil, nil], cloud: 1, cloudAge: 181).value, 0.95 * 0.9)
        expectEqual(estimate(ages: [nil, nil, nil], cloud: 0.94).value, 0)
    }

    @Test(
        arguments: [
            (1, .high), (0.75, .high), (0.7499, .medium), (0.4, .medium), (0.3999, .low), (0, .low),
        ] as [(Double, Confidence)]
    )
    func confidenceHasThreeWords(value: Double, confidence: Confidence) {
        expectEqual(Confidence(value: value), confidence)
    }
}
