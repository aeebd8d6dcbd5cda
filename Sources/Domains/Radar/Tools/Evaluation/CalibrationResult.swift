import Radar

/// The share of correct positions by their stated probability.
package struct CalibrationResult: Sendable {
    package struct Bin: Sendable {
        package private(set) var count = 0
        private var rightCount = 0
        private var probabilitySum = 0.0

        /// The mean of the stated probabilities.
        package var stated: Double { count > 0 ? probabilitySum / Double(count) : 0 }
        /// The part of the positions that were right.
        package var observed: Double { count > 0 ? Double(rightCount) / Double(count) : 0 }
        package var error: Double { abs(stated - observed) }

        mutating func add(_ probability: Double, isRight: Bool) {
            count += 1
            probabilitySum += probability
            if isRight { rightCount += 1 }
        }
    }

    /// Of a tenth each.
    package private(set) var bins = [Bin](repeating: Bin(), count: 10)
    package private(set) var byCertainty: [String: Bin] = [:]
    package private(set) var byProviders: [Int: Bin] = [:]
    /// Days on which a radar with one provider was `clear`.
    package private(set) var clearWithOneProvider = 0
    /// The sum of the squared errors of the probabilities.
    private var squares = 0.0

    /// A bin with a smaller part of the entries is shown and not judged.
    package static let populatedMin = 0.01

    /// - Parameters:
    ///   - firstSeed: so that a rule calibrated on some worlds is evaluated on others.
    ///   - worlds: the number of worlds.
    package init(_ rule: SimulatedRule, firstSeed: Int = 0, worlds: Int) {
        for seed in firstSeed..<(firstSeed + worlds) { addWorld(rule, seed) }
    }

    private mutating func addWorld(_ rule: SimulatedRule, _ seed: Int) {
        var random = SimulationRandom(seed: UInt64(seed) &* 15_485_863 &+ 11)
        let world = SimulatedWorld(&random)
        let providers = Set(world.radar.sources.map(\.provider)).count
        var follower = RadarFollower(rule)
        for day in 0..<SimulatedWorld.days {
            follower.take(world.radar.opinions(day: day, &random), day: day)
            // The days of one world are alike: the first ones, then some.
            guard day < 4 || day % 4 == 0 else { continue }
            let isRight = follower.position == world.position(day: day)
            let probability = follower.probability
            bins[min(9, Int(probability * 10))].add(probability, isRight: isRight)
            byProviders[providers, default: Bin()].add(probability, isRight: isRight)
            byCertainty[follower.certainty.rawValue, default: Bin()]
                .add(probability, isRight: isRight)
            let error = probability - (isRight ? 1 : 0)
            squares += error * error
            if providers == 1, follower.certainty == .clear { clearWithOneProvider += 1 }
        }
    }

    package var count: Int { bins.reduce(0) { $0 + $1.count } }

    /// The mean squared error of the stated probabilities.
    package var brierScore: Double { count > 0 ? squares / Double(count) : 0 }

    /// The greatest error of a bin with enough entries.
    package var errorMax: Double {
        let countMin = CalibrationResult.populatedMin * Double(count)
        return bins.filter { $0.count > 0 && Double($0.count) >= countMin }.map(\.error).max() ?? 0
    }
}
