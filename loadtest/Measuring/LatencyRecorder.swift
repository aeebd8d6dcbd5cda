import Histogram
import Reactor

/// Latencies in nanoseconds, to three digits.
struct LatencyRecorder: Sendable {
    private(set) var histogram: Histogram<UInt64>

    /// Longer ones are recorded as this long.
    static let nanosecondsMax: UInt64 = 3_600_000_000_000

    init() {
        histogram = Histogram(
            lowestDiscernibleValue: 1_000,
            highestTrackableValue: LatencyRecorder.nanosecondsMax,
            numberOfSignificantValueDigits: .three
        )
    }

    mutating func record(from start: MonotonicInstant, to end: MonotonicInstant) {
        // A clock that both ends share does not go backwards; an answer that came before its due time has none.
        let nanoseconds = UInt64(max(0, end.nanoseconds - start.nanoseconds))
        histogram.record(min(nanoseconds, LatencyRecorder.nanosecondsMax))
    }

    mutating func reset() { histogram.reset() }

    var isEmpty: Bool { histogram.totalCount == 0 }

    var summary: LatencySummary {
        LatencySummary(
            count: histogram.totalCount,
            mean: histogram.mean,
            max: isEmpty ? 0 : histogram.maxRecorded,
            curve: isEmpty ? [] : curve
        )
    }

    /// Percentiles that lie closer together the closer they are to 100, as the tail is what matters.
    private var curve: [LatencySummary.Point] {
        histogram.percentiles(ticksPerHalfDistance: 10).map {
            LatencySummary.Point(percentile: $0.percentile, nanoseconds: $0.value)
        }
    }
}

/// What a report says of a set of latencies; in nanoseconds.
struct LatencySummary: Equatable, Sendable {
    struct Point: Equatable, Sendable {
        /// 0 to 100.
        var percentile: Double
        /// That part of all was this fast or faster.
        var nanoseconds: UInt64
    }

    var count: UInt64
    var mean: Double
    var max: UInt64
    var curve: [Point]

    /// The least latency of the curve that covers `percentile`; 0 without one.
    func nanoseconds(at percentile: Double) -> UInt64 {
        (curve.first { $0.percentile >= percentile } ?? curve.last)?.nanoseconds ?? 0
    }
}
