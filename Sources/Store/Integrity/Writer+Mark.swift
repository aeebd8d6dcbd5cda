extension Writer {
    /// The highest numbers that the current transaction has assigned. The mark is raised to them
    /// before a commit is acknowledged.
    var highWater: HighWater {
        HighWater(
            epoch: epochFingerprint,
            cursor: counters.rowCursor,
            reserved: counters.reservedCursor
        )
    }
}
