/// One article of a story, as far as its importance depends on it.
package struct StoryReport: Hashable, Sendable {
    /// The publisher group: `ArticleSource.owner`.
    package var owner: String
    /// `ArticleSource.weight`
    package var weight: Double
    package var publishedAt: Timestamp

    package init(owner: String, weight: Double = 1, publishedAt: Timestamp) {
        self.owner = owner
        self.weight = weight
        self.publishedAt = publishedAt
    }
}

/// The inputs of a story's importance.
package struct StoryEvidence: Sendable {
    /// One less the largest cosine similarity to another open story: one that has
    /// received an article in the last three days.
    package let novelty: Double
    /// Distinct owners. Articles of one owner count once.
    package let ownerCount: Int
    /// The weights of the owners, each by its weightiest source.
    package let ownerWeight: Double
    package let weightMax: Double
    /// The most distinct owners within one hour.
    package let peakOwnerCount: Int
    package let firstReportAt: Timestamp
    package let lastReportAt: Timestamp

    /// From this novelty on, no other story of the last three days is about the same event.
    package static let noveltyOfFirstReport = 0.8
    /// Weights outside are replaced by the nearest bound: no single source of an operator decides.
    package static let weightBounds = 0.125...8.0
    package static let peakWindow = Duration.seconds(3600)

    /// Nil without reports. A novelty outside 0…1, or none, is taken as the nearest bound, or 0.
    package init?(reports: [StoryReport], novelty: Double) {
        let ordered = reports.sorted { $0.publishedAt < $1.publishedAt }
        guard let first = ordered.first, let last = ordered.last else { return nil }
        var weights: [String: Double] = [:]
        for report in ordered {
            let weight = StoryEvidence.bounded(report.weight)
            weights[report.owner] = max(weights[report.owner] ?? 0, weight)
        }
        self.novelty = novelty.isNaN ? 0 : min(max(novelty, 0), 1)
        ownerCount = weights.count
        // In the order of their names: a sum of floating-point numbers depends on its order.
        ownerWeight = weights.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
        weightMax = weights.values.max() ?? 1
        peakOwnerCount = StoryEvidence.peak(ordered)
        firstReportAt = first.publishedAt
        lastReportAt = last.publishedAt
    }

    package var isFirstReport: Bool { novelty >= StoryEvidence.noveltyOfFirstReport }

    private static func bounded(_ weight: Double) -> Double {
        weight.isNaN ? 1 : min(max(weight, weightBounds.lowerBound), weightBounds.upperBound)
    }

    private static func peak(_ ordered: [StoryReport]) -> Int {
        var counts: [String: Int] = [:]
        var start = 0
        var peak = 0
        for report in ordered {
            counts[report.owner, default: 0] += 1
            while report.publishedAt - ordered[start].publishedAt > peakWindow {
                let owner = ordered[start].owner
                counts[owner] = counts[owner].flatMap { $0 > 1 ? $0 - 1 : nil }
                start += 1
            }
            peak = max(peak, counts.count)
        }
        return peak
    }
}
