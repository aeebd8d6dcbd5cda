import Glibc

/// The confidence in a score, in the words of the contract.
package enum Confidence: String, CaseIterable, Sendable, Codable {
    case low, medium, high

    /// - Parameter value: 0…1
    package init(value: Double) {
        switch value {
        case 0.75...: self = .high
        case 0.4...: self = .medium
        default: self = .low
        }
    }
}

/// The confidence as a number with its terms: the weighted mean of quality · exp(-age /
/// timeConstant) of the inputs of the activity, times `cloudFactor`, but at least `certainNo`.
package struct ConfidenceEstimate: Hashable, Sendable {
    /// The contribution of one input of the activity to the confidence.
    package struct Term: Hashable, Sendable {
        package var name: String
        package var weight: Double
        /// 1 measured, 0.5 held or forecast, 0 missing or stale.
        package var quality: Double
        package var age: Duration?
        /// The age at which the term has fallen to 1/e.
        package var timeConstant: Duration

        package var value: Double {
            guard let age else { return 0 }
            return quality * exp(-max(0, age.inSeconds) / timeConstant.inSeconds)
        }
    }

    package let terms: [Term]
    /// 1 fresh, 0.9 from an old model run, 0.7 missing.
    package let cloudFactor: Double
    /// The certainty that nothing can be seen, regardless of the activity: daylight or overcast.
    package let certainNo: Double

    /// - Parameters:
    ///   - cloudAge: since the run of the weather model; nil when the cloud is missing.
    ///   - cloud: the part of the sky that is covered, 0…1.
    init(terms: [Term], score: Score, cloud: Double?, cloudAge: Duration?) {
        self.terms = terms
        cloudFactor = Self.cloudFactor(age: cloudAge)
        let isOvercast = (cloud ?? 0) >= Self.overcast
        let blocked = isOvercast ? (1 - (score.clearSky ?? 1)) * cloudFactor : 0
        certainNo = Self.certainty * max(1 - score.darkness, blocked)
    }

    /// 0…1
    package var value: Double {
        var mean = WeightedMean()
        for term in terms { mean.add(term.value, weight: term.weight) }
        return max((mean.value ?? 0) * cloudFactor, certainNo)
    }

    /// - Parameter age: of the run of the weather model; nil when the cloud is missing.
    static func cloudFactor(age: Duration?) -> Double {
        guard let age else { return missingCloud }
        return age > AuroraLimits.weatherRunAgeMax ? oldCloud : 1
    }

    private static let oldCloud = 0.9
    private static let missingCloud = 0.7
    static let certainty = 0.95
    /// Seven oktas and a half: practically no gap.
    private static let overcast = 0.95
}
