import Glibc

/// The weight of a rating as evidence of the person's present taste: the latest one counts in full,
/// earlier ones less and less, down to a quarter.
///
/// By the number of later ratings and not by their age: a person who comes back after a year has the
/// taste that the last ratings show. Ratings of one instant, as an import has them, count alike.
enum RatingRecency {
    static func weight(laterCount: Int) -> Double {
        least + (1 - least) * exp2(-Double(laterCount) / halfLife)
    }

    /// Of each of a person's ratings, the number of ratings that came later.
    static func laterCounts(_ times: [Timestamp]) -> [Int] {
        let order = times.indices.sorted { times[$0] > times[$1] }
        var counts = [Int](repeating: 0, count: times.count)
        for (position, index) in order.enumerated().dropFirst() {
            let previous = order[position - 1]
            counts[index] = times[previous] == times[index] ? counts[previous] : position
        }
        return counts
    }

    /// In ratings. Measured: docs/DECISIONS/028-recommendation-model.md.
    private static let halfLife = 10.0
    private static let least = 0.25
}
