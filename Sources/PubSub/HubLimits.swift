/// What one hub allows.
package struct HubLimits: Sendable, Equatable {
    /// Topics that subscribers may bring into being by asking for them; publishing is not limited.
    package let topicCountMax: Int
    /// Bytes of one recovery, about, as it stands on the wire. What is over it is told as a gap, so that a subscriber whose
    /// queue is shorter than what it missed is not cut off and sent back to the same recovery.
    package let recoveryBytesMax: Int

    package init(topicCountMax: Int = 100_000, recoveryBytesMax: Int = 4 << 20) {
        precondition(topicCountMax > 0)
        precondition(recoveryBytesMax > 0)
        self.topicCountMax = topicCountMax
        self.recoveryBytesMax = recoveryBytesMax
    }
}
