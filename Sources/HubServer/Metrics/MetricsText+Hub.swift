import Glibc
import Reactor
import Store

extension MetricsText {
    /// Everything that the hub counts.
    init(shards: [ShardCounters], store: StoreStatistics, version: String) {
        var sum = ShardCounters()
        for shard in shards { sum += shard }
        metric("varde_build_info", .gauge, "The version that runs.", [([("version", version)], 1)])
        write(sum)
        metric(
            "varde_limits_reached_total",
            .counter,
            "How often a bound was reached, by its configuration key.",
            Bound.allCases.map { ([("limit", $0.rawValue)], sum.bounds[$0]) }
        )
        write(sum.connections)
        write(store)
        if let pages = MetricsText.residentPages() {
            metric(
                "process_resident_memory_bytes",
                .gauge,
                "Memory of the process that is in use.",
                pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
            )
        }
    }

    private mutating func write(_ sum: ShardCounters) {
        metric(
            "varde_connections",
            .gauge,
            "Connections, by what they speak.",
            [
                ("http", sum.open.http), ("websocket", sum.open.webSocket),
                ("eventstream", sum.open.eventStream), ("echo", sum.open.echo),
            ].map { ([("transport", $0.0)], UInt64($0.1)) }
        )
        metric("varde_subscriptions", .gauge, "Subscriptions.", UInt64(sum.subscriptions))
        metric(
            "varde_messages_published_total",
            .counter,
            "Publications that each loop was given, added up over the loops.",
            sum.publications
        )
        metric(
            "varde_messages_delivered_total",
            .counter,
            "Publications queued for subscribers.",
            sum.deliveries
        )
        metric(
            "varde_deflate_bytes_total",
            .counter,
            "Bytes of publications that were compressed for a fan-out, before and after.",
            [([("side", "in")], sum.uncompressedBytes), ([("side", "out")], sum.compressedBytes)]
        )
    }

    private mutating func write(_ sum: ConnectionCounters) {
        metric(
            "varde_connections_accepted_total",
            .counter,
            "Connections accepted.",
            sum.accepted
        )
        metric(
            "varde_connections_broken_total",
            .counter,
            "Connections that the network or the peer broke.",
            [([("reason", "tls")], sum.tlsFailures), ([("reason", "network")], sum.broken)]
        )
        metric("varde_bytes_received_total", .counter, "Bytes read.", sum.bytesReceived)
        metric("varde_bytes_sent_total", .counter, "Bytes written.", sum.bytesSent)
        metric("varde_writes_total", .counter, "Calls that wrote something.", sum.writes)
        metric(
            "varde_partial_writes_total",
            .counter,
            "Writes of which the kernel took a part.",
            sum.partialWrites
        )
    }

    private mutating func write(_ store: StoreStatistics) {
        metric("varde_store_commits_total", .counter, "Transactions.", store.transactions)
        metric(
            "varde_store_writes_total",
            .counter,
            "Writes, several of which share a transaction.",
            [
                ([("result", "committed")], store.writesCommitted),
                ([("result", "failed")], store.writesFailed),
                ([("result", "refused")], store.writesRefused),
            ]
        )
        metric(
            "varde_store_writes_waiting",
            .gauge,
            "Writes that wait for the writer.",
            UInt64(store.writesWaiting)
        )
    }

    /// The second number of /proc/self/statm.
    private static func residentPages() -> UInt64? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let numbers = String(cString: line).split(separator: " ")
        return numbers.count > 1 ? UInt64(numbers[1]) : nil
    }
}

extension ShardCounters {
    static func += (sum: inout ShardCounters, other: ShardCounters) {
        sum.connections += other.connections
        sum.bounds += other.bounds
        sum.publications += other.publications
        sum.deliveries += other.deliveries
        sum.subscriptions += other.subscriptions
        sum.topics += other.topics
        sum.compressedBytes += other.compressedBytes
        sum.uncompressedBytes += other.uncompressedBytes
        sum.open += other.open
    }
}
