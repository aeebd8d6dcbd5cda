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
    /// Bytes of the histories that are also in the store, with `publicationOverhead` for each publication
    /// and `topicOverhead` for each topic. Beyond them, those that were not used for longest are dropped
    /// from memory, and read again when they are needed. Without effect if no store is behind the
    /// histories.
    package let storedHistoryBytesMax: Int
    /// The memory for keeping a publication in addition to its own bytes.
    package let publicationOverhead: Int
    /// The memory for keeping a topic in addition to its publications.
    package let topicOverhead: Int

    package init(
        unpublishedTopicsMax: Int = 100_000,
        recoveryBytesMax: Int = 4 << 20,
        historyBytesMax: Int = .max,
        clientHistoryBytesMax: Int = .max,
        storedHistoryBytesMax: Int = .max,
        publicationOverhead: Int = 0,
        topicOverhead: Int = 0
    ) {
        precondition(unpublishedTopicsMax > 0)
        precondition(recoveryBytesMax > 0)
        precondition(historyBytesMax > 0)
        precondition(clientHistoryBytesMax > 0)
        precondition(storedHistoryBytesMax > 0)
        precondition(publicationOverhead >= 0)
        precondition(topicOverhead >= 0)
        self.unpublishedTopicsMax = unpublishedTopicsMax
        self.recoveryBytesMax = recoveryBytesMax
        self.historyBytesMax = historyBytesMax
        self.clientHistoryBytesMax = clientHistoryBytesMax
        self.storedHistoryBytesMax = storedHistoryBytesMax
        self.publicationOverhead = publicationOverhead
        self.topicOverhead = topicOverhead
    }
}
