import Glibc

/// How well ranked lists name what people came to like, over all of them.
package struct RankingQuality: Sendable, Equatable {
    /// Lists that were looked at: of people for whom there was anything to name.
    package private(set) var count = 0
    private var gainSum = 0.0
    private var recallSum = 0.0

    /// Normalised discounted cumulative gain of the first ten, 0...1, averaged over the lists.
    package var gainAt10: Double { count > 0 ? gainSum / Double(count) : 0 }
    /// The share of the relevant films among the first twenty, averaged over the lists.
    package var recallAt20: Double { count > 0 ? recallSum / Double(count) : 0 }

    /// - Parameters:
    ///   - films: ids, best first, no film twice.
    ///   - relevant: none is looked past.
    mutating func add(_ films: [Int], relevant: Set<Int>) {
        guard !relevant.isEmpty else { return }
        count += 1
        gainSum += RankingQuality.gain(films.prefix(10), relevant: relevant)
        let found = films.prefix(20).count { relevant.contains($0) }
        recallSum += Double(found) / Double(relevant.count)
    }

    /// A relevant film gives 1 / log₂(1 + rank); divided by what the best list of as many would
    /// give.
    private static func gain(_ films: ArraySlice<Int>, relevant: Set<Int>) -> Double {
        var gain = 0.0
        for (index, film) in films.enumerated() where relevant.contains(film) {
            gain += 1 / log2(Double(index) + 2)
        }
        let best = (0..<min(10, relevant.count)).reduce(0.0) { $0 + 1 / log2(Double($1) + 2) }
        return gain / best
    }
}
