import Core
import Reactor

/// The counters and gauges of a loop.
package struct LoopCounters: Sendable, Equatable {
    package var connections = ConnectionCounters()
    package var bounds = BoundCounts()
    /// Publications taken from the store, by namespace. Every loop receives all of them.
    package var published: [String: UInt64] = [:]
    /// Copies of publications queued for subscribers.
    package var deliveries: UInt64 = 0
    /// Subscriptions that were held because their reader was slow, and the publications that such
    /// readers lost.
    package var held: UInt64 = 0
    package var dropped: UInt64 = 0
    package var conflated: UInt64 = 0
    /// Publications that expired before a slow reader could receive them.
    package var expired: UInt64 = 0
    /// Publications that did not match a subscriber's filter.
    package var filtered: UInt64 = 0
    /// Refused tokens, by the error's code.
    package var tokensRefused: [String: UInt64] = [:]
    /// Refused requests of pages whose origins are not allowed.
    package var pagesRefused: UInt64 = 0
    package var disconnects: [DisconnectCause: UInt64] = [:]
    package var replyErrors: [ReplyError: UInt64] = [:]
    package var recoveries: [RecoveryResult: UInt64] = [:]
    /// Commands and streams that have waited because their position was ahead.
    package var positionWaits: UInt64 = 0
    package var historyWaits: UInt64 = 0
    /// The number of publications of each recovery.
    package var recovered = Histogram(.counts)
    /// The time from accept to the answer that opens a WebSocket or an event stream.
    package var handshake = Histogram(.times)
    package var pingRoundTrip = Histogram(.times)
    /// The turns of the loop, and the fan-outs in them.
    package var turn = Histogram(.times)
    package var broadcast = Histogram(.times)
    /// The time from the commit to the end of the turn that has sent it.
    package var publishToWrite = Histogram(.times)
    /// The queue of each connection, measured when the counters are read.
    package var queueBytes = Histogram(.bytes)
    package var open = OpenConnections()
    /// Connections that have not left yet.
    package var draining = 0
    package var subscriptions = 0
    package var topics = 0
    /// Bytes of compressed and of plain frames in compressed fan-outs.
    package var compressedBytes: UInt64 = 0
    package var uncompressedBytes: UInt64 = 0

    package init() {}
}
