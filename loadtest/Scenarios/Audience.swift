import Reactor

/// Subscribers that go away and come back: where each stands, and what it has received.
///
/// Positions are reckoned: the channel has no publisher but the load's, so the message with sequence number 0
/// has the offset behind the one that the first subscription was told, and so on.
struct Audience: Sendable {
    private(set) var deliveries: Deliveries
    /// Subscriptions that a server could not recover, so that messages were lost; each says so.
    private(set) var unrecoveredCount = 0
    /// Attempts to connect that failed, by reason.
    private(set) var failures: [String: Int] = [:]
    private(set) var readyCount = 0

    private var members: [Member]
    private var origin: Position?
    /// Who is to connect again, and when; in the order of the instants, since all wait equally long.
    private var retries: [Retry] = []
    private var retriesTaken = 0

    private enum Member {
        case away
        case joining
        case ready(ConnectionID)
    }

    private struct Retry {
        var due: MonotonicInstant
        var number: Int
    }

    /// Between a failed attempt and the next.
    private static let retryDelay = Duration.milliseconds(500)

    init(count: Int) {
        deliveries = Deliveries(subscriberCount: count)
        members = Array(repeating: .away, count: count)
    }

    var count: Int { members.count }
    var isWhole: Bool { readyCount == members.count }

    func connection(of number: Int) -> ConnectionID? {
        if case .ready(let id) = members[number] { id } else { nil }
    }

    func lost(published: UInt32) -> Int { deliveries.lost(published: published) }

    /// Connects one that is away, and lets it recover what it has missed.
    mutating func open(_ number: Int, now: MonotonicInstant, _ fleet: inout Fleet) {
        guard case .away = members[number] else { return }
        var position = origin
        position?.offset += UInt64(deliveries.next(of: number))
        do {
            try fleet.open(
                .subscriber,
                number: number,
                position: fleet.settings.dialect.canRecover ? position : nil
            )
            members[number] = .joining
        } catch {
            retry(number, "\(error)", now)
        }
    }

    /// Connects those again whose time has come; returns when the next one's comes.
    mutating func retryDue(now: MonotonicInstant, _ fleet: inout Fleet) -> MonotonicInstant? {
        while retriesTaken < retries.count, retries[retriesTaken].due <= now {
            retriesTaken += 1
            open(retries[retriesTaken - 1].number, now: now, &fleet)
        }
        guard retriesTaken < retries.count else {
            retries.removeAll(keepingCapacity: true)
            retriesTaken = 0
            return nil
        }
        return retries[retriesTaken].due
    }

    /// One is back. What it cannot get any more is counted, and it goes on with the next message.
    mutating func isReady(
        _ peer: Peer,
        _ subscription: CentrifugeText.Subscribed?,
        published: UInt32
    ) {
        readyCount += 1
        members[peer.number] = .ready(peer.id)
        if origin == nil { origin = subscription?.position }
        guard deliveries.next(of: peer.number) < published else { return }
        let isRecovered = peer.position != nil && subscription?.isRecovered == true
        if peer.position != nil, !isRecovered { unrecoveredCount += 1 }
        if !isRecovered { deliveries.restart(peer.number, at: published) }
    }

    mutating func receive(_ sequence: UInt32, by number: Int) -> Bool {
        deliveries.receive(sequence, by: number)
    }

    /// One is gone. When it was not ready, that was an attempt, and another follows.
    mutating func hasEnded(_ peer: Peer, reason: String, now: MonotonicInstant) {
        switch members[peer.number] {
        case .away: break
        case .joining:
            members[peer.number] = .away
            retry(peer.number, reason, now)
        case .ready:
            members[peer.number] = .away
            readyCount -= 1
        }
    }

    private mutating func retry(_ number: Int, _ reason: String, _ now: MonotonicInstant) {
        failures[reason, default: 0] += 1
        retries.append(Retry(due: now + Audience.retryDelay, number: number))
    }

    var failureCount: Int { failures.values.reduce(0, +) }

    func problems(published: UInt32) -> [String] {
        deliveries.problems(published: published)
            + (unrecoveredCount > 0
                ? ["\(unrecoveredCount) subscriptions were not recovered"] : [])
    }
}
