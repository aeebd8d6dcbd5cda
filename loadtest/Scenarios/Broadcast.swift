import Reactor

/// One publisher at a rate, and subscribers that recover what they missed when they come back: the part that
/// the scenarios have in common in which connections end.
struct Broadcast: Sendable {
    var publisher: Publisher
    var audience: Audience
    private(set) var schedule: RateSchedule?
    private var opener: Opener

    init(run: UInt32, payloadLength: Int, subscriberCount: Int, concurrency: Int) {
        publisher = Publisher(stamp: Stamp(run: run), payloadLength: payloadLength)
        audience = Audience(count: subscriberCount)
        opener = Opener(count: subscriberCount, concurrency: concurrency)
    }

    // MARK: Connections

    /// Opens subscribers, as many as may be on their way, and the publisher once all of them are ready.
    ///
    /// - Returns: whether all of them and the publisher are ready.
    /// - Throws: the error of opening the publisher.
    mutating func open(_ now: MonotonicInstant, _ fleet: inout Fleet) throws -> Bool {
        openSubscribers(now, &fleet)
        guard opener.isDone, audience.isWhole else { return false }
        guard publisher.id == nil else { return true }
        if fleet.joiningCount == 0 { try fleet.open(.publisher, number: 0) }
        return false
    }

    mutating func openSubscribers(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        while !opener.isDone, fleet.joiningCount < opener.concurrency {
            audience.open(opener.take(), now: now, &fleet)
        }
    }

    /// Lets `openSubscribers` begin again with the first one.
    mutating func reopen(concurrency: Int) {
        opener = Opener(count: audience.count, concurrency: concurrency)
    }

    mutating func isReady(_ peer: Peer, _ subscription: CentrifugeText.Subscribed?) {
        guard peer.role == .subscriber else { return publisher.isReady(on: peer.id) }
        audience.isReady(peer, subscription, published: publisher.next)
    }

    // MARK: Messages

    mutating func startPublishing(_ now: MonotonicInstant, rate: Double) {
        schedule = RateSchedule(start: now, rate: rate)
    }

    mutating func stopPublishing() {
        schedule = nil
    }

    mutating func publishDue(_ now: MonotonicInstant, _ fleet: inout Fleet) {
        while let due = schedule?.take(now: now) {
            publisher.publish(1, due: due, now: now, &fleet)
        }
    }

    // MARK: Figures

    /// What became of the first messages, of which a subscriber has all if it has not lost any.
    func addLosses(published: UInt32, to report: inout Report) {
        report.add("lost", audience.lost(published: published), "messages")
        report.add("duplicates", audience.deliveries.duplicates, "messages")
        report.add("out_of_order", audience.deliveries.late, "messages")
        report.add("unrecovered", audience.unrecoveredCount, "")
    }
}
