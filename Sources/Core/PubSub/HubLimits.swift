/// The limits of one hub.
package struct HubLimits: Sendable, Equatable {
    /// Topics without a publication that subscribers may bring into being by asking for them. Topics that
    /// have had one are not counted: publishing is not limited here.
    package let unpublishedTopicsMax: Int
    /// The approximate maximum size of one recovery on the wire, in bytes. A larger one is reported
    /// as a gap, so that a subscriber whose queue is shorter than the recovery is not disconnected
    /// and sent back to the same recovery.
    package let recoveryBytesMax: Int

    /// Bytes of all histories together, with `publicationOverhead` for each publication. Beyond them the oldest
    /// publications of the largest topics are evicted.
    package let historyBytesMax: Int
    /// The same of topics that clients may publish to: they take nothing from the others.
    package let clientHistoryBytesMax: Int
    /// The memory for keeping a publication in addition to its own bytes, on all loops.
    package let publicationOverhead: Int

    package init(
        unpublishedTopicsMax: Int = 100_000,
        recoveryBytesMax: Int = 4 << 20,
        historyBytesMax: Int = .max,
        clientHistoryBytesMax: Int = .max,
        publicationOverhead: Int = 0
    ) {
        precondition(unpublishedTopicsMax > 0)
        precondition(recoveryBytesMax > 0)
        precondition(historyBytesMax > 0)
        precondition(clientHistoryBytesMax > 0)
        precondition(publicationOverhead >= 0)
        self.unpublishedTopicsMax = unpublishedTopicsMax
        self.recoveryBytesMax = recoveryBytesMax
        self.historyBytesMax = historyBytesMax
        self.clientHistoryBytesMax = clientHistoryBytesMax
        self.publicationOverhead = publicationOverhead
    }
}
