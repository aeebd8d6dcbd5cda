import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// What a loop has done and holds.
package struct ShardCounters: Sendable, Equatable {
    package var connections = ConnectionCounters()
    package var bounds = BoundCounts()
    /// Publications taken from the store, and the copies of them queued for subscribers.
    package var publications: UInt64 = 0
    package var deliveries: UInt64 = 0
    package var open = OpenConnections()
    package var subscriptions = 0
    package var topics = 0
    /// Bytes of compressed and of plain frames where a fan-out was compressed.
    package var compressedBytes: UInt64 = 0
    package var uncompressedBytes: UInt64 = 0
}

extension Shard {
    /// As of now; connections are counted by kind in one pass over the table.
    package func snapshot() -> ShardCounters {
        var counters = self.counters
        counters.connections = connections.snapshot()
        counters.bounds[.connections] = counters.connections.refusedConnectionsMax
        counters.bounds[.connectionsPerAddress] = counters.connections.refusedPerAddressMax
        counters.bounds[.descriptors] =
            counters.connections.refusedDescriptors + counters.connections.acceptPauses
        counters.bounds[.queueBytes] = counters.connections.queueOverflows
        counters.bounds[.userTimeout] = counters.connections.timedOut
        counters.bounds[.turnWrites] = counters.connections.turnsSplit
        for session in sessions { counters.open.count(session) }
        counters.subscriptions = hub.subscriptionCount
        counters.topics = hub.topicCount
        return counters
    }

    /// Counts what a request was refused for, if it went over a bound.
    func count(_ error: HTTPRequestError) {
        switch error.status {
        case 413: counters.bounds[.bodyBytes] += 1
        case 414, 431: counters.bounds[.headerBytes] += 1
        default: break
        }
    }

    /// Counts what a WebSocket connection failed for, if it went over a bound.
    func count(_ error: WebSocketError) {
        switch error {
        case .messageTooLong: counters.bounds[.messageBytes] += 1
        case .frameTooLong: counters.bounds[.frameBytes] += 1
        case .tooManyFragments: counters.bounds[.fragments] += 1
        default: break
        }
    }
}

/// Connections now, by what they speak.
package struct OpenConnections: Sendable, Equatable {
    package var http = 0
    package var webSocket = 0
    package var eventStream = 0
    package var echo = 0

    fileprivate mutating func count(_ session: Session) {
        switch session {
        case .none: break
        case .http: http += 1
        case .client: webSocket += 1
        case .eventStream: eventStream += 1
        case .echo: echo += 1
        }
    }

    static func += (sum: inout OpenConnections, other: OpenConnections) {
        sum.http += other.http
        sum.webSocket += other.webSocket
        sum.eventStream += other.eventStream
        sum.echo += other.echo
    }
}
