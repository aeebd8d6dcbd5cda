import Store
import Timekeeping
import Webhooks

/// The oldest pending rows of each endpoint, kept between readings of the store, so that an attempt that ends
/// costs no query.
///
/// What is read, and planned, is read and planned for one endpoint: what a message or an attempt costs does
/// not grow with what waits for others. `take` looks at every endpoint, but not at its rows; those it plans
/// with `nextDue` are the ones to which something has come.
package struct OutboxWindow {
    private var queues: [EndpointQueue] = []
    /// Where in `queues` each is.
    private var places: [String: Int] = [:]
    private var stored: [Int64: StoredDelivery] = [:]
    /// What ended while the store is read, which may not have seen it; nil when it is not.
    private var ended: [Int64: Delivery]?
    /// Rows of which an attempt is under way, those of endpoints that are gone, too.
    package private(set) var inFlight: Set<Int64> = []
    /// The time of the last plan.
    private var planned = Timestamp(milliseconds: .min)

    /// Rows of one endpoint looked at together; the rest waits behind them.
    package let rowsPerEndpoint: Int
    package let limits: OutboxLimits

    package init(rowsPerEndpoint: Int = 64, limits: OutboxLimits = .standard) {
        self.rowsPerEndpoint = rowsPerEndpoint
        self.limits = limits
    }

    // MARK: Reading

    /// Whether what is added to an endpoint's queue is wanted here: not where more than these rows waits
    /// already.
    package func needsReading(_ endpoint: String) -> Bool {
        guard let place = places[endpoint] else { return true }
        return !queues[place].isCut || isLow(queues[place])
    }

    /// Endpoints with few rows here and more in the store.
    package var runningLow: [String] { queues.lazy.filter { isLow($0) }.map(\.endpoint) }

    private func isLow(_ queue: EndpointQueue) -> Bool {
        queue.isCut && queue.rows.count < rowsPerEndpoint / 4
    }

    package mutating func beginReading() { ended = [:] }

    package mutating func abandonReading() { ended = nil }

    /// Takes what was read since `beginReading`.
    ///
    /// - Parameter read: the oldest pending rows of these endpoints, in ascending order of their ids.
    package mutating func fill(
        _ endpoints: [String],
        _ read: [StoredDelivery],
        delivery: (StoredDelivery) -> Delivery
    ) {
        let found = Dictionary(grouping: read, by: \.endpoint)
        for endpoint in endpoints { fill(endpoint, found[endpoint] ?? [], delivery: delivery) }
        ended = nil
    }

    private mutating func fill(
        _ endpoint: String,
        _ read: [StoredDelivery],
        delivery: (StoredDelivery) -> Delivery
    ) {
        // A row whose attempt is under way stays, though the store may have it no longer: what comes
        // behind it would overtake it.
        var rows = takeOut(endpoint).filter(\.isInFlight)
        let kept = Set(rows.map(\.id))
        for row in read where !kept.contains(row.id) {
            let delivery = ended?[row.id] ?? delivery(row)
            guard delivery.nextAttempt != nil else { continue }
            stored[row.id] = row
            rows.append(
                OutboxRow(
                    id: row.id,
                    endpoint: endpoint,
                    subject: row.subject,
                    delivery: delivery,
                    isInFlight: inFlight.contains(row.id)
                )
            )
        }
        rows.sort { $0.id < $1.id }
        let place = places[endpoint] ?? queues.count
        if place == queues.count { queues.append(EndpointQueue(endpoint)) }
        places[endpoint] = place
        queues[place].set(rows, isCut: read.count >= rowsPerEndpoint)
    }

    /// Forgets the rows of an endpoint of which no attempt is under way; answers all that there were.
    private mutating func takeOut(_ endpoint: String) -> [OutboxRow] {
        guard let place = places[endpoint] else { return [] }
        let rows = queues[place].rows
        for row in rows where !row.isInFlight { stored[row.id] = nil }
        return rows
    }

    /// Forgets an endpoint to which nothing is sent. What is under way ends as it may.
    package mutating func remove(_ endpoint: String) {
        guard let place = places[endpoint] else { return }
        _ = takeOut(endpoint)
        queues[place].leave()
        forgetIfEmpty(place)
    }

    private mutating func forgetIfEmpty(_ place: Int) {
        guard queues[place].isLeaving, queues[place].rows.isEmpty else { return }
        places[queues[place].endpoint] = nil
        let last = queues.removeLast()
        guard place < queues.count else { return }
        queues[place] = last
        places[last.endpoint] = place
    }

    // MARK: Sending

    /// Has an endpoint planned anew: it is to be called faster or slower than before.
    package mutating func touch(_ endpoint: String) {
        if let place = places[endpoint] { queues[place].touch() }
    }

    /// What may be sent, oldest first, each with where its delivery stands; noted as under way.
    ///
    /// - Parameter rates: gives a token for each.
    /// - Returns: also when to ask again, unless an attempt ends, or rows or endpoints change before.
    package mutating func take(
        now: Timestamp,
        rates: inout EndpointRates,
        pace: (String) -> EndpointHealth.Pace
    ) -> (due: [(row: StoredDelivery, delivery: Delivery)], wakeAt: Timestamp?) {
        let wasPutBack = now < planned
        planned = now
        for place in queues.indices where wasPutBack || queues[place].isStale(now: now) {
            plan(place, now: now, rates: rates, pace: pace)
        }
        var due: [(row: StoredDelivery, delivery: Delivery)] = []
        while inFlight.count < limits.inFlightMax, let (place, id) = oldest {
            guard let row = stored[id], let delivery = queues[place].begin(id) else {
                preconditionFailure("outbox row \(id) is planned and not there")
            }
            inFlight.insert(id)
            rates.take(from: row.endpoint, now: now)
            plan(place, now: now, rates: rates, pace: pace)
            due.append((row, delivery))
        }
        // With as many under way as may be, the end of one is what comes next.
        guard inFlight.count < limits.inFlightMax else { return (due, nil) }
        return (due, queues.lazy.compactMap(\.wakeAt).min())
    }

    /// The oldest of all rows that may be sent.
    private var oldest: (place: Int, id: Int64)? {
        var found: (place: Int, id: Int64)?
        for place in queues.indices {
            guard let id = queues[place].next, id < found?.id ?? .max else { continue }
            found = (place, id)
        }
        return found
    }

    private mutating func plan(
        _ place: Int,
        now: Timestamp,
        rates: EndpointRates,
        pace: (String) -> EndpointHealth.Pace
    ) {
        queues[place].plan(
            now: now,
            inFlightMax: limits.inFlightPerEndpointMax,
            rates: rates,
            pace: pace
        )
    }

    /// Notes where a delivery stands after an attempt.
    package mutating func end(_ id: Int64, _ delivery: Delivery) {
        inFlight.remove(id)
        ended?[id] = delivery
        guard let endpoint = stored[id]?.endpoint, let place = places[endpoint] else { return }
        queues[place].end(id, delivery)
        if delivery.nextAttempt == nil || queues[place].isLeaving { stored[id] = nil }
        forgetIfEmpty(place)
    }

    /// Takes out a row that is no longer in the store, unless an attempt is under way: that may finish, and
    /// what comes behind it waits.
    package mutating func withdraw(_ id: Int64, now: Timestamp) {
        guard !inFlight.contains(id) else { return }
        var delivery = Delivery(now: now)
        delivery.drop(now: now)
        end(id, delivery)
    }
}
