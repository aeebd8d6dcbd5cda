// Timekeeping: instants of UTC time as values, and the texts that stand for them.

/// An instant of UTC time in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// A value, not a clock: nothing here reads the time. Leap seconds are not counted, as in POSIX time.
/// Results that are too early or too late become the first or the last instant: operands may come from
/// peers or from a damaged database.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant `seconds` after the epoch, or the epoch if that is not a number; a fraction is rounded
    /// to the nearest millisecond.
    package init(seconds: Double) {
        let rounded = (seconds * 1000).rounded()
        self.milliseconds =
            rounded.isNaN ? 0 : Int64(exactly: rounded) ?? (rounded < 0 ? .min : .max)
    }

    package init(_ civil: CivilTime, millisecond: Int = 0) {
        let seconds = civil.daysSinceEpoch * 86_400 + civil.secondOfDay
        self.milliseconds = Int64(seconds) * 1000 + Int64(millisecond)
    }

    /// Seconds since the epoch, with the fraction.
    package var seconds: Double { Double(milliseconds) / 1000 }

    /// Whole seconds since the epoch, rounded down.
    package var wholeSeconds: Int64 { milliseconds.quotientRoundedDown(1000) }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds.clampedSum(duration.wholeMilliseconds))
    }

    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds.clampedDifference(duration.wholeMilliseconds))
    }

    /// The time from `right` to `left`; negative when `left` is the earlier one.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds.clampedDifference(right.milliseconds))
    }

    /// The latest multiple of `step` since the epoch that is not after this instant.
    package func roundedDown(to step: Duration) -> Timestamp {
        let size = step.wholeMilliseconds
        return Timestamp(milliseconds: milliseconds.quotientRoundedDown(size).clampedProduct(size))
    }

    /// Encoded as one number, the milliseconds.
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded toward zero.
    package var wholeMilliseconds: Int64 {
        components.seconds.clampedProduct(1000)
            .clampedSum(components.attoseconds / 1_000_000_000_000_000)
    }

    /// Seconds with the fraction.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension BinaryInteger {
    /// The quotient by a positive divisor, rounded toward negative infinity.
    func quotientRoundedDown(_ divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Int64 {
    fileprivate func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .max : .min) : difference
    }

    fileprivate func clampedProduct(_ other: Int64) -> Int64 {
        let (product, isOverflow) = multipliedReportingOverflow(by: other)
        return isOverflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
