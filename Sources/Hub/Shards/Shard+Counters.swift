import Metrics
import PubSub
import Reactor

/// What a loop has done and holds.
package struct ShardCounters: Sendable, Equatable {
    package var connections = ConnectionCounters()
    package var bounds = BoundCounts()
    /// Publications taken from the store, by namespace. Every loop is given all.
    package var published: [String: UInt64] = [:]
    /// Copies of publications queued for subscribers.
    package var deliveries: UInt64 = 0
    /// Subscriptions that were held because their reader was slow, and what such readers did not get.
    package var held: UInt64 = 0
    package var dropped: UInt64 = 0
    package var conflated: UInt64 = 0
    /// What was no longer kept when a slow reader could have had it.
    package var expired: UInt64 = 0
    /// What a subscriber's filter kept from it.
    package var filtered: UInt64 = 0
    /// By the error's code.
    package var tokensRefused: [String: UInt64] = [:]
    /// Pages of origins that are not allowed.
    package var pagesRefused: UInt64 = 0
    package var disconnects: [DisconnectCause: UInt64] = [:]
    package var replyErrors: [ReplyError: UInt64] = [:]
    package var recoveries: [RecoveryResult: UInt64] = [:]
    /// Publications that each recovery had.
    package var recovered = Histogram(.counts)
    /// From accept to the answer that opens a WebSocket or an event stream.
    package var handshake = Histogram(.times)
    package var pingRoundTrip = Histogram(.times)
    /// The turns of the loop, and in them the fan-outs.
    package var turn = Histogram(.times)
    package var broadcast = Histogram(.times)
    /// From the commit to the end of the turn that has sent it.
    package var publishToWrite = Histogram(.times)
    /// What waits for each connection, looked at when the counters are asked for.
    package var queueBytes = Histogram(.bytes)
    package var open = OpenConnections()
    /// Connections that have still to leave.
    package var draining = 0
    package var subscriptions = 0
    package var topics = 0
    /// Bytes of compressed and of plain frames where a fan-out was compressed.
    package var compressedBytes: UInt64 = 0
    package var uncompressedBytes: UInt64 = 0

    package init() {}
}

extension Shard {
    /// As of now; connections are counted by kind in one pass over the table.
    package func snapshot() -> ShardCounters {
        for id in connections.openConnections() {
            counters.queueBytes.add(connections.queuedBytes(id))
        }
        var counters = self.counters
        counters.connections = connections.snapshot()
        counters.bounds[.connections] = counters.connections.refusedConnectionsMax
        counters.bounds[.connectionsPerAddress] = counters.connections.refusedPerAddressMax
        counters.bounds[.descriptors] =
            counters.connections.refusedDescriptors + counters.connections.acceptPauses
        counters.bounds[.queueBytes] = counters.connections.queueOverflows
        counters.bounds[.userTimeout] = counters.connections.timedOut
        counters.bounds[.stallTimeout] += counters.connections.stalled
        counters.bounds[.turnWrites] = counters.connections.turnsSplit
        counters.open.sockets = Dictionary(uniqueKeysWithValues: sockets.map { ($0.name, 0) })
        for session in sessions { counters.open.count(session) }
        counters.subscriptions = hub.subscriptionCount
        counters.topics = hub.topicCount
        counters.draining = isDraining ? connections.count : 0
        return counters
    }

    /// Counts why a subscription was refused, if it went over a bound.
    package func count(_ error: SubscribeError) {
        switch error {
        case .tooManyTopics: counters.bounds[.unpublishedTopics] += 1
        case .unknownTopic, .alreadySubscribed, .unrecoverablePosition: break
        }
    }
}
