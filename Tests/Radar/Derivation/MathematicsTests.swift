import Expectations
import Foundation

@testable import Radar

@Suite("Mathematics: against the system's own functions", .timeLimit(.minutes(10)))
struct MathematicsTests {
    @Test func logarithmIsExactToTheLastPlaces() {
        for exponent in stride(from: -300.0, through: 300, by: 0.37) {
            let x = pow(10, exponent)
            let expected = log(x)
            expect(abs(naturalLogarithm(x) - expected) <= 1e-15 * max(1, abs(expected)), "\(x)")
        }
        for step in 1...2000 {
            let x = Double(step) / 1000
            expect(abs(naturalLogarithm(x) - log(x)) <= 1e-15 * max(1, abs(log(x))), "\(x)")
        }
        expectEqual(naturalLogarithm(1), 0)
    }

    /// The bound that the handbook gives for the approximation.
    @Test func normalTailsAreWithinTheirErrorBound() {
        for step in 0...1000 {
            let z = Double(step) / 100
            let expected = erfc(z / 2.0.squareRoot())
            expect(abs(normalTails(z) - expected) <= 3e-7, "\(z)")
            expectEqual(normalTails(-z), normalTails(z))
        }
        expectEqual(normalTails(0), 1)
    }

    @Test func normalProbabilitiesAreWithinTheirErrorBound() {
        for step in -1000...1000 {
            let z = Double(step) / 100
            let expected = erfc(-z / 2.0.squareRoot()) / 2
            expect(abs(normalBelow(z) - expected) <= 2e-7, "\(z)")
            expect((0...1).contains(normalBelow(z)))
            expect(abs(normalBelow(z) + normalBelow(-z) - 1) < 1e-15)
        }
        expectEqual(normalBelow(0), 0.5)
    }

    @Test func exponentialIsWithinItsErrorBound() {
        for step in -6999...6999 {
            let x = Double(step) / 10
            let expected = exp(x)
            expect(abs(exponential(x) - expected) <= 1e-13 * expected, "\(x)")
        }
        expectEqual(exponential(0), 1)
        for x in [-700, -1e9, -Double.infinity] { expectEqual(exponential(x), 0) }
    }

    @Test func sumDoesNotDependOnTheOrder() {
        let summands = [1e16, 1, -1e16, 1, 0.1, 0.2, 0.3]
        expectEqual(orderedSum(summands), orderedSum(summands.reversed()))
        expectEqual(orderedSum([]), 0)
    }

    @Test(arguments: [
        (7, 10, 0.397, 0.892), (14, 20, 0.481, 0.855), (0, 10, 0, 0.278), (10, 10, 0.722, 1),
        (1, 1, 0.207, 1),
    ])
    func intervalOfAShareIsWilsons(successes: Int, trials: Int, low: Double, high: Double) throws {
        let interval = try require(WilsonInterval(successes: successes, trials: trials))
        expect(abs(interval.low - low) < 5e-4)
        expect(abs(interval.high - high) < 5e-4)
    }

    @Test func nothingHasNoInterval() {
        expectNil(WilsonInterval(successes: 0, trials: 0))
    }
}
