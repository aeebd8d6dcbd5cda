/// How often values fell between bounds that double from one to the next.
///
/// The bounds are fixed by the scale, so that the histograms of several loops can be added up, and
/// so that the place of a value is its number of bits: no search. Adding allocates nothing, but once after
/// the histogram was copied.
package struct Histogram: Sendable, Equatable {
    /// What is counted, in which unit, and between which bounds. Each kind of value has one scale.
    package enum Scale: Sendable {
        /// 8 µs to 67 s; told in seconds.
        case times
        /// 256 B to 16 MiB.
        case bytes
        /// 1 to 16,384.
        case counts

        /// The first and the last bound are so many doublings of the unit.
        fileprivate var exponents: ClosedRange<Int> {
            switch self {
            case .times: 3...26
            case .bytes: 8...24
            case .counts: 0...14
            }
        }

        /// Of added values: nanoseconds in a microsecond.
        fileprivate var valuesPerUnit: UInt64 { self == .times ? 1000 : 1 }

        /// Of what is told: nanoseconds in a second.
        fileprivate var valuesPerTold: Double { self == .times ? 1e9 : 1 }
    }

    package let scale: Scale
    /// One for each bound, and the last for what is above all.
    private var counts: [UInt64]
    /// In nanoseconds, or in the scale's unit.
    private var total: UInt64 = 0

    package init(_ scale: Scale) {
        self.scale = scale
        counts = [UInt64](repeating: 0, count: scale.exponents.count + 1)
    }

    /// A bound is in its own bucket, as Prometheus has it.
    package mutating func add(_ duration: Duration) {
        precondition(scale == .times)
        let (seconds, attoseconds) = duration.components
        // A time that runs backwards counts as none.
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

    // MARK: What it tells

    package var count: UInt64 { counts.reduce(0, +) }

    /// Of all added values, in seconds for times.
    package var sum: Double { Double(total) / scale.valuesPerTold }

    /// Bounds, in seconds for times, and how many values are not above each. Infinity, which has all, is
    /// not among them.
    package var buckets: [(bound: Double, count: UInt64)] {
        var below: UInt64 = 0
        return scale.exponents.enumerated().map { index, exponent in
            below += counts[index]
            let bound = Double(scale.valuesPerUnit << exponent) / scale.valuesPerTold
            return (bound, below)
        }
    }
}
