import Store
import Timekeeping
import Webhooks

/// The oldest pending rows of one endpoint, and what `nextDue` said of them.
package struct EndpointQueue {
    package let endpoint: String
    /// In ascending order of their ids; none that has ended.
    package private(set) var rows: [OutboxRow] = []
    /// Whether the store has, or may have, more behind these.
    package private(set) var isCut = false
    /// The row that may be sent next; nil while none may.
    package private(set) var next: Int64?
    /// When another may.
    package private(set) var wakeAt: Timestamp?
    /// Whether it is to be planned anew whatever the time.
    package private(set) var isChanged = true
    /// Whether nothing more is sent, and the rows are those that are still under way.
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

    /// Keeps of its rows only those that are under way.
    package mutating func leave() {
        set(rows.filter(\.isInFlight), isCut: false)
        isLeaving = true
    }

    package mutating func touch() { isChanged = true }

    /// Whether it has to be planned before `next` and `wakeAt` can be believed.
    package func isStale(now: Timestamp) -> Bool {
        isChanged || wakeAt.map { $0 <= now } ?? false
    }

    /// The order of one endpoint does not depend on any other.
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

    /// Notes that an attempt of a row begins; answers where its delivery stands.
    package mutating func begin(_ id: Int64) -> Delivery? {
        guard let index = index(of: id) else { return nil }
        rows[index].isInFlight = true
        isChanged = true
        return rows[index].delivery
    }

    /// Notes where a delivery stands after an attempt.
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
