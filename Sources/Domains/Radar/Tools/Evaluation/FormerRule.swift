import Glibc
import Radar

/// The position as it was derived before: the baseline that the present rule is compared with.
///
/// The score is the mean of the stances of thirty days, weighted by the stated confidence, with at
/// most two fifths for one provider. A side is taken from 0.2 on and left below 0.15; with an
/// effective sample size below 3 the position does not change.
struct FormerRule {
    static let window = Duration.seconds(30 * 86_400)

    let position: Stance
    let certainty: PositionDerivation.Certainty
    /// It stated none; this is the probability that its expectation and deviation give the position.
    let probability: Double

    init(_ opinions: [Opinion], previous: Stance) {
        let totals = opinions.reduce(into: [String: Double]()) {
            $0[$1.provider, default: 0] += $1.confidence
        }
        let cap = ProviderCap(totals: totals)
        var weights = StanceTally()
        var squares = 0.0
        for opinion in opinions {
            let weight = opinion.confidence * cap.factor(opinion.provider)
            weights[opinion.stance] += weight
            squares += weight * weight
        }
        let score = weights.score
        let size = squares > 0 ? weights.sum * weights.sum / squares : 0
        let tolerance = 1e-9
        let isSufficient = size > 3 - tolerance
        position =
            isSufficient
            ? FormerRule.position(score: score, previous: previous, tolerance) : previous
        let concentration = weights.sum + 1
        let mean = (weights.for - weights.against) / concentration
        let spread = (weights.for + weights.against + 2.0 / 3) / concentration - mean * mean
        let deviation = (max(0, spread) / (concentration + 1)).squareRoot()
        certainty =
            !isSufficient ? .insufficient : abs(mean) <= deviation ? .uncertain : .clear
        func above(_ bound: Double) -> Double {
            erfc((bound - mean) / deviation / 2.0.squareRoot()) / 2
        }
        let bound = PositionRule.leaningMin
        switch position {
        case .for: probability = above(bound)
        case .against: probability = 1 - above(-bound)
        case .neutral: probability = above(-bound) - above(bound)
        }
    }

    private static func position(
        score: Double,
        previous: Stance,
        _ tolerance: Double
    ) -> Stance {
        let side: Stance = score < 0 ? .against : .for
        if abs(score) > 0.2 - tolerance { return side }
        return side == previous && abs(score) > 0.15 - tolerance ? side : .neutral
    }
}
