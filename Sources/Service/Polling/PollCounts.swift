/// Counters of the results of polls.
package struct PollCounts: Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case changed, unchanged, error
    }

    /// By feed.
    package var runs: [String: [Result: UInt64]] = [:]
    /// From the request to the end of its answer, or of the wait for it.
    package var duration = Histogram(.times)

    package init() {}
}
