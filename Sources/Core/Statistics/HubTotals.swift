// Statistics: samples of the state and the work of a hub, for each second of the last hour and each
// minute of the last day.

/// The state of a hub at one moment.
package struct HubStates: Sendable, Equatable {
    /// Connections that receive publications.
    package var connections = 0
    package var subscriptions = 0
    /// Topics with publications or subscribers.
    package var topics = 0
    /// Connections that read more slowly than the hub sends.
    package var slow = 0
    package var webhooksPending = 0
    /// Resident memory of the process, in bytes.
    package var memory = 0

    package init() {}
}

/// The work of a hub: since its start, or in an interval.
package struct HubCounts: Sendable, Equatable {
    package var publications: UInt64 = 0
    /// Copies of publications queued for subscribers.
    package var deliveries: UInt64 = 0
    /// Bytes from and to clients.
    package var received: UInt64 = 0
    package var sent: UInt64 = 0
    /// Publications that subscribers lost because they were slow.
    package var dropped: UInt64 = 0
    /// Processor time, in user space and in the kernel.
    package var cpu = Duration.zero

    package init() {}

    /// The part of these counts that is after `earlier`. A count below its earlier value has begun
    /// again at zero, so all of it is after `earlier`.
    func since(_ earlier: HubCounts) -> HubCounts {
        var part = HubCounts()
        part.publications = publications.since(earlier.publications)
        part.deliveries = deliveries.since(earlier.deliveries)
        part.received = received.since(earlier.received)
        part.sent = sent.since(earlier.sent)
        part.dropped = dropped.since(earlier.dropped)
        part.cpu = cpu < earlier.cpu ? cpu : cpu - earlier.cpu
        return part
    }
}

extension UInt64 {
    /// The part of a counter that is after an earlier value of it: see `HubCounts.since`.
    func since(_ earlier: UInt64) -> UInt64 { self < earlier ? self : self - earlier }
}

/// The states of a hub at one moment, and its counts since its start.
package struct HubTotals: Sendable, Equatable {
    package var states = HubStates()
    package var counts = HubCounts()
    /// The longest turn of a loop since the totals before; nil if no loop took a turn.
    package var longestTurn: Duration?
    /// The times from a commit to the end of the turn that sent its publications.
    package var write = Histogram(.times)
    /// The round trips of pings.
    package var ping = Histogram(.times)
    /// The durations of the store's transactions.
    package var commit = Histogram(.times)

    package init() {}
}
