/// A place in one topic: everything up to `offset` has been seen, of the history that `epoch`
/// names.
///
/// Offset 0 is the place before the first publication.
package struct Position: Hashable, Sendable, Codable {
    package var offset: UInt64
    /// Changes whenever offsets restart, so that an offset of another history is not mistaken for
    /// one of this.
    package var epoch: String

    package init(offset: UInt64, epoch: String) {
        self.offset = offset
        self.epoch = epoch
    }
}
