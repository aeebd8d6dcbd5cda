/// The oldest pending rows of one endpoint, with the result of the last `nextDue`.
package struct EndpointQueue {
    package let endpoint: String
    /// In ascending order of their ids; no row that has ended.
    package private(set) var rows: [OutboxRow] = []
    /// Whether the store has, or may have, further rows after these.
    package private(set) var isCut = false
    /// The row that may be sent next; nil if none may be sent now.
    package private(set) var next: Int64?
    /// The time at which a further row may be sent.
    package private(set) var wakeAt: Timestamp?
    /// Whether the queue must be planned again, regardless of the time.
    package private(set) var isChanged = true
    /// Whether sending has stopped, so that only rows with an attempt in progress remain.
    package private(set) var isLeaving = false

    package init(_ endpoint: String) {
        self.endpoint = endpoint
    }

    package mutating func set(_ rows: [OutboxRow], isCut: Bool) {
        self.rows = rows
        self.isCut = isCut
        isLeaving = false
        isChanged = true
    }

    /// Removes all rows except those with an attempt in progress.
    package mutating func leave() {
        set(rows.filter(\.isInFlight), isCut: false)
        isLeaving = true
    }

    package mutating func touch() { isChanged = true }

    /// Whether `next` and `wakeAt` are out of date, so that the queue must be planned first.
    package func isStale(now: Timestamp) -> Bool {
        isChanged || wakeAt.map { $0 <= now } ?? false
    }

    /// Plans the queue. The order within one endpoint does not depend on any other.
    package mutating func plan(
        now: Timestamp,
        inFlightMax: Int,
        rates: EndpointRates,
        pace: (String) -> EndpointHealth.Pace
    ) {
        let plan = nextDue(
            rows,
            now: now,
            limits: OutboxLimits(inFlightMax: inFlightMax, inFlightPerEndpointMax: inFlightMax),
            rates: rates.only(endpoint),
            pace: pace
        )
        next = plan.send.first
        wakeAt = plan.wakeAt
        isChanged = false
    }

    /// Records that an attempt of a row begins, and returns the state of its delivery.
    package mutating func begin(_ id: Int64) -> Delivery? {
        guard let index = index(of: id) else { return nil }
        rows[index].isInFlight = true
        isChanged = true
        return rows[index].delivery
    }

    /// Records the state of a delivery after an attempt.
    package mutating func end(_ id: Int64, _ delivery: Delivery) {
        guard let index = index(of: id) else { return }
        isChanged = true
        guard delivery.nextAttempt != nil, !isLeaving else {
            rows.remove(at: index)
            return
        }
        rows[index].delivery = delivery
        rows[index].isInFlight = false
    }

    private func index(of id: Int64) -> Int? { rows.firstIndex { $0.id == id } }
}
