/// A list of variety: maximal marginal relevance. Jaime Carbonell and Jade Goldstein, *The Use of MMR,
/// Diversity-Based Reranking for Reordering Documents and Producing Summaries*, SIGIR 1998.
package enum FilmVariety {
    /// λ of a feed: one film goes before another that is up to five points likelier to be liked, if
    /// its genres are all other ones than those of the films before. Of 0.02 to 0.3 it is the
    /// greatest one that costs less than one per cent of the ranking's quality
    /// (docs/DECISIONS/028-recommendation-model.md).
    package static let recommended = 0.05

    /// Indices in the order of a list: next comes always the film with the greatest
    /// (1 − λ)·probability − λ·likeness, its similarity to the one before that is most like it.
    ///
    /// - Parameters:
    ///   - probabilities: descending.
    ///   - variety: λ, from 0, which leaves the order as it is, to 1.
    /// - Complexity: O(films²)
    static func order(
        _ probabilities: [Double],
        _ genres: [GenreSet],
        variety: Double
    ) -> [Int] {
        precondition(probabilities.count == genres.count)
        var rest = Array(probabilities.indices)
        guard variety > 0 else { return rest }
        var order: [Int] = []
        var similarity = [Double](repeating: 0, count: rest.count)
        while !rest.isEmpty {
            var best = 0
            var bestValue = -Double.infinity
            for (position, film) in rest.enumerated() {
                let value = (1 - variety) * probabilities[film] - variety * similarity[film]
                // The first of equals, which is the likelier one.
                if value > bestValue { (best, bestValue) = (position, value) }
            }
            let next = rest.remove(at: best)
            order.append(next)
            for film in rest {
                similarity[film] = max(similarity[film], genres[film].similarity(to: genres[next]))
            }
        }
        return order
    }
}

/// The genres of a film as bits: the first 63 of a catalogue have one each, others share the last.
package struct GenreSet: Sendable, Equatable {
    private let bits: UInt64

    package init(_ genres: some Sequence<Int> = []) {
        bits = genres.reduce(0) { $0 | 1 << UInt64(min($1, UInt64.bitWidth - 1)) }
    }

    /// 0...1, the share of common ones among the genres of both (Jaccard). A film with unknown
    /// genres counts as similar to every other one: unknown genres make no variety.
    package func similarity(to other: GenreSet) -> Double {
        guard bits != 0, other.bits != 0 else { return 1 }
        return Double((bits & other.bits).nonzeroBitCount)
            / Double((bits | other.bits).nonzeroBitCount)
    }
}
