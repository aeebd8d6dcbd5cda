import Reactor

/// When things are due that happen at a fixed rate, whatever became of the ones before: an open loop.
///
/// Latencies are counted from these instants and not from the ones at which the generator got round to it. So a
/// server that stalls is charged for everything that should have happened meanwhile (coordinated omission is
/// corrected at its source).
struct RateSchedule: Sendable {
    let start: MonotonicInstant
    /// Between two of them, in nanoseconds.
    private let interval: Double
    private(set) var count = 0

    /// - Parameter rate: In one second; more than 0.
    init(start: MonotonicInstant, rate: Double) {
        precondition(rate > 0)
        self.start = start
        interval = 1_000_000_000 / rate
    }

    /// When the `index`-th one is due.
    func instant(_ index: Int) -> MonotonicInstant {
        MonotonicInstant(
            nanoseconds: start.nanoseconds + Int64((Double(index) * interval).rounded())
        )
    }

    /// When the next one is due.
    var next: MonotonicInstant { instant(count) }

    /// Takes the next one if it is due, and tells for when it was.
    mutating func take(now: MonotonicInstant) -> MonotonicInstant? {
        let due = next
        guard due <= now else { return nil }
        count += 1
        return due
    }
}
