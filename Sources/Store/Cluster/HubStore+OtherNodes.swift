/// Another node of the cluster whose process has not ended as far as is known.
package struct OtherNode: Sendable, Hashable {
    /// The random name of its process.
    package var process: String
    package var name: String
    /// Whether it was seen recently; otherwise it counts as cut off, and can return.
    package var isLiving: Bool

    package init(process: String, name: String, isLiving: Bool) {
        self.process = process
        self.name = name
        self.isLiving = isLiving
    }
}

extension HubStore {
    /// The time that a node waits for others; nil if this is the only writer.
    package var patience: Duration? { cluster?.staleAfter }

    private static let selectOthers = """
        SELECT process, name,
            CASE WHEN seen_at > clock_timestamp() - ? * interval '1 millisecond'
                THEN 1 ELSE 0 END
        FROM node
        WHERE process <> ? AND seen_at > clock_timestamp() - ? * interval '1 millisecond'
        """

    /// The other nodes for which the log is kept.
    package func otherNodes() async throws -> [OtherNode] {
        guard let cluster, let process else { return [] }
        let alive = Int64(cluster.livingFor.wholeMilliseconds)
        let kept = Int64(NodeTable.deadAfter.wholeMilliseconds)
        return try await reading { session in
            try session.rows(Self.selectOthers, [alive, process, kept]) { row in
                OtherNode(process: try row[0], name: try row[1], isLiving: try row[2] as Int64 == 1)
            }
        }
    }
}
