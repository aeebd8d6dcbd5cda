/// One request to a feed's upstream, and its result.
package struct FeedPoll: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// The body was accepted.
        case changed
        /// The upstream confirmed the data that the hub has.
        case unchanged
        /// The reason is that of `FeedProblem`.
        case failed(String)
    }

    /// The time of the request, on the feeds' clock.
    package var time: Timestamp
    /// From the request to the end of its response, or of the wait for it; measured, whatever the
    /// feeds' clock.
    package var duration: Duration
    package var outcome: Outcome
    /// Of the response; nil without one.
    package var status: Int?

    package init(time: Timestamp, duration: Duration, outcome: Outcome, status: Int? = nil) {
        self.time = time
        self.duration = duration
        self.outcome = outcome
        self.status = status
    }

    /// The number of polls that `HealthBoard` keeps of each feed: two hours of a feed that is
    /// polled once a minute.
    package static let keptMax = 120
}

extension FeedPoll.Outcome {
    var counted: PollCounts.Result {
        switch self {
        case .changed: .changed
        case .unchanged: .unchanged
        case .failed: .error
        }
    }
}
