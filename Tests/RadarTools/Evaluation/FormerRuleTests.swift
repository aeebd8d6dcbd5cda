import Expectations
import Radar

@testable import RadarTools

@Suite("Former rule: the baseline is what the hub did", .timeLimit(.minutes(10)))
struct FormerRuleTests {
    private func opinion(_ stance: Stance, _ confidence: Double, _ provider: String) -> Opinion {
        Opinion(
            id: "o",
            radarID: "r",
            author: provider,
            model: "m",
            content: "c",
            stance: stance,
            confidence: confidence,
            createdAt: SimulatedRadar.time(day: 0),
            provider: provider
        )
    }

    /// The reference computation: E = 0.2727, standard deviation 0.3471.
    @Test func sixProvidersLeanForAndAreUncertain() {
        let six = [
            opinion(.for, 0.9, "a"), opinion(.for, 0.6, "b"), opinion(.against, 0.55, "c"),
            opinion(.neutral, 0.7, "d"), opinion(.for, 0.8, "e"), opinion(.against, 0.4, "f"),
        ]
        let rule = FormerRule(six, previous: .neutral)
        expectEqual(rule.position, .for)
        expectEqual(rule.certainty, .uncertain)
        // Φ((0.2727 − 0.2) / 0.3471)
        expect(abs(rule.probability - 0.583) < 1e-3)
    }

    @Test func twoOpinionsHoldThePosition() {
        let two = [opinion(.for, 0.9, "a"), opinion(.for, 0.6, "b")]
        expectEqual(FormerRule(two, previous: .against).position, .against)
        expectEqual(FormerRule(two, previous: .against).certainty, .insufficient)
        expectEqual(FormerRule([], previous: .for).position, .for)
    }

    @Test func repetitionCounted() {
        let same = [Opinion](repeating: opinion(.for, 0.9, "a"), count: 3)
        let rule = FormerRule(same, previous: .neutral)
        expectEqual(rule.position, .for)
        expectEqual(rule.certainty, .clear)
    }

    /// Scores of 0.2, 0.1667 and 0.1.
    @Test(arguments: [
        ([0.3, 0.3, 0.3, 0.3, 0.3], Stance.neutral, Stance.for),
        ([0.7, 0.5, 0.7, 0.5], .for, .for), ([0.7, 0.5, 0.7, 0.5], .neutral, .neutral),
        ([0.55, 0.45, 0.55, 0.45], .for, .neutral),
    ])
    func sideIsTakenAndLeftAtItsBounds(weights: [Double], previous: Stance, position: Stance) {
        let opinions = weights.enumerated().map {
            opinion($0 % 2 == 0 ? .for : .against, $1, "\($0)")
        }
        expectEqual(FormerRule(opinions, previous: previous).position, position)
    }

    @Test func reversalOfOneSourceIsFoundAfterEighteenDays() throws {
        let scenario = try require(PositionScenario.all.first)
        let result = ScenarioResult(scenario, .former, seeds: 2, quietDays: 0)
        expect(result.delays.allSatisfy { (17...19).contains($0) }, "\(result.delays)")
    }
}
