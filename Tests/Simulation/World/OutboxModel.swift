import Core
import Reactor
import Store

/// The hub's sender of webhooks and those who receive them: `nextDue` and `Delivery` decide, receivers
/// answer, late, wrongly or not at all.
final class OutboxModel {
    private struct Attempt {
        var entry: Ledger.OutboxEntry
        var result: DeliveryResult
        var due: MonotonicInstant
        /// The result is on its way into the store.
        var isStoring = false
    }

    private static let endpoints = ["alpha", "beta"]
    private static let schedule = RetrySchedule(
        delays: [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(3)],
        jitter: 0.2
    )

    /// One of the receivers is not there.
    var isDown = false
    private let world: World
    private var attempts: [Attempt] = []
    /// Messages that receivers have confirmed.
    private var confirmed: Set<String> = []
    private var received: Set<String> = []
    /// By endpoint and subject: the row that arrived last.
    private var lanes: [String: Int64] = [:]

    init(world: World) {
        self.world = world
    }

    /// One message to each endpoint.
    func deliveries(of event: String, subject: String) -> [NewDelivery] {
        OutboxModel.endpoints.map {
            NewDelivery(
                endpoint: $0,
                messageID: "\(event)-\($0)-\(world.newNumber())",
                eventType: "feed.changed",
                subject: subject,
                body: Array(event.utf8),
                createdAt: world.time.wall
            )
        }
    }

    /// The process is gone; what was under way has left no trace.
    func stop() { attempts = [] }

    /// Rows may be taken back, and their numbers given to others.
    func losePower() { lanes = [:] }

    private var plan: OutboxPlan {
        let rows = world.store.durable.outbox.map { entry in
            OutboxRow(
                id: entry.id,
                endpoint: entry.message.endpoint,
                subject: entry.message.subject,
                delivery: entry.progress,
                isInFlight: attempts.contains { $0.entry.id == entry.id }
            )
        }
        return nextDue(rows.filter { $0.delivery.nextAttempt != nil }, now: world.time.wall)
    }

    /// How long until something is to be done; nil when it does not depend on the time.
    func wait() -> Duration? {
        var next = plan.wakeAt.map { max(.zero, $0 - world.time.wall) }
        for attempt in attempts where !attempt.isStoring {
            let wait = max(.zero, attempt.due - world.time.now)
            next = min(next ?? wait, wait)
        }
        return next
    }

    func step() {
        for index in attempts.indices
        where !attempts[index].isStoring && attempts[index].due <= world.time.now {
            return finish(index)
        }
        for id in plan.send {
            guard let entry = world.store.durable.outbox.first(where: { $0.id == id }) else {
                continue
            }
            begin(entry)
        }
    }

    // MARK: Attempts

    private func begin(_ entry: Ledger.OutboxEntry) {
        var result = DeliveryResult.response(status: 204, retryAfter: nil)
        var delay = Duration.milliseconds(world.random.below(800))
        var isReached = true
        if isDown, entry.message.endpoint == OutboxModel.endpoints[1] {
            result = .failed(.connectFailed("refused"))
            isReached = false
        } else if !world.isCalm {
            switch world.random.below(100) {
            case 0..<15: result = .response(status: 500, retryAfter: nil)
            case 15..<20: result = .response(status: 429, retryAfter: "7")
            // It arrives, and is confirmed to nobody.
            case 20..<30:
                delay = .seconds(5)
                result = .failed(.timedOut(after: delay))
            default: break
            }
        }
        if isReached { arrive(entry) }
        if case .response(204, _) = result { confirmed.insert(entry.message.messageID) }
        attempts.append(Attempt(entry: entry, result: result, due: world.time.now + delay))
    }

    private func arrive(_ entry: Ledger.OutboxEntry) {
        let message = entry.message
        let lane = "\(message.endpoint) \(message.subject ?? "")"
        world.trace.note("webhook \(entry.id) arrives at \(message.endpoint)")
        world.trace.expect(
            entry.id >= lanes[lane, default: 0],
            "webhook \(entry.id) of \(lane) after \(lanes[lane, default: 0])"
        )
        lanes[lane] = entry.id
        if !received.insert(message.messageID).inserted { world.trace.count(.webhooksRepeated) }
    }

    private func finish(_ index: Int) {
        let attempt = attempts[index]
        var progress = attempt.entry.progress
        let outcome = progress.finish(
            attempt.result,
            schedule: OutboxModel.schedule,
            now: world.time.wall,
            random: world.random.unit()
        )
        attempts[index].isStoring = true
        let id = attempt.entry.id
        world.trace.note("webhook \(id): \(outcome)")
        world.store.submit(.attempt(row: id, progress)) { [self] error in
            attempts.removeAll { $0.entry.id == id }
            guard error == nil else { return }
            if outcome == .delivered { world.trace.count(.webhooksDelivered) }
            if outcome == .exhausted { world.trace.count(.webhooksGivenUp) }
        }
    }

    // MARK: Invariants

    func missing() -> String? {
        let pending = world.store.durable.outbox.count { $0.progress.nextAttempt != nil }
        return pending == 0 ? nil : "\(pending) webhooks pending"
    }

    /// Each was confirmed by its receiver, or given up after as many attempts as there are.
    func check() {
        for entry in world.store.durable.outbox {
            switch entry.progress.state {
            case .delivered:
                world.trace.expect(
                    confirmed.contains(entry.message.messageID),
                    "webhook \(entry.id) counts as delivered, and nobody has it"
                )
            case .exhausted:
                world.trace.expect(
                    entry.progress.attempts == OutboxModel.schedule.delays.count,
                    "webhook \(entry.id) given up after \(entry.progress.attempts) attempts"
                )
            case .gone, .dropped, .pending:
                world.trace.fail("webhook \(entry.id) ended as \(entry.progress.state)")
            }
        }
    }
}
