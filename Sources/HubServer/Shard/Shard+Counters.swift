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
    /// Connections now, by what they speak.
    package var open: [String: Int] = [:]
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
        counters.connections = connections.counters
        counters.bounds[.connections] = connections.counters.refusedConnectionsMax
        counters.bounds[.connectionsPerAddress] = connections.counters.refusedPerAddressMax
        counters.bounds[.descriptors] =
            connections.counters.refusedDescriptors + connections.counters.acceptPauses
        counters.bounds[.queueBytes] = connections.counters.queueOverflows
        counters.bounds[.userTimeout] = connections.counters.timedOut
        counters.bounds[.turnWrites] = connections.counters.turnsSplit
        for session in sessions {
            guard let kind = session.kind else { continue }
            counters.open[kind, default: 0] += 1
        }
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

extension Session {
    /// For the metrics; nil for none.
    fileprivate var kind: String? {
        switch self {
        case .none: nil
        case .http: "http"
        case .client: "websocket"
        case .echo: "echo"
        case .eventStream: "eventstream"
        }
    }
}
