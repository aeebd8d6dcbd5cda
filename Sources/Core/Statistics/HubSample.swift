/// The state of a hub at the end of an interval, and what it did in the interval.
package struct HubSample: Sendable, Equatable {
    /// The end of the interval, by the wall clock.
    package let time: Timestamp
    package let states: HubStates
    package let counts: HubCounts
    /// The longest turn of a loop in the interval; nil if no loop took a turn.
    package let longestTurn: Duration?
    package let write: TimeCounts
    package let ping: TimeCounts
    package let commit: TimeCounts

    /// - Parameter longestTurn: of the whole interval, which may have had totals in between.
    init(from before: HubTotals, to now: HubTotals, longestTurn: Duration?, time: Timestamp) {
        self.time = time
        states = now.states
        counts = now.counts.since(before.counts)
        self.longestTurn = longestTurn
        write = TimeCounts(from: before.write, to: now.write)
        ping = TimeCounts(from: before.ping, to: now.ping)
        commit = TimeCounts(from: before.commit, to: now.commit)
    }
}

/// The number of times in each bucket, of one interval.
package struct TimeCounts: Sendable, Equatable {
    /// The buckets whose bounds are reported, up to 16.8 s. Longer times share one more bucket.
    private static let boundCount = 22
    /// The upper bounds of the buckets except the last, in seconds: doublings of 8 µs.
    package static let bounds = Array(Histogram.Scale.times.bounds.prefix(boundCount))

    /// Empty if all counts are zero: most intervals of most hubs have no times of some kind.
    package let counts: [UInt32]

    init(from before: Histogram, to now: Histogram) {
        let times = zip(before.counts, now.counts).map { $1.since($0) }
        guard times.contains(where: { $0 > 0 }) else {
            counts = []
            return
        }
        let rest = times.dropFirst(TimeCounts.boundCount).reduce(0, +)
        counts = (times.prefix(TimeCounts.boundCount) + [rest]).map { UInt32(clamping: $0) }
    }
}

extension HubSample {
    /// The sample as JSON text; protocol/console.md, Samples.
    package var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    package func write(to json: inout JSONWriter) {
        json.object {
            $0.field("time", time.iso8601)
            $0.field("connections", states.connections)
            $0.field("subscriptions", states.subscriptions)
            $0.field("topics", states.topics)
            $0.field("publications", counts.publications)
            $0.field("deliveries", counts.deliveries)
            $0.field("received", counts.received)
            $0.field("sent", counts.sent)
            $0.field("dropped", counts.dropped)
            $0.field("slow", states.slow)
            $0.field("loop_lag", longestTurn?.inSeconds)
            $0.field("webhooks_pending", states.webhooksPending)
            $0.field("memory", states.memory)
            $0.field("cpu", counts.cpu.inSeconds)
            write.write("write", to: &$0)
            ping.write("ping", to: &$0)
            commit.write("commit", to: &$0)
        }
    }
}

extension TimeCounts {
    fileprivate func write(_ name: String, to json: inout JSONWriter) {
        guard !counts.isEmpty else { return }
        json.array(name) { array in
            for count in counts { array.value(count) }
        }
    }
}
