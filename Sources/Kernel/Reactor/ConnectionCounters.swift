import Glibc

/// What a loop's connections have come to, since the start.
package struct ConnectionCounters: Sendable, Equatable {
    package var accepted: UInt64 = 0
    /// Turned away because there were as many as there may be, in all or from one address.
    package var refusedConnectionsMax: UInt64 = 0
    package var refusedPerAddressMax: UInt64 = 0
    /// Turned away because the process had no descriptor left.
    package var refusedDescriptors: UInt64 = 0
    /// How often the listeners rested because connections could not even be turned away.
    package var acceptPauses: UInt64 = 0
    /// Ended because the peer did not read and its queue was full.
    package var queueOverflows: UInt64 = 0
    /// Ended by a failure of TLS, in the handshake or later.
    package var tlsFailures: UInt64 = 0
    /// Broken by the network or the peer: reset, or not answering.
    package var broken: UInt64 = 0
    /// Those of them that did not acknowledge what was sent in time.
    package var timedOut: UInt64 = 0
    /// Ended because the peer took nothing of what waited for it when the connection was being closed.
    package var stalled: UInt64 = 0
    package var bytesReceived: UInt64 = 0
    package var bytesSent: UInt64 = 0
    /// Calls that sent something, and those after which something was left.
    package var writes: UInt64 = 0
    package var partialWrites: UInt64 = 0
    /// Turns whose work was cut short by `ConnectionLimits.turnWritesMax`.
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
        sum.turnsSplit += other.turnsSplit
    }
}
