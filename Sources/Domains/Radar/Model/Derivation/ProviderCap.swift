/// The factors of the weights of each provider, so that none has more than its greatest share of
/// the sum.
///
/// A provider over the cap is scaled down to exactly the cap of the reduced sum. That sum is
/// smaller, so others may exceed the cap: the smallest number of greatest providers is scaled with
/// which no other provider exceeds it.
package struct ProviderCap {
    /// `PositionRule.providerShareMax`, and an equal share where there are fewer than three providers.
    let shareMax: Double
    private let factors: [String: Double]

    /// - Parameter totals: the sum of weights of each provider; one without weight does not count.
    package init(totals: [String: Double]) {
        let ascending = totals.filter { $0.value > 0 }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        shareMax = max(PositionRule.providerShareMax, 1 / Double(max(1, ascending.count)))
        factors = ProviderCap.factors(ascending, shareMax: shareMax)
    }

    /// 1 for a provider under the cap.
    package func factor(_ provider: String) -> Double { factors[provider] ?? 1 }

    private static func factors(
        _ ascending: [(key: String, value: Double)],
        shareMax: Double
    ) -> [String: Double] {
        // Two are enough: with three providers or more the others have a fifth of the sum left, so two
        // fifths are twice all of theirs; of two providers one is scaled at most.
        for cappedCount in 0..<ascending.count {
            let others = ascending.dropLast(cappedCount)
            let sum = orderedSum(others.map(\.value)) / (1 - Double(cappedCount) * shareMax)
            let total = shareMax * sum
            guard let greatest = others.last, PositionRule.reaches(total / greatest.value, 1)
            else { continue }
            let capped = ascending.suffix(cappedCount)
            return Dictionary(uniqueKeysWithValues: capped.map { ($0.key, total / $0.value) })
        }
        return [:]
    }
}
