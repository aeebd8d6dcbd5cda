import DomainKit

extension ActivitySection {
    package static var fields: [ConfigurationField<ActivitySection>] {
        workFields + formerFields
    }

    /// Until the next version.
    private static var formerFields: [ConfigurationField<ActivitySection>] {
        ["apple", "access_token_lifetime", "refresh_token_lifetime"].map {
            .moved($0, to: "accounts.\($0)")
        }
    }

    private static var workFields: [ConfigurationField<ActivitySection>] {
        [
            .scalar(
                "requests_per_minute",
                \.requestsPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Requests of one user; one more is answered 429."
            ),
            .scalar(
                "writes_per_minute",
                \.writesPerMinute,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Of those, the ones that change something."
            ),
            .scalar(
                "fanout_in_act",
                \.fanoutInAct,
                .integer(0...10_000),
                reload: .restart,
                meaning: """
                    Up to this number of friends, an act is published to them in its own \
                    transaction. For users with more friends, the background publishes it in order, \
                    in batches small enough not to delay others.
                    """
            ),
            .scalar(
                "recompute_interval",
                \.recomputeInterval,
                .duration(.seconds(1) ... .seconds(86_400)),
                reload: .restart,
                meaning: "From one computation of tastes and scores to the next."
            ),
            .scalar(
                "recommendations",
                \.recommendations,
                .integer(1...1000),
                reload: .restart,
                meaning: "Kept for each user."
            ),
            .scalar(
                "friends_max",
                \.friendsMax,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: "Friends of one user; requests and acceptances beyond it are refused."
            ),
            .optional(
                "catalogue",
                \.catalogue,
                .file("/var/lib/varde/films.json"),
                reload: .restart,
                meaning: """
                    Films to load at the start, in the hub's own form: docs/CATALOGUES.md. A file \
                    that was loaded before is not loaded again until it changes.
                    """
            ),
        ]
    }
}
