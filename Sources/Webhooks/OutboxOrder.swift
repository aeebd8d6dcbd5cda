import Timekeeping

/// One row of the outbox, as far as the order of sending depends on it.
package struct OutboxRow: Sendable, Equatable {
    /// Ascends in the order in which the events were committed.
    package var id: Int64
    package var endpoint: String
    /// What the event is about; events of one subject reach an endpoint in order.
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

/// How many attempts may be under way at once.
package struct OutboxLimits: Sendable, Equatable {
    package let inFlightMax: Int
    package let inFlightPerEndpointMax: Int

    /// What the hub holds to. Its attempts fit beside all else into the descriptors that are kept free of
    /// connections.
    package static let standard = OutboxLimits()

    package init(inFlightMax: Int = 32, inFlightPerEndpointMax: Int = 4) {
        precondition(inFlightPerEndpointMax > 0)
        precondition(inFlightMax >= inFlightPerEndpointMax)
        self.inFlightMax = inFlightMax
        self.inFlightPerEndpointMax = inFlightPerEndpointMax
    }
}

/// What to do for the outbox at one moment.
package struct OutboxPlan: Sendable, Equatable {
    /// The rows to send, oldest first.
    package var send: [Int64]
    /// When the next row falls due; plan again then, when an attempt ends, and when rows are added.
    package var wakeAt: Timestamp?
}

/// Chooses the rows that may be sent at `now`.
///
/// A row waits for all earlier rows of its endpoint and subject until these are delivered or given
/// up, also while they wait for their own next attempt. Rows without a subject wait for none.
///
/// - Parameters:
///   - rows: in ascending order of their ids. Leave out those of endpoints that are paused, all or
///     none of an endpoint.
///   - pace: how fast an endpoint takes attempts at `now`; asked of rows that are due.
/// - Complexity: O(rows).
package func nextDue(
    _ rows: [OutboxRow],
    now: Timestamp,
    limits: OutboxLimits = OutboxLimits(),
    pace: (String) -> EndpointHealth.Pace = { _ in .free }
) -> OutboxPlan {
    var load = OutboxLoad(rows.filter(\.isInFlight), limits: limits)
    var plan = OutboxPlan(send: [], wakeAt: nil)
    var blocked: Set<OutboxLane> = []
    var lastID = Int64.min
    for row in rows {
        precondition(row.id > lastID, "outbox row \(row.id) after \(lastID)")
        lastID = row.id
        guard let nextAttempt = row.delivery.nextAttempt else { continue }
        if let subject = row.subject {
            let lane = OutboxLane(endpoint: row.endpoint, subject: subject)
            guard blocked.insert(lane).inserted else { continue }
        }
        if row.isInFlight { continue }
        if nextAttempt > now {
            plan.wakeAt = min(plan.wakeAt ?? nextAttempt, nextAttempt)
            continue
        }
        switch pace(row.endpoint) {
        case .free: if load.admit(row.endpoint) { plan.send.append(row.id) }
        case .trial: if load.admit(row.endpoint, most: 1) { plan.send.append(row.id) }
        case .wait(let until): plan.wakeAt = min(plan.wakeAt ?? until, until)
        }
    }
    return plan
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

    mutating func admit(_ endpoint: String, most: Int = .max) -> Bool {
        let count = perEndpoint[endpoint, default: 0]
        guard total < limits.inFlightMax, count < min(most, limits.inFlightPerEndpointMax) else {
            return false
        }
        total += 1
        perEndpoint[endpoint] = count + 1
        return true
    }
}
