import Configuration

/// A configuration section of a part that sends paid requests to a provider.
package protocol BudgetedSection: ConfigurationSection {
    /// 0 for no limit, as for `dailyRequests`.
    var dailyTokens: Int { get set }
    var dailyRequests: Int { get set }
    /// The timeout of one attempt.
    var timeout: Duration { get set }
}

extension BudgetedSection {
    /// Above any daily budget at a provider.
    private static var dailyMax: Int { 1_000_000_000 }

    /// The fields `daily_tokens` and `daily_requests`.
    package static var dailyFields: [ConfigurationField<Self>] {
        [
            .scalar(
                "daily_tokens",
                \.dailyTokens,
                .integer(0...dailyMax),
                reload: .restart,
                meaning: """
                    The most tokens in one day, UTC, questions and answers together. A restart does \
                    not reset the count. 0 for no limit.
                    """
            ),
            .scalar(
                "daily_requests",
                \.dailyRequests,
                .integer(0...dailyMax),
                reload: .restart,
                meaning: """
                    The most requests in one day, repeated attempts included. 0 for no limit.
                    """
            ),
        ]
    }

    /// The field `timeout`.
    package static var attemptTimeoutField: ConfigurationField<Self> {
        .scalar(
            "timeout",
            \.timeout,
            .duration(.seconds(1) ... .seconds(600)),
            reload: .restart,
            meaning: "The longest time of one attempt, to the last byte of the answer."
        )
    }
}
