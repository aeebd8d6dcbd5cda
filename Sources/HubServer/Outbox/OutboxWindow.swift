import Store
import Timekeeping
import Webhooks

/// The oldest pending rows of each endpoint, kept between readings of the store, so that an attempt that ends
/// costs no query.
struct OutboxWindow {
    /// Rows that have ended stay until the store is read again, and are passed over: taking one out of
    /// the middle would move all behind it.
    private var rows: [OutboxRow] = []
    /// Where in `rows` each is that has not ended.
    private var places: [Int64: Int] = [:]
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
        places = [:]
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
            places[row.id] = rows.count
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
    ///
    /// - Parameter rates: gives a token for each.
    mutating func take(
        now: Timestamp,
        rates: inout EndpointRates,
        pace: (String) -> EndpointHealth.Pace
    ) -> (due: [(row: StoredDelivery, delivery: Delivery)], wakeAt: Timestamp?) {
        let plan = nextDue(rows, now: now, limits: .standard, rates: rates, pace: pace)
        rates = plan.rates
        var due: [(row: StoredDelivery, delivery: Delivery)] = []
        for id in plan.send {
            guard let index = places[id], let row = stored[id] else { continue }
            rows[index].isInFlight = true
            due.append((row, rows[index].delivery))
        }
        return (due, plan.wakeAt)
    }

    /// Notes where a delivery stands after an attempt.
    mutating func end(_ id: Int64, _ delivery: Delivery) {
        ended?[id] = delivery
        guard let index = places[id] else { return }
        rows[index].delivery = delivery
        rows[index].isInFlight = false
        guard delivery.nextAttempt == nil else { return }
        left[rows[index].endpoint]? -= 1
        stored[id] = nil
        places[id] = nil
    }
}
