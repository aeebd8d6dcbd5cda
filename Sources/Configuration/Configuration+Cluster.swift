extension Configuration {
    /// This node's part in a cluster: several hubs on one schema in PostgreSQL.
    package struct Cluster: Equatable, Sendable {
        package var node = ""
        package var lease = Duration.seconds(10)
        package var staleAfter = Duration.seconds(5)

        package init() {}
    }

    /// The contradictions between `cluster` and other keys.
    func clusterContradictions() -> [(path: String, message: String)] {
        guard cluster != nil else { return [] }
        var found: [(path: String, message: String)] = []
        if !["postgresql://", "postgres://"].contains(where: database.hasPrefix) {
            found.append(
                (
                    "database",
                    "found a file, expected a URL of PostgreSQL such as postgresql://varde@db/hub:"
                        + " the nodes of a cluster share it"
                )
            )
        }
        if clock != nil {
            found.append(
                ("clock", "found a section, expected none: nodes of a cluster use the wall clock")
            )
        }
        return found
    }
}

extension Configuration.Cluster: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Cluster>] {
        [
            .scalar(
                "node",
                \.node,
                .name(example: "hub-1"),
                isRequired: true,
                reload: .restart,
                meaning: "The node's name, which no other node of the cluster has."
            ),
            .scalar(
                "lease",
                \.lease,
                .duration(.seconds(1) ... .seconds(60)),
                reload: .restart,
                meaning: """
                    The time for which a node leads without renewing its lease. After the end of \
                    the leader, the domains, alerts and webhooks pause for at most this time.
                    """
            ),
            .scalar(
                "stale_after",
                \.staleAfter,
                .duration(.seconds(1) ... .seconds(60)),
                reload: .restart,
                meaning: """
                    The silence of PostgreSQL after which `/readyz` of the node fails, so that a \
                    load balancer sends clients to another one.
                    """
            ),
        ]
    }
}
