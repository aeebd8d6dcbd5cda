import Radar

/// Sources whose position is known, for the delay of a detection and for false flips.
package struct PositionScenario: Sendable {
    package var name: String
    package var sources: [SimulatedSource]
    /// The duration of the change that must be detected; 0 for a reversal from one day to the next.
    package var driftDays = 0
    /// Whether the sources nearly always give the same answer: the delay of a detection has a target.
    package var isConsistent = false

    package static let all = consistent + noisy + troubled

    private static let consistent: [PositionScenario] = [
        PositionScenario(
            name: "one source, always the same answer",
            sources: sources([1, 0, 0], 1),
            isConsistent: true
        ),
        PositionScenario(
            name: "three sources, always the same answer",
            sources: sources([1, 0, 0], 3),
            isConsistent: true
        ),
        PositionScenario(
            name: "five sources, 80 % for, 10 % against",
            sources: sources([0.8, 0.1, 0.1], 5),
            isConsistent: true
        ),
        PositionScenario(name: "one source, 95 % for", sources: sources([0.95, 0.05, 0], 1)),
        PositionScenario(name: "one source, 90 % for", sources: sources([0.9, 0.05, 0.05], 1)),
    ]

    private static let noisy: [PositionScenario] = [
        PositionScenario(name: "one source, 80 % for", sources: sources([0.8, 0.2, 0], 1)),
        PositionScenario(name: "one source, 70 % for", sources: sources([0.7, 0.3, 0], 1)),
        PositionScenario(
            name: "one source, 70 % for, 30 % neutral",
            sources: sources([0.7, 0, 0.3], 1)
        ),
        PositionScenario(
            name: "one source at the bound, 60 % for",
            sources: sources([0.6, 0.4, 0], 1)
        ),
        PositionScenario(
            name: "one divided source, 55 % for",
            sources: sources([0.55, 0.45, 0], 1)
        ),
        PositionScenario(name: "three sources, 70 % for", sources: sources([0.7, 0.3, 0], 3)),
    ]

    private static let troubled: [PositionScenario] = [
        PositionScenario(
            name: "two sources that contradict each other",
            sources: sources([1, 0, 0], 1) + sources([0, 1, 0], 1, firstProvider: 1)
        ),
        PositionScenario(
            name: "one source four times a day, 80 % for",
            sources: sources([0.8, 0.2, 0], 1) { $0.answersPerDay = 4 }
        ),
        PositionScenario(
            name: "three models of one provider, 80 % for",
            sources: sources([0.8, 0.2, 0], 3) { $0.provider = "provider" }
        ),
        PositionScenario(
            name: "three sources that fail every other day",
            sources: sources([0.9, 0.1, 0], 3) { $0.failure = 0.5 }
        ),
        PositionScenario(
            name: "three sources, one stops after a month",
            sources: sources([0.9, 0.1, 0], 2)
                + sources([0, 0.8, 0.2], 1, firstProvider: 2) { $0.endDay = 30 }
        ),
        PositionScenario(
            name: "one source, replaced every 40 days, 90 % for",
            sources: sources([0.9, 0.05, 0.05], 1) { $0.replacedEvery = 40 }
        ),
        PositionScenario(
            name: "one source that drifts for 30 days",
            sources: sources([0.95, 0.05, 0], 1),
            driftDays: 30
        ),
    ]

    private static func sources(
        _ shares: [Double],
        _ count: Int,
        firstProvider: Int = 0,
        _ change: (inout SimulatedSource) -> Void = { _ in }
    ) -> [SimulatedSource] {
        let answers = StanceTally(for: shares[0], against: shares[1], neutral: shares[2])
        return (0..<count).map { index in
            var source = SimulatedSource(answers, provider: "provider \(firstProvider + index)")
            source.confidence = 0.85
            change(&source)
            return source
        }
    }
}
