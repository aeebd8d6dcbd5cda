/// The prediction of a regression for each rating of one person without that rating, neither in the
/// regression nor as evidence.
///
/// Exact, by the formula of Sherman and Morrison: from P = (XᵀX + λI)⁻¹ the person's row x is
/// removed, and added again with a zero for the film. With the row of recent weights q in the place
/// of x as evidence, only a few numbers remain to be computed for each film:
///
///     P₁ = P + (Px)(Px)ᵀ / (1 − xᵀPx)                      without the person
///     P₂ = P₁ − (P₁x′)(P₁x′)ᵀ / (1 + x′ᵀP₁x′)              with x′ = x but for the film
///     evidence = −(P₂q′) / P₂ at the film                  with q′ = q but for the film
struct LeaveOneOut {
    private let evidence: [Double]
    private let indices: [Int: Int]

    /// - Parameter row: one person's entries.
    /// - Complexity: O(entries²).
    init(_ row: ArraySlice<RatingTable.Entry>, _ regression: FilmRegression) {
        let known = row.compactMap { entry in
            regression.place(of: Int(entry.film)).map { (entry: entry, place: $0) }
        }
        let x = known.map(\.entry.weight)
        let q = known.map(\.entry.recentWeight)
        let diagonal = known.map { regression.diagonal[$0.place] }
        // Px and Pq, at the rated films: P = −B·diag(P) off the diagonal.
        var px = zip(x, diagonal).map { $0 * $1 }
        var pq = zip(q, diagonal).map { $0 * $1 }
        for (index, film) in known.enumerated() {
            var sums = (x: 0.0, q: 0.0)
            for (other, rated) in known.enumerated() {
                let weight = Double(regression.weight(of: rated.place, on: film.place))
                sums.x += x[other] * weight
                sums.q += q[other] * weight
            }
            px[index] -= sums.x * diagonal[index]
            pq[index] -= sums.q * diagonal[index]
        }
        let xpx = zip(x, px).reduce(0) { $0 + $1.0 * $1.1 }
        let xpq = zip(x, pq).reduce(0) { $0 + $1.0 * $1.1 }
        // Below 1 in exact arithmetic.
        let rest = max(1 - xpx, LeaveOneOut.restMin)
        evidence = known.indices.map { film in
            let p1x = px[film] / rest
            let p1q = pq[film] + px[film] * xpq / rest
            let p1 = diagonal[film] + px[film] * px[film] / rest
            let p1x1 = p1x - x[film] * p1
            let p1q1 = p1q - q[film] * p1
            let x1p1x1 = xpx / rest - 2 * x[film] * p1x + x[film] * x[film] * p1
            let x1p1q1 = xpq / rest - x[film] * p1q - q[film] * p1x + x[film] * q[film] * p1
            let back = 1 + max(x1p1x1, 0)
            return -(p1q1 - p1x1 * x1p1q1 / back) / (p1 - p1x1 * p1x1 / back)
        }
        indices = Dictionary(
            uniqueKeysWithValues: known.enumerated().map { (Int($1.entry.film), $0) }
        )
    }

    /// Evidence for a film that the person rated; zero if it takes no part in the regression.
    func evidence(for film: Int) -> Double { indices[film].map { evidence[$0] } ?? 0 }

    private static let restMin = 1e-9
}
