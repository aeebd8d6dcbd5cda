import Store
import Timekeeping
import Webhooks

/// The oldest pending rows of each endpoint, kept between readings of the store, so that an attempt that ends
/// costs no query.
struct OutboxWindow {
    private var rows: [OutboxRow] = []
    private var stored: [Int64: StoredDelivery] = [:]
    /// Endpoints of which there were more rows than were read, with how many are left here.
    private var left: [String: Int] = [:]
    /// What ended while the store is read, which may not have seen it; nil when it is not.
    private var ended: [Int64: Delivery]?

    /// Rows of one endpoint looked at together; the rest waits behind them.
    let rowsPerEndpoint: Int

    init(rowsPerEndpoint: Int = 64) {
        self.rowsPerEndpoint = rowsPerEndpoint
    }

    /// Whether an endpoint has few rows here and more in the store.
    var isRunningLow: Bool { left.values.contains { $0 < rowsPerEndpoint / 4 } }

    mutating func beginReading() { ended = [:] }

    /// Takes what was read since `beginReading`.
    ///
    /// - Parameters:
    ///   - read: in ascending order of their ids.
    ///   - inFlight: rows of which an attempt is under way.
    mutating func fill(
        _ read: [StoredDelivery],
        inFlight: Set<Int64>,
        delivery: (StoredDelivery) -> Delivery
    ) {
        left = [:]
        for row in read { left[row.endpoint, default: 0] += 1 }
        left = left.filter { $0.value >= rowsPerEndpoint }
        stored = [:]
        rows = []
        rows.reserveCapacity(read.count)
        defer { ended = nil }
        for row in read {
            let delivery = ended?[row.id] ?? delivery(row)
            guard delivery.nextAttempt != nil else {
                left[row.endpoint]? -= 1
                continue
            }
            stored[row.id] = row
            rows.append(
                OutboxRow(
                    id: row.id,
                    endpoint: row.endpoint,
                    subject: row.subject,
                    delivery: delivery,
                    isInFlight: inFlight.contains(row.id)
                )
            )
        }
    }

    /// What may be sent, each with where its delivery stands; noted as under way.
    mutating func take(
        now: Timestamp,
        pace: (String) -> EndpointHealth.Pace
    ) -> (due: [(row: StoredDelivery, delivery: Delivery)], wakeAt: Timestamp?) {
        let plan = nextDue(rows, now: now, limits: .standard, pace: pace)
        let chosen = Set(plan.send)
        guard !chosen.isEmpty else { return ([], plan.wakeAt) }
        var due: [(row: StoredDelivery, delivery: Delivery)] = []
        for index in rows.indices where chosen.contains(rows[index].id) {
            rows[index].isInFlight = true
            if let row = stored[rows[index].id] { due.append((row, rows[index].delivery)) }
        }
        return (due, plan.wakeAt)
    }

    /// Notes where a delivery stands after an attempt.
    mutating func end(_ id: Int64, _ delivery: Delivery) {
        ended?[id] = delivery
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        guard delivery.nextAttempt != nil else {
            left[rows[index].endpoint]? -= 1
            rows.remove(at: index)
            stored[id] = nil
            return
        }
        rows[index].delivery = delivery
        rows[index].isInFlight = false
    }
}
