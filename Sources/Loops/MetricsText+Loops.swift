import Core
import Reactor

/// The metrics of the loops.
extension MetricsText {
    /// - Parameters:
    ///   - loops: one for each loop.
    ///   - bounds: the bounds that were reached outside of the loops.
    package mutating func write(loops: [LoopCounters], bounds: BoundCounts, _ memory: HeldMemory) {
        var sum = LoopCounters()
        for counters in loops { sum += counters }
        sum.bounds += bounds
        writeConnections(sum)
        write(sum.connections)
        write(memory)
        writeClients(sum)
        // Every loop gets every publication, so the count of one loop is complete.
        writeMessages(sum, published: loops.first?.published ?? [:])
        writeRecoveries(sum)
        writeTimes(sum)
    }

    private mutating func writeConnections(_ sum: LoopCounters) {
        let open: [(transport: String, protocol: String, count: Int)] = [
            ("http", "http", sum.open.http), ("websocket", "json", sum.open.json),
            ("websocket", "protobuf", sum.open.protobuf),
            ("websocket", "cloudevents", sum.open.cloudEvents),
            ("websocket", "echo", sum.open.echo),
            ("eventstream", "eventstream", sum.open.eventStream),
            ("http_stream", "json", sum.open.streams[.lines] ?? 0),
            ("sse", "json", sum.open.streams[.events] ?? 0),
        ]
        let sockets = sum.open.sockets.sorted { $0.key < $1.key }
            .map { (transport: "websocket", protocol: $0.key, count: $0.value) }
        metric(
            "hub_connections",
            .gauge,
            "Open connections, by protocol and transport.",
            (open + sockets).map {
                ([("transport", $0.transport), ("protocol", $0.protocol)], UInt64($0.count))
            }
        )
        let rate =
            sum.bounds[.handshakes] + sum.bounds[.userConnects] + sum.bounds[.addressConnects]
        metric(
            "hub_connections_rejected_total",
            .counter,
            "Connections, WebSockets and event streams that were turned away.",
            [
                ("connections", sum.bounds[.connections]),
                ("address", sum.bounds[.connectionsPerAddress]),
                ("descriptors", sum.connections.refusedDescriptors),
                ("user", sum.bounds[.connectionsPerUser]), ("rate", rate),
                ("origin", sum.pagesRefused),
            ].map { ([("reason", $0.0)], $0.1) }
        )
        metric(
            "hub_limits_reached_total",
            .counter,
            "Times that a limit was reached, by its configuration key.",
            Bound.allCases.map { ([("limit", $0.rawValue)], sum.bounds[$0]) }
        )
        metric(
            "hub_drain_remaining",
            .gauge,
            "Connections that have still to leave before the hub ends.",
            UInt64(sum.draining)
        )
    }

    private mutating func write(_ sum: ConnectionCounters) {
        metric("hub_connections_accepted_total", .counter, "Connections accepted.", sum.accepted)
        metric(
            "hub_connections_broken_total",
            .counter,
            "Connections that the network or the peer broke.",
            [([("reason", "tls")], sum.tlsFailures), ([("reason", "network")], sum.broken)]
        )
        metric("hub_bytes_received_total", .counter, "Bytes read.", sum.bytesReceived)
        metric("hub_bytes_sent_total", .counter, "Bytes written.", sum.bytesSent)
        metric("hub_writes_total", .counter, "Calls that wrote something.", sum.writes)
        metric(
            "hub_partial_writes_total",
            .counter,
            "Writes of which the kernel took a part.",
            sum.partialWrites
        )
        metric(
            "hub_io_uring_writes_total",
            .counter,
            "Writes that shared a system call with others, by io_uring.",
            sum.ringWrites
        )
    }

    private mutating func write(_ memory: HeldMemory) {
        metric(
            "hub_memory_bytes",
            .gauge,
            "Bytes that peers make the hub hold, by purpose.",
            MemoryBudget.Purpose.allCases.map {
                // The counts are summed while the loops run: one can be negative for a moment.
                ([("purpose", $0.rawValue)], UInt64(max(0, memory.held[$0, default: 0])))
            }
        )
        metric(
            "hub_memory_limit_bytes",
            .gauge,
            "The memory that all peers together may occupy: limits.memory.",
            UInt64(memory.limit)
        )
    }

    private mutating func writeClients(_ sum: LoopCounters) {
        metric(
            "hub_disconnects_total",
            .counter,
            "Clients that have gone, by the code that they were given; 0 for none.",
            sum.disconnects.sorted { ($0.key.code, $0.key.reason) < ($1.key.code, $1.key.reason) }
                .map { ([("code", "\($0.key.code)"), ("reason", $0.key.reason)], $0.value) }
        )
        metric("hub_subscriptions", .gauge, "Subscriptions.", UInt64(sum.subscriptions))
        metric(
            "hub_topics",
            .gauge,
            "Topics in memory: those with a history there, and those with subscribers.",
            UInt64(sum.topics)
        )
        metric(
            "hub_reply_errors_total",
            .counter,
            "Commands that were answered with an error.",
            sum.replyErrors.sorted { ($0.key.method, $0.key.code) < ($1.key.method, $1.key.code) }
                .map { ([("method", $0.key.method), ("code", "\($0.key.code)")], $0.value) }
        )
        metric(
            "hub_token_refused_total",
            .counter,
            "Refused tokens, by the reason.",
            sum.tokensRefused.sorted { $0.key < $1.key }.map { ([("code", $0.key)], $0.value) }
        )
    }

    private mutating func writeMessages(_ sum: LoopCounters, published: [String: UInt64]) {
        metric(
            "hub_messages_published_total",
            .counter,
            "Publications that the loops were given.",
            published.sorted { $0.key < $1.key }.map { ([("namespace", $0.key)], $0.value) }
        )
        metric(
            "hub_messages_delivered_total",
            .counter,
            "Publications queued for subscribers.",
            sum.deliveries
        )
        metric(
            "hub_messages_dropped_total",
            .counter,
            "Publications that a subscriber did not get.",
            [
                ("slow", sum.dropped), ("filter", sum.filtered), ("conflated", sum.conflated),
                ("expired", sum.expired),
            ].map { ([("reason", $0.0)], $0.1) }
        )
        metric(
            "hub_subscriptions_held_total",
            .counter,
            "Subscriptions that rested because their reader was slow.",
            sum.held
        )
        metric(
            "hub_deflate_bytes_total",
            .counter,
            "Bytes of publications that were compressed for a fan-out, before and after.",
            [([("side", "in")], sum.uncompressedBytes), ([("side", "out")], sum.compressedBytes)]
        )
    }

    private mutating func writeRecoveries(_ sum: LoopCounters) {
        metric(
            "hub_recover_total",
            .counter,
            "Subscribers that came back with a position, by what became of it.",
            RecoveryResult.allCases.map {
                ([("result", $0.rawValue)], sum.recoveries[$0, default: 0])
            }
        )
        metric(
            "hub_recover_waits_total",
            .counter,
            "Commands and streams that waited because their position was ahead of this node.",
            sum.positionWaits
        )
        metric(
            "hub_history_waits_total",
            .counter,
            "Commands and streams that waited for a history to be read from the store.",
            sum.historyWaits
        )
        histogram("hub_recovered_messages", "Publications of each recovery.", sum.recovered)
    }

    private mutating func writeTimes(_ sum: LoopCounters) {
        histogram(
            "hub_handshake_seconds",
            "From accept to the answer that opens a WebSocket or an event stream.",
            sum.handshake
        )
        histogram("hub_ping_rtt_seconds", "From a ping to its answer.", sum.pingRoundTrip)
        histogram(
            "hub_loop_lag_seconds",
            "Turns of the loops: what becomes ready meanwhile waits so long.",
            sum.turn
        )
        histogram(
            "hub_broadcast_seconds",
            "Queueing the publications of a topic for all of its subscribers.",
            sum.broadcast
        )
        histogram(
            "hub_publish_to_write_seconds",
            "From the commit of publications to the end of the turn that has sent them.",
            sum.publishToWrite
        )
        histogram(
            "hub_client_queue_bytes",
            "Bytes that wait for each connection when the metrics are read.",
            sum.queueBytes
        )
    }
}

extension LoopCounters {
    package static func += (sum: inout LoopCounters, other: LoopCounters) {
        sum.connections += other.connections
        sum.bounds += other.bounds
        sum.published.merge(other.published, uniquingKeysWith: +)
        sum.deliveries += other.deliveries
        sum.held += other.held
        sum.dropped += other.dropped
        sum.conflated += other.conflated
        sum.expired += other.expired
        sum.filtered += other.filtered
        sum.tokensRefused.merge(other.tokensRefused, uniquingKeysWith: +)
        sum.pagesRefused += other.pagesRefused
        sum.disconnects.merge(other.disconnects, uniquingKeysWith: +)
        sum.replyErrors.merge(other.replyErrors, uniquingKeysWith: +)
        sum.recoveries.merge(other.recoveries, uniquingKeysWith: +)
        sum.positionWaits += other.positionWaits
        sum.historyWaits += other.historyWaits
        sum.recovered += other.recovered
        sum.handshake += other.handshake
        sum.pingRoundTrip += other.pingRoundTrip
        sum.turn += other.turn
        sum.broadcast += other.broadcast
        sum.publishToWrite += other.publishToWrite
        sum.queueBytes += other.queueBytes
        sum.subscriptions += other.subscriptions
        // Each loop has the history of every topic, and also those that only its clients have.
        sum.topics = max(sum.topics, other.topics)
        sum.compressedBytes += other.compressedBytes
        sum.uncompressedBytes += other.uncompressedBytes
        sum.open += other.open
        sum.draining += other.draining
    }
}
