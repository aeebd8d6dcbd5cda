import Glibc

/// The probability of a like as a logistic function of three figures: 1 / (1 + e^-(w·x)).
///
/// Fitted by Newton's method to actual likes, and drawn to given coefficients: with few ratings the
/// given ones dominate, with many the ratings.
struct LogisticCurve: Sendable, Equatable {
    typealias Figures = SIMD3<Double>

    struct Example {
        var figures: Figures
        var isLiked: Bool
    }

    private(set) var coefficients: Figures

    init(_ coefficients: Figures) { self.coefficients = coefficients }

    func probability(_ figures: Figures) -> Double {
        1 / (1 + exp(-(coefficients * figures).sum()))
    }

    /// - Parameters:
    ///   - priorWeight: about the number of ratings from which on both have an effect.
    ///   - least: the minimum of the coefficients, so that more evidence never lowers the result.
    func fitted(to examples: [Example], priorWeight: Double, least: Figures) -> LogisticCurve {
        var curve = self
        for _ in 0..<LogisticCurve.stepsMax {
            var gradient = priorWeight * (coefficients - curve.coefficients)
            var curvature = (0..<3).map { index in
                var row = Figures.zero
                row[index] = priorWeight
                return row
            }
            for example in examples {
                let probability = curve.probability(example.figures)
                let spread = probability * (1 - probability)
                gradient += ((example.isLiked ? 1 : 0) - probability) * example.figures
                for row in 0..<3 {
                    curvature[row] += spread * example.figures[row] * example.figures
                }
            }
            let limit = Figures(repeating: LogisticCurve.stepMax)
            let step = solution(of: curvature, gradient).clamped(
                lowerBound: -limit,
                upperBound: limit
            )
            curve.coefficients += step
            if (step * step).sum() < LogisticCurve.stepSquareMin { break }
        }
        curve.coefficients = pointwiseMax(curve.coefficients, least)
        return curve
    }

    /// Newton's method doubles the digits with each step; coefficients that have not settled by
    /// then never do.
    private static let stepsMax = 30
    /// Far from the solution a whole step overshoots it.
    private static let stepMax = 1.0
    private static let stepSquareMin = 1e-18
}

/// Solves `matrix · x = vector` by elimination; the matrix is given by rows. It is symmetric and
/// positive definite, so that no pivot is zero.
private func solution(of matrix: [SIMD3<Double>], _ vector: SIMD3<Double>) -> SIMD3<Double> {
    var matrix = matrix
    var vector = vector
    for pivot in 0..<3 {
        for row in 0..<3 where row != pivot {
            let factor = matrix[row][pivot] / matrix[pivot][pivot]
            matrix[row] -= factor * matrix[pivot]
            vector[row] -= factor * vector[pivot]
        }
    }
    return vector / SIMD3(matrix[0][0], matrix[1][1], matrix[2][2])
}
