// Timekeeping: instants of UTC time as values, and the texts that stand for them.

/// An instant of UTC time in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// A value, not a clock: nothing here reads the time. Leap seconds are not counted, as in POSIX time.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant `seconds` after the epoch; a fraction is rounded to the nearest millisecond.
    package init(seconds: Double) {
        self.milliseconds = Int64((seconds * 1000).rounded())
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
        Timestamp(milliseconds: instant.milliseconds + duration.wholeMilliseconds)
    }

    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: instant.milliseconds - duration.wholeMilliseconds)
    }

    /// The time from `right` to `left`; negative when `left` is the earlier one.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds - right.milliseconds)
    }

    /// The latest multiple of `step` since the epoch that is not after this instant.
    package func roundedDown(to step: Duration) -> Timestamp {
        let size = step.wholeMilliseconds
        return Timestamp(milliseconds: milliseconds.quotientRoundedDown(size) * size)
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
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
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
