import Reactor

/// The times of a loop's turns, and of the publications in them, on their way into the metrics.
package struct TurnTimes {
    /// The number of commits with storage that is kept from turn to turn; more is freed.
    private static let commitsKept = 4096

    /// Since `takeLongest`.
    private var longest = Duration.zero
    /// The commit times of the publications of this turn.
    private var commits: [MonotonicInstant] = []

    package init() {}

    /// Adds a batch of publications that this turn sends.
    package mutating func add(committed: MonotonicInstant) { commits.append(committed) }

    /// Counts the duration of the turn, and the time of its publications since the commit.
    package mutating func endTurn(
        from start: MonotonicInstant,
        to end: MonotonicInstant,
        in counters: inout LoopCounters
    ) {
        counters.turn.add(end - start)
        longest = max(longest, end - start)
        for committed in commits { counters.publishToWrite.add(end - committed) }
        commits.removeAll(keepingCapacity: commits.capacity <= TurnTimes.commitsKept)
    }

    /// Returns the longest turn since the last call; nil if there was none.
    package mutating func takeLongest() -> Duration? {
        defer { longest = .zero }
        return longest > .zero ? longest : nil
    }
}
