import Expectations
import SeededRandom

@testable import Activity

@Suite("Inverse of a positive definite matrix", .timeLimit(.minutes(10)))
struct BlockedInverseTests {
    private struct Cancelled: Error {}

    /// V·Vᵀ + I of so many rows, in a matrix of whole blocks whose other rows are those of I.
    private func matrix(_ count: Int, seed: Int) -> (values: [Double], side: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let vectors = (0..<count).map { _ in
            (0..<5).map { _ in Double.random(in: -1...1, using: &random) }
        }
        let side = BlockedInverse.side(for: count)
        var values = [Double](repeating: 0, count: side * side)
        for row in 0..<side {
            for column in 0..<row where row < count {
                values[row * side + column] = zip(vectors[row], vectors[column])
                    .reduce(0) { $0 + $1.0 * $1.1 }
            }
            let square = row < count ? vectors[row].reduce(0) { $0 + $1 * $1 } : 0
            values[row * side + row] = square + 1
        }
        return (values, side)
    }

    @Test("has whole blocks")
    func sides() {
        expectEqual([0, 1, 64, 65].map(BlockedInverse.side), [0, 64, 64, 128])
    }

    @Test("multiplied by the matrix is the identity", arguments: [1, 2, 63, 64, 65, 130])
    func inverse(count: Int) {
        let (values, side) = matrix(count, seed: count)
        let found = BlockedInverse(values, side: side, pivotMin: 1).inverted { () throws(Never) in }
        func entry(_ matrix: [Double], _ row: Int, _ column: Int) -> Double {
            matrix[max(row, column) * side + min(row, column)]
        }
        var worst = 0.0
        for row in 0..<count {
            for column in 0..<count {
                let product = (0..<count).reduce(0.0) {
                    $0 + entry(values, row, $1) * entry(found, $1, column)
                }
                worst = max(worst, abs(product - (row == column ? 1 : 0)))
            }
        }
        expect(worst < 1e-12)
    }

    @Test("of two rows is what one computes by hand")
    func two() {
        // (4 2; 2 3)⁻¹ = (3 −2; −2 4) / 8
        var values = [Double](repeating: 0, count: 64 * 64)
        for row in 0..<64 { values[row * 64 + row] = 1 }
        (values[0], values[64], values[65]) = (4, 2, 3)
        let found = BlockedInverse(values, side: 64, pivotMin: 1).inverted { () throws(Never) in }
        expect(abs(found[0] - 0.375) < 1e-15)
        expect(abs(found[64] + 0.25) < 1e-15)
        expect(abs(found[65] - 0.5) < 1e-15)
    }

    @Test("of no rows is empty")
    func none() {
        let found = BlockedInverse([], side: 0, pivotMin: 1).inverted { () throws(Never) in }
        expect(found.isEmpty)
    }

    @Test("is finite where rounding would make a pivot negative")
    func pivots() {
        // Two equal rows, of which the second one leaves nothing but the bound.
        var values = [Double](repeating: 0, count: 64 * 64)
        for row in 0..<64 { values[row * 64 + row] = 1 }
        (values[0], values[64], values[65]) = (1e20, 1e20, 1e20)
        let found = BlockedInverse(values, side: 64, pivotMin: 1).inverted { () throws(Never) in }
        expect(found.allSatisfy { $0.isFinite })
    }

    @Test("can be cancelled at every row of blocks")
    func cancellation() {
        let (values, side) = matrix(130, seed: 1)
        for last in 1...9 {
            var calls = 0
            #expect(throws: Cancelled.self) {
                _ = try BlockedInverse(values, side: side, pivotMin: 1).inverted {
                    () throws(Cancelled) in
                    calls += 1
                    if calls == last { throw Cancelled() }
                }
            }
            expectEqual(calls, last)
        }
    }
}
