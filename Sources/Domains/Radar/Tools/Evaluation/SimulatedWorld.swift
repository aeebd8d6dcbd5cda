import Radar

/// A topic with a distribution of stances among all providers, of which a radar asks a few.
///
/// Providers scatter around the topic, and sources around their provider. So a world has the
/// position that all providers together would have, which the asked ones may miss. Sources fail,
/// repeat themselves, are replaced, contradict each other and state confidences of little value;
/// half of the worlds change.
struct SimulatedWorld {
    private(set) var radar: SimulatedRadar
    /// Of all providers before the change.
    private let topic: StanceTally

    /// Concentrations of Dirichlet's distribution: providers mostly have one stance, and their models
    /// mostly share it.
    static let providerConcentration = 1.0
    static let sourceConcentration = 2.0
    static let days = 120

    init(_ random: inout SimulationRandom) {
        let uniform = StanceTally(for: 1, against: 1, neutral: 0.7)
        topic = random.distribution(around: uniform, concentration: 1)
        var sources: [SimulatedSource] = []
        for number in 0..<random.element(of: [1, 1, 2, 3, 3, 4, 6, 8]) {
            let provider = random.distribution(
                around: topic,
                concentration: SimulatedWorld.providerConcentration
            )
            for _ in 0..<(random.isTrue(0.3) ? 2 : 1) {
                let answers = random.distribution(
                    around: provider,
                    concentration: SimulatedWorld.sourceConcentration
                )
                sources.append(
                    SimulatedWorld.source(answers, provider: "provider \(number)", &random)
                )
            }
        }
        radar = SimulatedRadar(sources, change: SimulatedWorld.change(&random))
    }

    private static func source(
        _ answers: StanceTally,
        provider: String,
        _ random: inout SimulationRandom
    ) -> SimulatedSource {
        var source = SimulatedSource(answers, provider: provider)
        if random.isTrue(0.2) { source.answersPerDay = 3 }
        source.failure = random.isTrue(0.5) ? random.fraction() * 0.4 : 0
        if random.isTrue(0.1) { source.endDay = Int.random(in: 20..<days, using: &random) }
        if random.isTrue(0.15) { source.replacedEvery = Int.random(in: 20..<60, using: &random) }
        if random.isTrue(0.8) { source.confidence = 0.6 + random.fraction() * 0.35 }
        return source
    }

    private static func change(_ random: inout SimulationRandom) -> SimulatedChange {
        guard random.isTrue(0.5) else { return .none }
        let day = Int.random(in: 20..<100, using: &random)
        return random.isTrue(0.3) ? .drift(day: day, days: 30) : .reversal(day: day)
    }

    /// That of all providers.
    func position(day: Int) -> Stance {
        RadarTools.position(ofScore: radar.change.applied(to: topic, day: day).score)
    }
}
