/// Assigns times from now on to late polls, between those that are already planned.
///
/// By themselves, late ones come at the mean rate, so that after a long outage they take the whole
/// interval and are spread evenly in it from then on. Late and planned ones together stay under
/// `rateMax`: where the planned ones are already dense, the late ones wait.
struct CatchUp {
    /// The rate of all polls while late ones are caught up, as a multiple of the mean. Below 2,
    /// which is guaranteed: planned ones come at random times, so some minutes have more of them
    /// than others.
    static let rateMax = 1.75

    private let now: Timestamp
    /// Seconds from `now`, ascending.
    private let planned: [Double]
    private var plannedIndex = 0
    /// Seconds from one poll to the next, on average.
    private let gap: Double
    /// Seconds from `now` before which no late poll comes because of the late ones before it.
    private var lateNext: Double
    /// The same because of all polls before it. It runs ahead where the planned ones are dense.
    private var wholeNext = 0.0

    /// - Parameters:
    ///   - planned: in any order, after `now`.
    ///   - gap: the interval divided by the number of radars.
    ///   - random: in 0..<1. The first late poll comes by chance, so that one restart after the
    ///     other makes no more polls than a single one in the same time.
    init(planned: [Timestamp], gap: Duration, now: Timestamp, random: Double) {
        self.now = now
        self.planned = planned.map { ($0 - now).inSeconds }.sorted()
        self.gap = gap.inSeconds
        self.lateNext = self.gap / (CatchUp.rateMax - 1) * random
    }

    /// The time of the next late poll.
    mutating func next() -> Timestamp {
        while plannedIndex < planned.count, planned[plannedIndex] <= max(lateNext, wholeNext) {
            wholeNext = max(wholeNext, planned[plannedIndex]) + gap / CatchUp.rateMax
            plannedIndex += 1
        }
        let time = max(lateNext, wholeNext)
        lateNext += gap
        wholeNext = time + gap / CatchUp.rateMax
        return now + .seconds(time)
    }
}
