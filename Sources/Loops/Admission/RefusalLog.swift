import Reactor

/// The schedule of log entries about refused connections: one at once, and then one every ten
/// seconds while there are more refusals. So an attack does not fill the disk.
package struct RefusalLog {
    private static let interval = Duration.seconds(10)
    private var logged = ConnectionCounters()
    private var next = MonotonicInstant(nanoseconds: 0)

    /// Returns the refusals that are not logged yet; nil if there are none, or it is too early.
    package mutating func take(
        _ counters: ConnectionCounters,
        now: MonotonicInstant
    ) -> ConnectionCounters? {
        var new = ConnectionCounters()
        new.refusedConnectionsMax = counters.refusedConnectionsMax - logged.refusedConnectionsMax
        new.refusedPerAddressMax = counters.refusedPerAddressMax - logged.refusedPerAddressMax
        new.refusedDescriptors = counters.refusedDescriptors - logged.refusedDescriptors
        new.acceptPauses = counters.acceptPauses - logged.acceptPauses
        guard new != ConnectionCounters(), now >= next else { return nil }
        logged = counters
        next = now + RefusalLog.interval
        return new
    }
}
