import Glibc

/// The counters of a loop's connections, since the start.
package struct ConnectionCounters: Sendable, Equatable {
    package var accepted: UInt64 = 0
    /// Connections refused because the maximum was reached, in total or for one address.
    package var refusedConnectionsMax: UInt64 = 0
    package var refusedPerAddressMax: UInt64 = 0
    /// Connections refused because the process had no descriptor left.
    package var refusedDescriptors: UInt64 = 0
    /// The number of times that the listeners paused because connections could not even be refused.
    package var acceptPauses: UInt64 = 0
    /// Connections ended because the peer did not read and its queue was full.
    package var queueOverflows: UInt64 = 0
    /// Connections ended by a failure of TLS, in the handshake or later.
    package var tlsFailures: UInt64 = 0
    /// Connections broken by the network or the peer: reset or timed out.
    package var broken: UInt64 = 0
    /// Those of the broken connections whose peer did not acknowledge sent bytes in time.
    package var timedOut: UInt64 = 0
    /// Connections ended because, while closing, the peer read none of the queued bytes.
    package var stalled: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    /// Calls that sent bytes, and those that could not send all bytes.
    package var writes: UInt64 = 0
    package var partialWrites: UInt64 = 0
    /// Those of the writes that were made with io_uring.
    package var ringWrites: UInt64 = 0
    /// Turns whose work `ConnectionLimits.turnWritesMax` cut short.
    package var turnsSplit: UInt64 = 0

    package init() {}

    mutating func count(_ end: ConnectionEnd) {
        switch end {
        case .closed: break
        case .broken(let code):
            broken += 1
            if code == ETIMEDOUT { timedOut += 1 }
        case .queueOverflow: queueOverflows += 1
        case .stalled: stalled += 1
        case .tlsFailed: tlsFailures += 1
        case .proxyHeaderRefused: break
        }
    }

    package static func += (sum: inout ConnectionCounters, other: ConnectionCounters) {
        sum.accepted += other.accepted
        sum.refusedConnectionsMax += other.refusedConnectionsMax
        sum.refusedPerAddressMax += other.refusedPerAddressMax
        sum.refusedDescriptors += other.refusedDescriptors
        sum.acceptPauses += other.acceptPauses
        sum.queueOverflows += other.queueOverflows
        sum.tlsFailures += other.tlsFailures
        sum.broken += other.broken
        sum.timedOut += other.timedOut
        sum.stalled += other.stalled
        sum.bytesReceived += other.bytesReceived
        sum.bytesSent += other.bytesSent
        sum.writes += other.writes
        sum.partialWrites += other.partialWrites
        sum.ringWrites += other.ringWrites
        sum.turnsSplit += other.turnsSplit
    }
}
