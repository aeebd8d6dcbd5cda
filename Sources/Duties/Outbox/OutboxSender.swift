import Service

/// Sends the messages of the outbox, in order for each endpoint and subject, until its task is
/// cancelled.
///
/// `nextDue`, `Delivery` and `EndpointHealth` decide; this actor reads rows, makes requests and
/// stores the results. An attempt in progress when the process ends is repeated with the same id:
/// delivery is at least once.
package actor OutboxSender {
    private let store: HubStore
    private let webhooks: WebhookService
    private let connector: WebhookConnector
    private let userAgent: String
    private let schedule: RetrySchedule
    private let logger: Logger
    private let wakeUps: AsyncStream<Void>
    private let metrics: OutboxMetrics
    /// The clock for the order, the schedule and the circuit breaker. Signatures use the wall
    /// clock.
    private let clock: @Sendable () -> Timestamp
    private var window = OutboxWindow()
    private var rates = EndpointRates()
    /// The time of the next check of all endpoints' queues.
    private var nextLook = Timestamp(milliseconds: 0)
    /// Rows that were erased while an attempt was in progress.
    private var erasedInFlight: Set<Int64> = []
    /// Endpoints whose rows must be read.
    private var unread: Set<String> = []
    /// Whether the messages waiting for absent endpoints have been logged.
    private var hasLooked = false

    /// The pause after the store could not be read.
    private static let storePause = Duration.seconds(1)
    /// The interval between checks of all queues.
    private static let lookPause = Duration.seconds(3600)

    package init(
        webhooks: WebhookService,
        connector: WebhookConnector,
        userAgent: String,
        schedule: RetrySchedule = .standard,
        wakeUps: AsyncStream<Void>,
        clock: @escaping @Sendable () -> Timestamp = { HubClock.wall },
        metrics: OutboxMetrics = OutboxMetrics(),
        logger: Logger
    ) {
        store = webhooks.store
        self.webhooks = webhooks
        self.connector = connector
        self.userAgent = userAgent
        self.schedule = schedule
        self.wakeUps = wakeUps
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async {
        await withDiscardingTaskGroup { group in
            let timer = Locked<Task<Void, Never>?>(nil)
            let (signals, signal) = AsyncStream<Void>.makeStream(
                bufferingPolicy: .bufferingNewest(1)
            )
            group.addTask { [wakeUps] in
                for await _ in wakeUps { signal.yield() }
                signal.finish()
            }
            signal.yield()
            for await _ in signals {
                timer.withLock { $0?.cancel() }
                let pause = await sendDue(in: &group) { signal.yield() }
                timer.withLock {
                    $0 = Task {
                        guard (try? await Task.sleep(for: pause)) != nil else { return }
                        signal.yield()
                    }
                }
            }
            timer.withLock { $0?.cancel() }
            group.cancelAll()
        }
        await connector.shutdown()
    }

    /// Starts every attempt that is due, and returns the time to wait for the next one.
    private func sendDue(
        in group: inout DiscardingTaskGroup,
        whenDone: @escaping @Sendable () -> Void
    ) async -> Duration {
        await keepBounds()
        noteChanges()
        unread.formUnion(window.runningLow)
        guard await readWindow() else { return OutboxSender.storePause }
        // Rows that were erased during the read may still be in its result.
        noteChanges()
        let now = clock()
        let (due, wakeAt) = window.take(now: now, rates: &rates) { pace(of: $0, now: now) }
        for (row, delivery) in due {
            group.addTask {
                await self.attempt(row, delivery)
                whenDone()
            }
        }
        guard unread.isEmpty else { return .milliseconds(10) }
        return max(min(wakeAt ?? nextLook, nextLook) - now, .milliseconds(10))
    }

    /// Shortens queues that are too long or too old. Queues that have grown much are checked each
    /// time; all queues, including those of absent endpoints, at intervals. No attempt begins in
    /// the meantime, because the rows that are taken next come from a later read.
    private func keepBounds() async {
        let now = clock()
        var names = store.takeGrownQueues(by: webhooks.limits.countingStep)
        // The second condition: the clock was set back.
        if nextLook <= now || nextLook - now > OutboxSender.lookPause {
            nextLook = now + OutboxSender.lookPause
            names = webhooks.directory.all.map(\.name) + (await webhooks.absentWithMessages())
        }
        for name in names {
            let count = await webhooks.dropSurplus(of: name, except: window.inFlight, now: now)
            guard count > 0 else { continue }
            metrics.noteDropped(count, .bounds)
            unread.insert(name)
        }
        guard !hasLooked else { return }
        hasLooked = true
        await webhooks.tellAbsent()
    }

    /// Applies the changes of endpoints and their rows since the last call.
    private func noteChanges() {
        let endpoints = webhooks.directory.takeChanges()
        for name in endpoints.paces { window.touch(name) }
        unread.formUnion(endpoints.endpoints)
        if !endpoints.endpoints.isEmpty {
            rates.set(Dictionary(webhooks.directory.all.map { ($0.name, $0.rate) }) { $1 })
        }
        let rows = store.takeOutboxChanges()
        unread.formUnion(rows.reordered)
        unread.formUnion(rows.grown.filter { window.needsReading($0) })
        noteErased(rows.erased)
    }

    private func noteErased(_ ids: [Int64]) {
        guard !ids.isEmpty else { return }
        let now = clock()
        let underWay = window.inFlight.intersection(ids)
        erasedInFlight.formUnion(underWay)
        for id in ids { window.withdraw(id, now: now) }
        noteErased(count: ids.count - underWay.count)
    }

    private func noteErased(count: Int) {
        guard count > 0 else { return }
        metrics.noteDropped(count, .erased)
        logger.info("webhooks dropped: erased", metadata: ["messages": .stringConvertible(count)])
    }

    /// Reads the oldest rows of the endpoints that have changed; returns false if the read fails.
    private func readWindow() async -> Bool {
        let names = unread
        unread = []
        let sent = names.filter { webhooks.directory[$0]?.isSent == true }
        for name in names.subtracting(sent) { window.remove(name) }
        guard !sent.isEmpty else { return true }
        window.beginReading()
        do {
            let rows = try await store.pendingDeliveries(
                perEndpoint: window.rowsPerEndpoint,
                of: Array(sent)
            )
            window.fill(Array(sent), rows, delivery: \.delivery)
            return true
        } catch {
            window.abandonReading()
            unread.formUnion(names)
            // The hub is stopping.
            guard !(error is CancellationError) else { return false }
            logger.error("webhooks: outbox not readable", metadata: ["err": "\(error)"])
            return false
        }
    }

    private func pace(of name: String, now: Timestamp) -> EndpointHealth.Pace {
        guard webhooks.directory[name]?.isSent == true else {
            // A change of this state wakes the sender.
            return .wait(until: now + .seconds(3600))
        }
        return webhooks.directory.health(of: name).pace(now: now)
    }

    // MARK: One attempt

    private func attempt(_ row: StoredDelivery, _ before: Delivery) async {
        noteChanges()
        guard let endpoint = webhooks.directory[row.endpoint], !erasedInFlight.contains(row.id)
        else { return end(row, before, now: clock()) }
        let trace = webhookTrace(of: row.body)
        let (time, start) = (clock(), ContinuousClock.now)
        let answer = await post(row, to: endpoint, attempt: before.attempts, trace)
        let duration = ContinuousClock.now - start
        guard !Task.isCancelled else { return }
        var delivery = before
        let now = clock()
        let outcome = delivery.finish(
            answer.result,
            schedule: schedule,
            now: now,
            random: Double.random(in: 0..<1)
        )
        await record(row, delivery, NewAttempt(row, answer, outcome, time, duration))
        noteChanges()
        end(row, delivery, now: now)
        // Before the outcome is logged or counted, so that rows added after that find the
        // endpoint's current state.
        await webhooks.note(outcome, of: row, now: now)
        log(row, answer.result, outcome, attempts: delivery.attempts, trace)
        metrics.noteAttempt(outcome.counted)
    }

    /// Records the state of a delivery; one that was erased in the meantime gets no further
    /// attempt.
    private func end(_ row: StoredDelivery, _ after: Delivery, now: Timestamp) {
        var delivery = after
        if erasedInFlight.remove(row.id) != nil, delivery.nextAttempt != nil {
            delivery.drop(now: now)
            noteErased(count: 1)
        }
        window.end(row.id, delivery)
    }

    private func post(
        _ row: StoredDelivery,
        to endpoint: WebhookEndpoint,
        attempt: Int,
        _ trace: TraceParent?
    ) async -> WebhookAnswer {
        let url: WebhookURL
        do throws(WebhookURLError) { url = try WebhookURL(endpoint.url) } catch {
            return WebhookAnswer(.failed(.notAllowed("\(error)")))
        }
        let wall = HubClock.wall
        return await connector.post(
            deliveryHeaders(
                id: row.messageID,
                body: row.body,
                secrets: endpoint.secrets(now: wall),
                signingKeys: endpoint.signingKeys(now: wall),
                now: wall,
                userAgent: userAgent,
                trace: trace?.child(random: .random(in: .min ... .max))
            ),
            body: row.body,
            to: url,
            isConfigured: endpoint.isConfigured,
            attempt: attempt,
            timeout: endpoint.timeout
        )
    }

    private func record(
        _ row: StoredDelivery,
        _ delivery: Delivery,
        _ attempt: NewAttempt
    ) async {
        do {
            try await store.record(DeliveryRecord(row.id, delivery), after: attempt)
        } catch {
            // The row is unchanged and is sent again: at least once.
            logger.error(
                "webhooks: attempt not recorded",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
        }
    }

    private func log(
        _ row: StoredDelivery,
        _ result: DeliveryResult,
        _ outcome: DeliveryOutcome,
        attempts: Int,
        _ trace: TraceParent?
    ) {
        var metadata: Logger.Metadata = [
            "endpoint": "\(row.endpoint)", "event": "\(row.eventType)", "id": "\(row.messageID)",
            "attempts": .stringConvertible(attempts), "result": "\(result.text)",
        ]
        if let trace { metadata["trace_id"] = "\(trace.traceID)" }
        switch outcome {
        case .delivered:
            logger.info("webhook delivered", metadata: metadata, source: LogSource.peer)
        case .retry(let next):
            metadata["next_attempt"] = "\(next.iso8601Seconds)"
            logger.warning(
                "webhook failed",
                metadata: metadata,
                source: LogSource.peer
            )
        case .exhausted:
            logger.error("webhook given up", metadata: metadata, source: LogSource.peer)
        case .disableEndpoint:
            logger.error("webhook endpoint is gone", metadata: metadata, source: LogSource.peer)
        }
    }
}

extension DeliveryOutcome {
    fileprivate var counted: WebhookCounts.Result {
        switch self {
        case .delivered: .delivered
        case .retry: .failed
        case .exhausted: .exhausted
        case .disableEndpoint: .gone
        }
    }
}

extension DeliveryResult {
    fileprivate var text: String {
        switch self {
        case .response(let status, _): "status \(status)"
        case .failed(let failure): failure.description
        }
    }
}
