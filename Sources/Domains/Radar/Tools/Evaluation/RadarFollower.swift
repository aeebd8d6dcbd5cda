import Radar

/// The rules that are compared.
package enum SimulatedRule: String, CaseIterable, Sendable {
    /// The weighted mean of thirty days.
    case former
    /// `derivePosition`.
    case present
}

/// A radar that takes in simulated opinions as the hub does: one after the other, each with its derivation.
struct RadarFollower {
    let rule: SimulatedRule
    /// Whether every opinion is followed by a derivation, as in the hub; otherwise only the day is.
    var derivesEachOpinion = false
    private var opinions: [Opinion] = []
    private var segments = SegmentTable()
    private var radar: RadarState
    private(set) var probability = 0.0
    private(set) var certainty = PositionDerivation.Certainty.insufficient

    init(_ rule: SimulatedRule) {
        self.rule = rule
        let start = SimulatedRadar.time(day: 0)
        radar = RadarState(
            id: "radar",
            userID: "user",
            topic: "topic",
            interpretation: Interpretation(
                text: "topic",
                category: "other",
                tags: [],
                sentiment: .neutral,
                source: "lexical"
            ),
            createdAt: start,
            updatedAt: start
        )
    }

    var position: Stance { radar.position }

    mutating func take(_ new: [Opinion], day: Int) {
        let now = SimulatedRadar.time(day: day) + .seconds(86_399)
        switch rule {
        case .former:
            opinions += new
            let start = now - FormerRule.window
            opinions.removeAll { $0.createdAt < start }
            let result = FormerRule(opinions, previous: radar.position)
            radar.position = result.position
            (probability, certainty) = (result.probability, result.certainty)
        case .present:
            let start = RadarLimits.positionStart(now)
            opinions.removeAll { $0.createdAt < start }
            for opinion in new {
                add(opinion)
                if derivesEachOpinion { derive(now) }
            }
            derive(now)
        }
    }

    private mutating func add(_ opinion: Opinion) {
        var opinion = opinion
        if let source = opinion.source, let prompt = opinion.promptVersion {
            radar.segment = segments.segment(
                of: source,
                model: opinion.model,
                promptVersion: prompt,
                current: radar.segment
            )
        }
        opinion.segment = radar.segment
        opinions.append(opinion)
    }

    private mutating func derive(_ now: Timestamp) {
        let derivation = derivePosition(
            opinions,
            previous: radar.previousPosition(now: now),
            now: now,
            series: segments.series
        )
        _ = radar.take(derivation, now: now)
        (probability, certainty) = (derivation.probability, derivation.certainty)
    }
}
