/// What one hub allows.
package struct HubLimits: Sendable, Equatable {
    /// Topics without a publication that subscribers may bring into being by asking for them. Topics that
    /// have had one are not counted: publishing is not limited here.
    package let unpublishedTopicsMax: Int
    /// Bytes of one recovery, about, as it stands on the wire. What is over it is told as a gap, so that a subscriber whose
    /// queue is shorter than what it missed is not cut off and sent back to the same recovery.
    package let recoveryBytesMax: Int

    package init(unpublishedTopicsMax: Int = 100_000, recoveryBytesMax: Int = 4 << 20) {
        precondition(unpublishedTopicsMax > 0)
        precondition(recoveryBytesMax > 0)
        self.unpublishedTopicsMax = unpublishedTopicsMax
        self.recoveryBytesMax = recoveryBytesMax
    }
}
