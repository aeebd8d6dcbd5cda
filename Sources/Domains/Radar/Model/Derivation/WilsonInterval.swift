/// The 95 % confidence interval of a share, honest for small samples and shares near 0 and 1.
///
/// Source: Wilson 1927, JASA 22, 209; Agresti & Coull 1998.
package struct WilsonInterval: Sendable, Equatable {
    package let low: Double
    package let high: Double

    package static let level = 0.95
    /// The 97.5 % quantile of the normal distribution: 5 % are outside, on both sides together.
    private static let quantile = 1.96

    /// Nil without trials.
    package init?(successes: Int, trials: Int) {
        precondition(successes >= 0)
        precondition(successes <= trials)
        guard trials > 0 else { return nil }
        let z = WilsonInterval.quantile
        let n = Double(trials)
        let share = Double(successes) / n
        let scale = 1 + z * z / n
        let centre = (share + z * z / (2 * n)) / scale
        let variance = share * (1 - share) / n + z * z / (4 * n * n)
        let half = z * variance.squareRoot() / scale
        low = max(0, centre - half)
        high = min(1, centre + half)
    }
}
