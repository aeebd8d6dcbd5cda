import Glibc

/// The importance of a story, in bits: one more is twice as important.
///
/// The importance does not depend on the present time. The rank key includes the age.
package struct Importance: Equatable, Sendable {
    package enum Part: CaseIterable, Sendable {
        case owners, velocity, source, novelty
    }

    /// The bits of each part.
    package let parts: [Part: Double]

    package init(_ evidence: StoryEvidence) {
        parts = [
            .owners: Importance.ownersFactor * log2(1 + evidence.ownerWeight),
            .velocity: Importance.velocityFactor * log2(1 + Double(evidence.peakOwnerCount)),
            .source: Importance.sourceFactor * log2(evidence.weightMax),
            .novelty: Importance.noveltyFactor * evidence.novelty,
        ]
    }

    // Set by judgement and checked on simulated stories: docs/DECISIONS/025-news-signals.md.
    static let ownersFactor = 1.0
    static let velocityFactor = 0.5
    static let sourceFactor = 0.5
    static let noveltyFactor = 1.0

    /// The sum of the parts.
    package var bits: Double {
        Part.allCases.reduce(0) { $0 + (parts[$1] ?? 0) }
    }

    /// The key by which a list is ordered, the largest first: `bits` and one more for each
    /// half-life that the story began later.
    ///
    /// The remaining importance at a time is `2^(bits - age / halfLife)`. Its logarithm differs
    /// from the key by the same amount for all stories, so the order by key is the order by
    /// remaining importance, at any time. That needs one half-life for all stories of a list:
    /// `RankHalfLife`.
    package func rankKey(startedAt start: Timestamp, halfLife: Duration) -> Double {
        bits + (start - RankHalfLife.origin).inSeconds / halfLife.inSeconds
    }
}

/// The rates at which stories age.
package enum RankHalfLife {
    /// In lists of stories of all categories.
    package static let mixed = Duration.seconds(12 * 3600)

    /// In lists of one category. Keys of two categories cannot be compared.
    package static func of(_ category: NewsCategory) -> Duration {
        let hours =
            switch category {
            case .sports: 8
            case .general, .business: 12
            case .entertainment: 18
            case .technology: 24
            case .health: 36
            case .science: 48
            }
        return .seconds(hours * 3600)
    }

    /// 2024-01-01T00:00:00Z. Keys keep their precision near it: a double of ten thousand half-lives
    /// still has 2^-39 of one.
    package static let origin = Timestamp(milliseconds: 1_704_067_200_000)
}
