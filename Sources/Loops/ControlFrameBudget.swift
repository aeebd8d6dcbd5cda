/// Counts the control frames of one connection in each second. A ping costs its sender very little
/// but requires an answer from the hub, so their number per second is limited.
package struct ControlFrameBudget {
    private var second: Int32 = 0
    private var count: Int32 = 0

    /// Returns false if there are more than `max` frames in this second.
    ///
    /// - Parameter now: in milliseconds of a monotonic clock.
    package mutating func take(_ frames: Int = 1, now: Int64, max: Int) -> Bool {
        let current = Int32(truncatingIfNeeded: now / 1000)
        if current != second {
            second = current
            count = 0
        }
        count += Int32(clamping: frames)
        return count <= max
    }
}
