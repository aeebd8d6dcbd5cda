/// The waits of a delivery before each attempt, and so the number of attempts.
package struct RetrySchedule: Sendable, Equatable {
    /// Before the first, second, … attempt.
    package let delays: [Duration]
    /// The share of a delay by which it varies either way, so that endpoints that failed together
    /// are not tried together.
    package let jitter: Double

    /// The schedule that Standard Webhooks recommends: ten attempts within 75 hours and 35 minutes.
    package static let standard = RetrySchedule(
        delays: [
            .zero, .seconds(5), .seconds(5 * 60), .seconds(30 * 60), .seconds(2 * 3600),
            .seconds(5 * 3600), .seconds(10 * 3600), .seconds(14 * 3600), .seconds(20 * 3600),
            .seconds(24 * 3600),
        ],
        jitter: 0.2
    )

    package init(delays: [Duration], jitter: Double) {
        precondition(!delays.isEmpty)
        precondition(delays.allSatisfy { $0 >= .zero })
        precondition((0..<1).contains(jitter))
        self.delays = delays
        self.jitter = jitter
    }

    /// The wait from one attempt to the next; nil after the last.
    ///
    /// - Parameters:
    ///   - attempts: how many were made.
    ///   - random: in 0..<1.
    package func delay(afterAttempts attempts: Int, random: Double) -> Duration? {
        precondition(attempts >= 0)
        precondition((0..<1).contains(random))
        guard attempts < delays.count else { return nil }
        return delays[attempts] * (1 + jitter * (2 * random - 1))
    }
}
