import Glibc

/// Inverts symmetric positive definite matrices in place, block by block: A = L·Lᵀ, U = L⁻ᵀ,
/// A⁻¹ = U·Uᵀ.
///
/// Takes n³ / 2 multiplications and no memory besides the matrix but one column of blocks. Every sum
/// runs along two rows, which are contiguous, so that the processor's vector units are used.
/// The work between two checks for cancellation is one row of blocks at most.
struct BlockedInverse {
    /// Rows and columns of a block. The side of the matrix is a multiple of it.
    static let blockSide = 64

    /// The least multiple of `blockSide` that has room for so many rows.
    static func side(for count: Int) -> Int {
        (count + blockSide - 1) / blockSide * blockSide
    }

    private let side: Int
    private let pivotMin: Double
    /// By rows. First A in the lower triangle, then L below and U above the diagonal, at the end
    /// A⁻¹ in the lower triangle.
    private var matrix: [Double]
    /// The blocks of U on the diagonal, where `matrix` has those of L.
    private var diagonal: [Double]

    /// - Parameters:
    ///   - matrix: by rows; only the lower triangle and the diagonal are read.
    ///   - pivotMin: a bound that no pivot is below in exact arithmetic, such as a number that was
    ///     added to the diagonal of a matrix without negative eigenvalues. Rounding must not lead
    ///     below it.
    init(_ matrix: [Double], side: Int, pivotMin: Double) {
        precondition(side % BlockedInverse.blockSide == 0)
        precondition(matrix.count == side * side)
        precondition(pivotMin > 0)
        self.matrix = matrix
        self.side = side
        self.pivotMin = pivotMin
        diagonal = Array(repeating: 0, count: side * BlockedInverse.blockSide)
    }

    /// - Returns: the inverse by rows, valid in the lower triangle and on the diagonal.
    consuming func inverted<Failure: Error>(
        checkCancellation: () throws(Failure) -> Void
    ) throws(Failure) -> [Double] {
        let starts = stride(from: 0, to: side, by: BlockedInverse.blockSide)
        for start in starts {
            try checkCancellation()
            factor(blockColumn: start)
        }
        for start in starts {
            try checkCancellation()
            invert(blockRow: start)
        }
        for start in starts {
            try checkCancellation()
            multiply(blockRow: start)
        }
        return matrix
    }

    // MARK: A = L·Lᵀ

    private mutating func factor(blockColumn start: Int) {
        let side = side
        let pivotMin = pivotMin
        matrix.withUnsafeMutableBufferPointer { buffer in
            let base = buffer.baseAddress!
            for row in stride(from: start, to: side, by: BlockedInverse.blockSide) {
                let target = base + row * side + start
                addProducts(
                    Rows(base + row * side, side),
                    Rows(base + start * side, side),
                    count: start,
                    sign: -1,
                    to: target,
                    side
                )
                if row == start {
                    factorBlock(target, side, pivotMin: pivotMin)
                } else {
                    solve(target, side, by: base + start * side + start, side)
                }
            }
        }
    }

    // MARK: U = L⁻ᵀ

    private mutating func invert(blockRow start: Int) {
        let side = side
        let length = BlockedInverse.blockSide
        diagonal.withUnsafeMutableBufferPointer { diagonal in
            matrix.withUnsafeMutableBufferPointer { buffer in
                let base = buffer.baseAddress!
                let corner = diagonal.baseAddress! + start * length
                invertBlock(base + start * side + start, side, into: corner)
                for column in stride(from: start + length, to: side, by: length) {
                    let target = base + start * side + column
                    for row in 0..<length {
                        (target + row * side).update(repeating: 0, count: length)
                    }
                    addProducts(
                        Rows(corner, length),
                        Rows(base + column * side + start, side),
                        count: length,
                        sign: -1,
                        to: target,
                        side
                    )
                    addProducts(
                        Rows(base + start * side + start + length, side),
                        Rows(base + column * side + start + length, side),
                        count: column - start - length,
                        sign: -1,
                        to: target,
                        side
                    )
                    solve(target, side, by: base + column * side + column, side)
                }
            }
        }
    }

    // MARK: A⁻¹ = U·Uᵀ

    /// The block row `start` of the inverse, up to the diagonal; L is not needed any more.
    private mutating func multiply(blockRow start: Int) {
        let side = side
        let length = BlockedInverse.blockSide
        diagonal.withUnsafeMutableBufferPointer { diagonal in
            matrix.withUnsafeMutableBufferPointer { buffer in
                let base = buffer.baseAddress!
                let corner = Rows(diagonal.baseAddress! + start * length, length)
                let rest = side - start - length
                for column in stride(from: 0, through: start, by: length) {
                    let target = base + start * side + column
                    for row in 0..<length {
                        (target + row * side).update(repeating: 0, count: length)
                    }
                    let other =
                        column == start ? corner : Rows(base + column * side + start, side)
                    addProducts(corner, other, count: length, sign: 1, to: target, side)
                    addProducts(
                        Rows(base + start * side + start + length, side),
                        Rows(base + column * side + start + length, side),
                        count: rest,
                        sign: 1,
                        to: target,
                        side
                    )
                }
            }
        }
    }
}

/// The rows of a block, each so many numbers behind the one before.
private struct Rows {
    let base: UnsafePointer<Double>
    let stride: Int

    init(_ base: UnsafePointer<Double>, _ stride: Int) {
        self.base = base
        self.stride = stride
    }

    init(_ base: UnsafeMutablePointer<Double>, _ stride: Int) {
        self.init(UnsafePointer(base), stride)
    }
}

private typealias Pair = SIMD2<Double>

/// Adds to each number of a block the product of a left and a right row, or subtracts it.
///
/// - Parameter count: numbers of a row; a multiple of the block's side.
private func addProducts(
    _ left: Rows,
    _ right: Rows,
    count: Int,
    sign: Double,
    to target: UnsafeMutablePointer<Double>,
    _ stride: Int
) {
    // So much of four left and all right rows stays in the processor's nearest caches.
    let chunk = 128
    var start = 0
    while start < count {
        let length = min(chunk, count - start)
        for row in Swift.stride(from: 0, to: BlockedInverse.blockSide, by: 4) {
            for column in Swift.stride(from: 0, to: BlockedInverse.blockSide, by: 2) {
                addTile(
                    left.base + row * left.stride + start,
                    left.stride,
                    right.base + column * right.stride + start,
                    right.stride,
                    length: length,
                    sign: sign,
                    to: target + row * stride + column,
                    stride
                )
            }
        }
        start += length
    }
}

/// Four left rows by two right ones: eight sums, as many as fit into registers with their factors.
@inline(__always)
private func addTile(
    _ left: UnsafePointer<Double>,
    _ leftStride: Int,
    _ right: UnsafePointer<Double>,
    _ rightStride: Int,
    length: Int,
    sign: Double,
    to target: UnsafeMutablePointer<Double>,
    _ stride: Int
) {
    var sums = (
        Pair.zero, Pair.zero, Pair.zero, Pair.zero, Pair.zero, Pair.zero, Pair.zero, Pair.zero
    )
    let l = UnsafeRawPointer(left)
    let r = UnsafeRawPointer(right)
    let l1 = leftStride * 8
    let r1 = rightStride * 8
    var offset = 0
    while offset < length * 8 {
        let right0 = r.loadUnaligned(fromByteOffset: offset, as: Pair.self)
        let right1 = r.loadUnaligned(fromByteOffset: offset + r1, as: Pair.self)
        let left0 = l.loadUnaligned(fromByteOffset: offset, as: Pair.self)
        sums.0 += left0 * right0
        sums.1 += left0 * right1
        let left1 = l.loadUnaligned(fromByteOffset: offset + l1, as: Pair.self)
        sums.2 += left1 * right0
        sums.3 += left1 * right1
        let left2 = l.loadUnaligned(fromByteOffset: offset + 2 * l1, as: Pair.self)
        sums.4 += left2 * right0
        sums.5 += left2 * right1
        let left3 = l.loadUnaligned(fromByteOffset: offset + 3 * l1, as: Pair.self)
        sums.6 += left3 * right0
        sums.7 += left3 * right1
        offset += 16
    }
    target[0] += sign * sums.0.sum()
    target[1] += sign * sums.1.sum()
    target[stride] += sign * sums.2.sum()
    target[stride + 1] += sign * sums.3.sum()
    target[2 * stride] += sign * sums.4.sum()
    target[2 * stride + 1] += sign * sums.5.sum()
    target[3 * stride] += sign * sums.6.sum()
    target[3 * stride + 1] += sign * sums.7.sum()
}

/// L of one block, in place.
private func factorBlock(_ block: UnsafeMutablePointer<Double>, _ stride: Int, pivotMin: Double) {
    for column in 0..<BlockedInverse.blockSide {
        let own = block + column * stride
        let pivot = max(own[column] - dot(own, own, column), pivotMin).squareRoot()
        own[column] = pivot
        for row in column + 1..<BlockedInverse.blockSide {
            let other = block + row * stride
            other[column] = (other[column] - dot(other, own, column)) / pivot
        }
    }
}

/// Replaces a block X by X·L⁻ᵀ, with L a lower triangle.
private func solve(
    _ block: UnsafeMutablePointer<Double>,
    _ stride: Int,
    by triangle: UnsafeMutablePointer<Double>,
    _ triangleStride: Int
) {
    for row in 0..<BlockedInverse.blockSide {
        let own = block + row * stride
        for column in 0..<BlockedInverse.blockSide {
            let other = triangle + column * triangleStride
            own[column] = (own[column] - dot(own, other, column)) / other[column]
        }
    }
}

/// U = L⁻ᵀ of one block, whose rows follow each other; zeros below the diagonal.
private func invertBlock(
    _ block: UnsafeMutablePointer<Double>,
    _ stride: Int,
    into target: UnsafeMutablePointer<Double>
) {
    let side = BlockedInverse.blockSide
    for row in 0..<side {
        let own = target + row * side
        for column in 0..<row { own[column] = 0 }
        own[row] = 1 / block[row * stride + row]
        for column in row + 1..<side {
            let other = block + column * stride
            own[column] = -dot(own, other, column) / other[column]
        }
    }
}

@inline(__always)
private func dot(
    _ left: UnsafeMutablePointer<Double>,
    _ right: UnsafeMutablePointer<Double>,
    _ count: Int
) -> Double {
    var first = Pair.zero
    var second = Pair.zero
    var index = 0
    let l = UnsafeRawPointer(left)
    let r = UnsafeRawPointer(right)
    while index + 4 <= count {
        let offset = index * 8
        first +=
            l.loadUnaligned(fromByteOffset: offset, as: Pair.self)
            * r.loadUnaligned(fromByteOffset: offset, as: Pair.self)
        second +=
            l.loadUnaligned(fromByteOffset: offset + 16, as: Pair.self)
            * r.loadUnaligned(fromByteOffset: offset + 16, as: Pair.self)
        index += 4
    }
    var sum = (first + second).sum()
    while index < count {
        sum += left[index] * right[index]
        index += 1
    }
    return sum
}
