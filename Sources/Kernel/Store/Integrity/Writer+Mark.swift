extension Writer {
    /// What the transaction under way has given out. Before a commit is acknowledged, the mark is raised to it.
    var highWater: HighWater {
        HighWater(
            epoch: epochFingerprint,
            cursor: counters.rowCursor,
            reserved: counters.reservedCursor
        )
    }
}
