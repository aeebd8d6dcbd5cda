import Reactor

/// Whether a peer that has not answered a ping in time is slow or dead.
///
/// A ping waits behind everything that was queued before it. Over a slow link that takes longer than the
/// time for the answer, so that time begins when the peer's side has received the ping. Until then, the
/// peer has to read something in each `stallTimeout`.
///
/// **Inputs.** `pingSent`, and `answerIsLate` when the time for the answer is over. Both take how far the
/// peer has read.
///
/// **Not done here:** the ping and its time, which the machines of the sessions have.
package struct ReadingWatch {
    package enum Verdict: Equatable {
        /// The peer reads: this counts as its answer.
        case alive
        /// Its side has not received the ping. Ask again at this instant.
        case waits(until: MonotonicInstant)
        case late
    }

    /// The place of the peer at `since`.
    private var place: UInt64 = 0
    /// When the peer was last seen to read, or had received everything.
    private var since = MonotonicInstant(nanoseconds: 0)
    /// Whether the ping has waited behind other bytes.
    private var hasWaited = false

    package init() {}

    /// Call it before the ping is queued.
    package mutating func pingSent(_ reading: PeerReading, now: MonotonicInstant) {
        hasWaited = reading.waitingBytes > 0
        if reading.isPast(place) || !hasWaited { move(to: reading, now: now) }
    }

    package mutating func answerIsLate(
        _ reading: PeerReading,
        now: MonotonicInstant,
        stallTimeout: Duration
    ) -> Verdict {
        if reading.isPast(place) {
            move(to: reading, now: now)
            return .alive
        }
        if reading.waitingBytes > 0 {
            hasWaited = true
            let end = since + stallTimeout
            return now < end ? .waits(until: end) : .late
        }
        guard hasWaited else { return .late }
        // Its time begins only now, when the ping has been received.
        hasWaited = false
        move(to: reading, now: now)
        return .alive
    }

    /// Whether the peer has read since the last call; for an answer that it has to read.
    package mutating func goesOn(_ reading: PeerReading) -> Bool {
        defer { place = reading.place }
        return reading.isPast(place)
    }

    private mutating func move(to reading: PeerReading, now: MonotonicInstant) {
        place = reading.place
        since = now
    }
}

/// Pings over slow links.
