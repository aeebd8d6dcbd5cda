/// A histogram whose bounds double from one to the next.
///
/// The bounds are fixed by the scale, so that the histograms of several loops can be added up, and
/// so that the number of bits of a value determines its bucket, without a search. Adding a value
/// does not allocate, except once after the histogram was copied.
package struct Histogram: Sendable, Equatable {
    /// The kind of value, its unit, and its bounds. Each kind of value has one scale.
    package enum Scale: Sendable {
        /// 8 µs to 67 s; reported in seconds.
        case times
        /// 256 B to 16 MiB.
        case bytes
        /// 1 to 16,384.
        case counts

        /// The number of doublings of the unit to the first and to the last bound.
        fileprivate var exponents: ClosedRange<Int> {
            switch self {
            case .times: 3...26
            case .bytes: 8...24
            case .counts: 0...14
            }
        }

        /// The divisor from added values to the unit of the bounds: nanoseconds in a microsecond.
        fileprivate var valuesPerUnit: UInt64 { self == .times ? 1000 : 1 }

        /// The divisor from added values to reported ones: nanoseconds in a second.
        fileprivate var valuesPerTold: Double { self == .times ? 1e9 : 1 }

        /// The bounds, in seconds for times.
        package var bounds: [Double] {
            exponents.map { Double(valuesPerUnit << $0) / valuesPerTold }
        }
    }

    package let scale: Scale
    /// One count for each bound, and a last one for values above all bounds.
    package private(set) var counts: [UInt64]
    /// The sum, in nanoseconds or in the scale's unit.
    private var total: UInt64 = 0

    package init(_ scale: Scale) {
        self.scale = scale
        counts = [UInt64](repeating: 0, count: scale.exponents.count + 1)
    }

    /// Adds a duration. A value equal to a bound is in that bound's bucket, as in Prometheus.
    package mutating func add(_ duration: Duration) {
        precondition(scale == .times)
        let (seconds, attoseconds) = duration.components
        // A negative duration counts as zero.
        add(value: UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    package mutating func add(_ count: Int) {
        precondition(scale != .times)
        add(value: UInt64(max(0, count)))
    }

    private mutating func add(value: UInt64) {
        let units = (value + scale.valuesPerUnit - 1) / scale.valuesPerUnit
        let exponent = units <= 1 ? 0 : UInt64.bitWidth - (units - 1).leadingZeroBitCount
        counts[min(max(0, exponent - scale.exponents.lowerBound), counts.count - 1)] += 1
        total &+= value
    }

    package static func += (sum: inout Histogram, other: Histogram) {
        precondition(sum.scale == other.scale)
        for index in sum.counts.indices { sum.counts[index] += other.counts[index] }
        sum.total &+= other.total
    }

    // MARK: Results

    package var count: UInt64 { counts.reduce(0, +) }

    /// The sum of all added values, in seconds for times.
    package var sum: Double { Double(total) / scale.valuesPerTold }

    /// The bounds, in seconds for times, each with the number of values up to it. The infinite
    /// bound, which includes all values, is omitted.
    package var buckets: [(bound: Double, count: UInt64)] {
        var below: UInt64 = 0
        return zip(scale.bounds, counts).map { bound, count in
            below += count
            return (bound, below)
        }
    }
}
