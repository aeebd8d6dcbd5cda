/// The oldest pending rows of each endpoint, kept between reads of the store, so that the end of an
/// attempt costs no query.
///
/// Rows are read and planned per endpoint, so the cost of a message or an attempt does not grow
/// with the backlog of other endpoints. `take` visits every endpoint, but not its rows; it runs
/// `nextDue` only for endpoints that have changed.
package struct OutboxWindow {
    private var queues: [EndpointQueue] = []
    /// The index of each endpoint in `queues`.
    private var places: [String: Int] = [:]
    private var stored: [Int64: StoredDelivery] = [:]
    /// Deliveries that ended during a read of the store, which may have missed that; nil when no
    /// read is in progress.
    private var ended: [Int64: Delivery]?
    /// Rows with an attempt in progress, including those of removed endpoints.
    package private(set) var inFlight: Set<Int64> = []
    /// The time of the last plan.
    private var planned = Timestamp(milliseconds: .min)

    /// The maximum number of rows per endpoint in the window; later rows wait in the store.
    package let rowsPerEndpoint: Int
    package let limits: OutboxLimits

    package init(rowsPerEndpoint: Int = 64, limits: OutboxLimits = .standard) {
        self.rowsPerEndpoint = rowsPerEndpoint
        self.limits = limits
    }

    // MARK: Reading

    /// Whether a row added to the endpoint's queue must be read: not if the store has further rows
    /// and the window has enough.
    package func needsReading(_ endpoint: String) -> Bool {
        guard let place = places[endpoint] else { return true }
        return !queues[place].isCut || isLow(queues[place])
    }

    /// The endpoints with few rows in the window and more in the store.
    package var runningLow: [String] { queues.lazy.filter { isLow($0) }.map(\.endpoint) }

    private func isLow(_ queue: EndpointQueue) -> Bool {
        queue.isCut && queue.rows.count < rowsPerEndpoint / 4
    }

    package mutating func beginReading() { ended = [:] }

    package mutating func abandonReading() { ended = nil }

    /// Stores the rows read since `beginReading`.
    ///
    /// - Parameter read: the oldest pending rows of these endpoints, in ascending order of ids.
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
        // A row with an attempt in progress stays, even if the store no longer has it: otherwise,
        // later rows would overtake it.
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

    /// Forgets the rows of an endpoint that have no attempt in progress, and returns all of its
    /// rows.
    private mutating func takeOut(_ endpoint: String) -> [OutboxRow] {
        guard let place = places[endpoint] else { return [] }
        let rows = queues[place].rows
        for row in rows where !row.isInFlight { stored[row.id] = nil }
        return rows
    }

    /// Removes an endpoint that no longer receives messages. Attempts in progress continue to their
    /// end.
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

    /// Marks an endpoint for planning, because its rate has changed.
    package mutating func touch(_ endpoint: String) {
        if let place = places[endpoint] { queues[place].touch() }
    }

    /// Returns the rows that may be sent, oldest first, each with the state of its delivery, and
    /// marks them as in progress.
    ///
    /// - Parameter rates: loses one token for each row.
    /// - Returns: also the time of the next call, unless an attempt ends or rows or endpoints
    ///   change before that.
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
        // At the limit of concurrent attempts, only the end of one makes room.
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

    /// Records the state of a delivery after an attempt.
    package mutating func end(_ id: Int64, _ delivery: Delivery) {
        inFlight.remove(id)
        ended?[id] = delivery
        guard let endpoint = stored[id]?.endpoint, let place = places[endpoint] else { return }
        queues[place].end(id, delivery)
        if delivery.nextAttempt == nil || queues[place].isLeaving { stored[id] = nil }
        forgetIfEmpty(place)
    }

    /// Removes a row that is no longer in the store, unless an attempt is in progress: the attempt
    /// may finish, and later rows wait.
    package mutating func withdraw(_ id: Int64, now: Timestamp) {
        guard !inFlight.contains(id) else { return }
        var delivery = Delivery(now: now)
        delivery.drop(now: now)
        end(id, delivery)
    }
}
