/// Turns the probability that the model of a position gives into the frequency with which such a position
/// was right in the simulation (`varde radar simulate`).
///
/// The model does not contain sources that fail, drift or are replaced, and it takes a score for normally
/// distributed that is not. The scale is monotonous and linear between its points, which were fitted on
/// 6,000 simulated worlds with other seeds than those of the command.
enum CertaintyScale {
    /// Pairs of a probability of the model and the observed frequency.
    static let points: [(model: Double, observed: Double)] = [
        (0, 0), (0.3, 0.29), (0.5, 0.49), (0.65, 0.675), (0.8, 0.78), (1, 0.99),
    ]

    static func calibrated(_ probability: Double) -> Double {
        let x = min(max(probability, 0), 1)
        for (left, right) in zip(points, points.dropFirst()) where x <= right.model {
            let part = (x - left.model) / (right.model - left.model)
            return left.observed + part * (right.observed - left.observed)
        }
        return points.last?.observed ?? x
    }
}
