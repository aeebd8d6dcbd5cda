import Glibc

/// The score of the aurora, 0…100, and the factors that it is the product of.
///
///     activity = 0.50 · ovation + 0.35 · coupling + 0.15 · kp
///     score    = 100 · activity · darkness · clearSky
///
/// A convention of this product, not a published formula: all factors are in the explanation. The
/// weights of inputs that are missing go to the others in proportion. Kp weighs little because
/// Tromsø lies under the oval at any Kp. Not modelled: the phase of a substorm, moonlight, and an
/// oval that a great storm has pushed south of the place.
package struct Score: Hashable, Sendable {
    /// The inputs; nil is missing or stale.
    package struct Inputs: Hashable, Sendable {
        /// The best value of the OVATION grid in sight, weighted by elevation, 0…100.
        package var ovation: Double?
        /// dΦ/dt, weighted over 4 hours.
        package var coupling: Double?
        package var kp: Double?
        /// The part of the sky that is covered, 0…1.
        package var cloud: Double?
        /// Degrees
        package var sunElevation: Double

        package init(
            ovation: Double?,
            coupling: Double?,
            kp: Double?,
            cloud: Double?,
            sunElevation: Double
        ) {
            self.ovation = ovation
            self.coupling = coupling
            self.kp = kp
            self.cloud = cloud
            self.sunElevation = sunElevation
        }
    }

    static let ovationWeight = 0.50
    static let couplingWeight = 0.35
    static let kWeight = 0.15

    /// 0…1 each; nil when its input is missing.
    package let ovation: Double?
    package let coupling: Double?
    package let kp: Double?
    /// The weighted mean of the three above; nil when all are missing.
    package let activity: Double?
    /// 0 above -6° of the sun, 1 below -12°.
    package let darkness: Double
    /// The chance to see through the clouds; nil when the cloud is missing, which counts as 1.
    package let clearSky: Double?
    /// The sum of the weights that were there, 0…1.
    package let weight: Double

    package init(_ inputs: Inputs) {
        ovation = inputs.ovation.map { min(1, max(0, ($0 - 3) / 47)) }
        coupling = inputs.coupling.map { 1 - exp(-$0 / 5000) }
        kp = inputs.kp.map { min(1, $0 / 6) }
        var mean = WeightedMean()
        let parts = [
            (ovation, Self.ovationWeight), (coupling, Self.couplingWeight), (kp, Self.kWeight),
        ]
        for case (let part?, let weight) in parts { mean.add(part, weight: weight) }
        activity = mean.value
        weight = mean.weight
        let dusk = min(1, max(0, (-6 - inputs.sunElevation) / 6))
        darkness = dusk * dusk * (3 - 2 * dusk)
        clearSky = inputs.cloud.map { 1 - pow(min(1, max(0, $0)), 1.5) }
    }

    /// 0…100, not rounded; 0 when nothing is known of the activity.
    package var value: Double {
        100 * (activity ?? 0) * visibility
    }

    /// How much of an aurora overhead could be seen, 0…1.
    package var visibility: Double { darkness * (clearSky ?? 1) }

    /// The least of the factors, or the missing activity where the others would allow a sight.
    package var limitingFactor: LimitingFactor {
        let sky = clearSky ?? 1
        let least = sky < darkness ? LimitingFactor.cloud : .darkness
        guard let activity else { return visibility < 0.1 ? least : .data }
        return activity < min(sky, darkness) ? .activity : least
    }
}

/// What keeps the score from being higher.
package enum LimitingFactor: String, CaseIterable, Sendable, Codable {
    case activity
    /// Too little of it: daylight or twilight.
    case darkness
    case cloud
    /// Nothing fresh is known of the activity.
    case data
}
