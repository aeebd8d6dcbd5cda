/// The test whether a series goes up or down at all (Mann 1945, Econometrica 13, 245; Kendall 1975).
///
/// It counts the pairs that rise less those that fall. Without a trend the count is nearly normal from
/// about eight values on; ties make its variance smaller, and one is taken off towards zero because the
/// count goes in steps of two.
struct MannKendall {
    /// Pairs that rise less pairs that fall.
    let count: Int
    let variance: Double
    /// The probability of a count at least as far from zero without a trend; 1 if all values are
    /// equal.
    let pValue: Double

    /// - Parameter values: in the order of time.
    init(_ values: [Double]) {
        var count = 0
        for (index, right) in values.enumerated() {
            for left in values[..<index] where left != right {
                count += right > left ? 1 : -1
            }
        }
        self.count = count
        let ties = Dictionary(grouping: values) { $0 }.values.map(\.count)
        let correction = ties.reduce(0) { $0 + MannKendall.varianceTerm($1) }
        variance = Double(MannKendall.varianceTerm(values.count) - correction) / 18
        if variance > 0 {
            let distance = Double(max(0, abs(count) - 1))
            pValue = normalTails(distance / variance.squareRoot())
        } else {
            pValue = 1
        }
    }

    private static func varianceTerm(_ n: Int) -> Int { n * (n - 1) * (2 * n + 5) }
}
