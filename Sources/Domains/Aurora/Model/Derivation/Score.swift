import Glibc

/// The score of the aurora, 0…100, and the factors whose product it is.
///
///     activity = min(0.50 · ovation + 0.35 · coupling + 0.15 · kp, bound)
///     score    = 100 · activity · darkness · clearSky
///
/// A convention of this product, not a published formula: all factors are in the explanation. The
/// weights of inputs that are missing go to the others in proportion. Kp weighs little because
/// Tromsø lies under the oval at any Kp. The coupling and Kp are those of the whole Earth: the bound
/// is 0 where the oval is out of sight of the place. Not modelled: the phase of a substorm, and
/// moonlight.
///
/// **Lost inputs never raise the score.** If the data of a quiet wind are lost, its weight would go
/// to a bright grid. So the last known value of a lost input still counts if it lowers the score:
/// the activity is the lowest mean of all fresh inputs with any of the lost ones.
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
        /// The brightest part of the oval in sight, 0…100 as `ovation`: `OvalSight`. Nil sets no
        /// bound.
        package var sight: Double?
        package var lost = Lost()

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

    /// The last known values of inputs that are missing or stale; nil for inputs that are neither,
    /// and for those that never had a value.
    package struct Lost: Hashable, Sendable {
        package var ovation: Double?
        package var coupling: Double?
        package var kp: Double?
        package var cloud: Double?

        package init() {}
    }

    /// The difference of a measured score from the expected one, which a coming score begins with.
    package struct Departure: Hashable, Sendable {
        /// Of the weighted mean.
        var mean = 0.0
        var bound = 0.0

        /// The part that is left of it, 0…1.
        func reduced(to share: Double) -> Departure {
            Departure(mean: mean * share, bound: bound * share)
        }
    }

    static let ovationWeight = 0.50
    static let couplingWeight = 0.35
    static let kWeight = 0.15

    /// 0…1 each; nil when its input is missing. One that is lost is here where it lowers the activity.
    package let ovation: Double?
    package let coupling: Double?
    package let kp: Double?
    /// The weighted mean of the three above; nil when none of them is fresh.
    let mean: Double?
    /// The mean, at most `bound`; nil when none of the three is fresh.
    package let activity: Double?
    /// The greatest activity that the oval in sight allows, 0…1.
    package let bound: Double
    /// 0 above -6° of the sun, 1 below -12°.
    package let darkness: Double
    /// The chance to see through the clouds as they are, or last were; nil when nothing is known of them,
    /// which counts as 1.
    package let clearSky: Double?
    /// Whether that is the sky of now.
    package let isCloudKnown: Bool
    /// The sum of the weights of the three that are there, 0…1.
    package let weight: Double

    /// - Parameter departure: added to the mean and the bound of a coming hour, within 0…1; nothing for
    ///   measured values.
    package init(_ inputs: Inputs, departure: Departure = Departure()) {
        let fresh = Parts(inputs.ovation, inputs.coupling, inputs.kp)
        let lost = Parts(inputs.lost.ovation, inputs.lost.coupling, inputs.lost.kp)
        let parts = fresh.lowered(by: lost)
        (ovation, coupling, kp) = (parts.ovation, parts.coupling, parts.kp)
        mean = parts.mean.value.map { min(1, max(0, $0 + departure.mean)) }
        bound = min(1, max(0, Score.bound(sight: inputs.sight) + departure.bound))
        activity = mean.map { [bound] in min($0, bound) }
        weight = parts.mean.weight
        darkness = Score.darkness(sunElevation: inputs.sunElevation)
        isCloudKnown = inputs.cloud != nil
        clearSky = (inputs.cloud ?? inputs.lost.cloud).map { 1 - pow(min(1, max(0, $0)), 1.5) }
    }

    /// 0…1: nothing up to the least index of a grid, everything from 10 on, from where an aurora is
    /// visible (`OvalMap`).
    ///
    /// `ScorePlaceTests` compares it with the view line of recorded grids.
    private static func bound(sight: Double?) -> Double {
        sight.map { min(1, max(0, ($0 - sightMin) / (sightOfAll - sightMin))) } ?? 1
    }

    private static let sightMin = 1.0
    private static let sightOfAll = 10.0

    /// 0…1, of degrees.
    static func darkness(sunElevation: Double) -> Double {
        let dusk = min(1, max(0, (-6 - sunElevation) / 6))
        return dusk * dusk * (3 - 2 * dusk)
    }

    /// 0…100, not rounded; 0 when nothing is known of the activity.
    package var value: Double {
        100 * (activity ?? 0) * visibility
    }

    /// The visible share of an aurora overhead, 0…1.
    package var visibility: Double { darkness * (clearSky ?? 1) }

    /// The least of the factors, or the missing activity where the others would allow a sight.
    package var limitingFactor: LimitingFactor {
        let sky = clearSky ?? 1
        let least = sky < darkness ? LimitingFactor.cloud : .darkness
        guard let activity else { return visibility < 0.1 ? least : .data }
        return activity < min(sky, darkness) ? .activity : least
    }
}

/// The factor that limits the score.
package enum LimitingFactor: String, CaseIterable, Sendable, Codable {
    case activity
    /// Too little of it: daylight or twilight.
    case darkness
    case cloud
    /// Nothing fresh is known of the activity.
    case data
}

/// The parts of the activity, 0…1 each; nil where their input is missing.
private struct Parts {
    private(set) var ovation: Double?
    private(set) var coupling: Double?
    private(set) var kp: Double?

    init(_ ovation: Double?, _ coupling: Double?, _ kp: Double?) {
        self.ovation = ovation.map { min(1, max(0, ($0 - 3) / 47)) }
        self.coupling = coupling.map { 1 - exp(-$0 / 5000) }
        self.kp = kp.map { min(1, $0 / 6) }
    }

    private static var all: [(part: WritableKeyPath<Parts, Double?>, weight: Double)] {
        [
            (\.ovation, Score.ovationWeight), (\.coupling, Score.couplingWeight),
            (\.kp, Score.kWeight),
        ]
    }

    var mean: WeightedMean {
        var mean = WeightedMean()
        for (part, weight) in Parts.all {
            if let value = self[keyPath: part] { mean.add(value, weight: weight) }
        }
        return mean
    }

    /// With those of the lost that lower the mean. The least come first: once one of them does not, none
    /// of the others does.
    func lowered(by lost: Parts) -> Parts {
        var parts = self
        let candidates = Parts.all.compactMap { part, _ in
            parts[keyPath: part] == nil ? lost[keyPath: part].map { (part, $0) } : nil
        }
        for (part, value) in candidates.sorted(by: { $0.1 < $1.1 }) {
            guard let mean = parts.mean.value, value < mean else { break }
            parts[keyPath: part] = value
        }
        return parts
    }
}
