extension MetricsText {
    /// Writes the questions of this node to the others of its cluster.
    mutating func writeSurveys(incomplete: UInt64) {
        metric(
            "hub_cluster_surveys_incomplete_total",
            .counter,
            "Questions to the other nodes that not all of them answered completely in time.",
            incomplete
        )
    }
}
