import Glibc

/// The quality of ranked lists: how well they contain the films that people later liked, and how
/// much of the catalogue they show.
package struct RankingQuality: Sendable, Equatable {
    /// The first films of a list, of which gain, coverage and diversity are.
    private static let shownCount = 10
    private static let recallCount = 20

    /// Of each list.
    private var gains: [Double] = []
    private var recalls: [Double] = []
    private var diversities: [Double] = []
    private var shown: Set<Int> = []

    /// The number of lists evaluated: those of people who liked any film held out.
    package var count: Int { gains.count }
    /// Normalised discounted cumulative gain of the first ten, 0...1, averaged over the lists.
    package var gainAt10: Double { average(gains) }
    /// The share of the relevant films among the first twenty, averaged over the lists.
    package var recallAt20: Double { average(recalls) }
    /// The films among the first ten of any list.
    package var shownFilmsCount: Int { shown.count }
    /// The difference between the genres of two of the first ten films, 0...1, averaged over all
    /// pairs of a list and then over the lists.
    package var diversity: Double { average(diversities) }

    /// - Parameters:
    ///   - films: ids, best first, no film twice.
    ///   - relevant: none is looked past.
    mutating func add(
        _ films: [Int],
        relevant: Set<Int>,
        genres: (Int) -> GenreSet = { _ in GenreSet() }
    ) {
        guard !relevant.isEmpty else { return }
        let first = films.prefix(RankingQuality.shownCount)
        gains.append(RankingQuality.gain(first, relevant: relevant))
        let found = films.prefix(RankingQuality.recallCount).count { relevant.contains($0) }
        recalls.append(Double(found) / Double(relevant.count))
        shown.formUnion(first)
        if let diversity = RankingQuality.diversity(first.map(genres)) {
            diversities.append(diversity)
        }
    }

    /// The mean difference of the gains to those of other lists for the same people, and its standard
    /// error. Nil with fewer than two lists.
    package func gainDifference(
        from other: RankingQuality
    ) -> (mean: Double, standardError: Double)? {
        guard count == other.count, count > 1 else { return nil }
        let differences = zip(gains, other.gains).map { $0 - $1 }
        let mean = average(differences)
        let squares = differences.reduce(0.0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, (squares / Double(count - 1) / Double(count)).squareRoot())
    }

    /// A relevant film gives 1 / log₂(1 + rank); the sum is divided by that of the best list of as
    /// many.
    private static func gain(_ films: ArraySlice<Int>, relevant: Set<Int>) -> Double {
        var gain = 0.0
        for (index, film) in films.enumerated() where relevant.contains(film) {
            gain += 1 / log2(Double(index) + 2)
        }
        let best = (0..<min(shownCount, relevant.count)).reduce(0.0) {
            $0 + 1 / log2(Double($1) + 2)
        }
        return gain / best
    }

    private static func diversity(_ genres: [GenreSet]) -> Double? {
        guard genres.count > 1 else { return nil }
        var sum = 0.0
        for (index, one) in genres.enumerated() {
            for other in genres[..<index] { sum += 1 - one.similarity(to: other) }
        }
        return sum / Double(genres.count * (genres.count - 1) / 2)
    }

    private func average(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }
}
