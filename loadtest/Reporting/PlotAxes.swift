import Glibc

/// The scale of latencies: from 0 to a round number that holds all, in at most six steps of 1, 2 or 5 times a
/// power of ten.
struct LatencyAxis: Equatable {
    /// In nanoseconds.
    let ticks: [Double]

    private static let stepsMax = 6.0

    init(_ nanosecondsMax: UInt64) {
        // Below a microsecond there is nothing that a plot of latencies could show.
        let most = max(Double(nanosecondsMax), 1_000)
        var power = 1.0
        while most / (power * 10) > LatencyAxis.stepsMax { power *= 10 }
        let step =
            [power, 2 * power, 5 * power, 10 * power].first { most / $0 <= LatencyAxis.stepsMax }
            ?? 10 * power
        let count = Int((most / step).rounded(.up))
        ticks = (0...count).map { Double($0) * step }
    }

    /// 0 at the bottom, 1 at the top.
    func fraction(_ nanoseconds: Double) -> Double { nanoseconds / (ticks.last ?? 1) }
}

/// The scale of percentiles: every nine takes the same room, so that the tail is seen.
struct PercentileAxis: Equatable {
    /// How many nines there is room for: 2 for 99 %.
    let nines: Int

    /// Beyond 99.9999 % no run here has enough messages to tell.
    private static let ninesMax = 6

    init(_ nines: Int) {
        self.nines = min(max(nines, 1), PercentileAxis.ninesMax)
    }

    /// 0, 90, 99, 99.9 and so on.
    var ticks: [Double] { (0...nines).map { 100 - 100 * pow(10, -Double($0)) } }

    /// 0 at 0 %, 1 at the last tick and behind it.
    func fraction(_ percentile: Double) -> Double {
        guard percentile < 100 else { return 1 }
        return min(-log10(1 - max(percentile, 0) / 100) / Double(nines), 1)
    }

    /// The nines that a curve's last point short of 100 % needs.
    static func nines(of points: [LatencySummary.Point]) -> Int {
        guard let last = points.last(where: { $0.percentile < 100 })?.percentile, last > 0
        else { return 1 }
        return Int((-log10(1 - last / 100)).rounded(.up))
    }
}
