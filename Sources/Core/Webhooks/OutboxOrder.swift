/// One row of the outbox, as far as the order of sending depends on it.
package struct OutboxRow: Sendable, Equatable {
    /// Ascends in the order in which the events were committed.
    package var id: Int64
    package var endpoint: String
    /// The subject of the event; events of one subject reach an endpoint in order.
    package var subject: String?
    package var delivery: Delivery
    /// Whether an attempt is under way.
    package var isInFlight: Bool

    package init(
        id: Int64,
        endpoint: String,
        subject: String?,
        delivery: Delivery,
        isInFlight: Bool = false
    ) {
        self.id = id
        self.endpoint = endpoint
        self.subject = subject
        self.delivery = delivery
        self.isInFlight = isInFlight
    }
}

/// The maximum number of attempts under way at once.
package struct OutboxLimits: Sendable, Equatable {
    package let inFlightMax: Int
    package let inFlightPerEndpointMax: Int

    /// The hub's limits. Its attempts fit with everything else into the descriptors that are kept
    /// free of connections.
    package static let standard = OutboxLimits()

    package init(inFlightMax: Int = 32, inFlightPerEndpointMax: Int = 4) {
        precondition(inFlightPerEndpointMax > 0)
        precondition(inFlightMax >= inFlightPerEndpointMax)
        self.inFlightMax = inFlightMax
        self.inFlightPerEndpointMax = inFlightPerEndpointMax
    }
}

/// The outbox's next steps at one moment.
package struct OutboxPlan: Sendable, Equatable {
    /// The rows to send, oldest first.
    package var send: [Int64]
    /// When the next row falls due; plan again then, when an attempt ends, and when rows are added.
    package var wakeAt: Timestamp?
    /// The rest of the endpoints' rates after these rows: use it for the next plan.
    package var rates = EndpointRates()
}

/// Chooses the rows that may be sent at `now`.
///
/// A row waits for all earlier rows of its endpoint and subject until these are delivered or given
/// up, also while they wait for their own next attempt. Rows without a subject do not wait.
///
/// - Parameters:
///   - rows: in ascending order of their ids. Leave out those of endpoints that are paused, all or
///     none of an endpoint.
///   - rates: the rates of endpoints, as left by the previous plan.
///   - pace: the pace of an endpoint at `now`; read for rows that are due.
/// - Complexity: O(rows). Rows after the last attempt that may be under way are not read: its end
///   triggers another plan in any case, so none of them needs to be waited for.
package func nextDue(
    _ rows: [OutboxRow],
    now: Timestamp,
    limits: OutboxLimits = OutboxLimits(),
    rates: EndpointRates = EndpointRates(),
    pace: (String) -> EndpointHealth.Pace = { _ in .free }
) -> OutboxPlan {
    var load = OutboxLoad(rows.filter(\.isInFlight), limits: limits)
    var plan = OutboxPlan(send: [], wakeAt: nil, rates: rates)
    var blocked: Set<OutboxLane> = []
    var lastID = Int64.min
    for row in rows {
        guard !load.isFull else { break }
        precondition(row.id > lastID, "outbox row \(row.id) after \(lastID)")
        lastID = row.id
        guard let nextAttempt = row.delivery.nextAttempt else { continue }
        if let subject = row.subject {
            let lane = OutboxLane(endpoint: row.endpoint, subject: subject)
            guard blocked.insert(lane).inserted else { continue }
        }
        if row.isInFlight { continue }
        if nextAttempt > now {
            plan.wake(at: nextAttempt)
            continue
        }
        let most: Int
        switch pace(row.endpoint) {
        case .free: most = .max
        case .trial: most = 1
        case .wait(let until):
            plan.wake(at: until)
            continue
        }
        if let until = plan.rates.wait(of: row.endpoint, now: now) {
            plan.wake(at: until)
            continue
        }
        guard load.admit(row.endpoint, most: most) else { continue }
        plan.rates.take(from: row.endpoint, now: now)
        plan.send.append(row.id)
    }
    return plan
}

extension OutboxPlan {
    fileprivate mutating func wake(at time: Timestamp) {
        wakeAt = min(wakeAt ?? time, time)
    }
}

private struct OutboxLane: Hashable {
    var endpoint: String
    var subject: String
}

private struct OutboxLoad {
    private let limits: OutboxLimits
    private var total: Int
    private var perEndpoint: [String: Int]

    init(_ inFlight: [OutboxRow], limits: OutboxLimits) {
        self.limits = limits
        total = inFlight.count
        perEndpoint = Dictionary(grouping: inFlight, by: \.endpoint).mapValues(\.count)
    }

    var isFull: Bool { total >= limits.inFlightMax }

    mutating func admit(_ endpoint: String, most: Int) -> Bool {
        let count = perEndpoint[endpoint, default: 0]
        guard total < limits.inFlightMax, count < min(most, limits.inFlightPerEndpointMax) else {
            return false
        }
        total += 1
        perEndpoint[endpoint] = count + 1
        return true
    }
}
