import AsyncHTTPClient
import Foundation
import Locking
import Logging
import NIOCore
import Reactor
import Store
import Timekeeping
import Webhooks

/// Sends what is in the outbox, in order for each endpoint and subject, until its task is cancelled.
///
/// `nextDue` and `Delivery` decide; this reads rows, makes requests, and writes down what came of them.
/// An attempt under way when the process ends is made again: at least once, with the same id.
actor OutboxSender {
    private let store: HubStore
    private let endpoints: [String: WebhookEndpoint]
    private let client: HTTPClient
    private let userAgent: String
    private let schedule: RetrySchedule
    private let logger: Logger
    private let wakeUps: AsyncStream<Void>
    private let metrics: MetricsBoard
    private var inFlight: Set<Int64> = []
    private var disabled: Set<String> = []

    /// Rows of one endpoint looked at together; the rest waits behind them.
    private static let rowsPerEndpoint = 64
    /// How long to wait when the store does not answer.
    private static let storePause = Duration.seconds(1)

    init(
        store: HubStore,
        endpoints: [WebhookEndpoint],
        client: HTTPClient,
        userAgent: String,
        schedule: RetrySchedule = .standard,
        wakeUps: AsyncStream<Void>,
        metrics: MetricsBoard = MetricsBoard(),
        logger: Logger
    ) {
        self.store = store
        self.endpoints = Dictionary(endpoints.map { ($0.name, $0) }) { $1 }
        self.client = client
        self.userAgent = userAgent
        self.schedule = schedule
        self.wakeUps = wakeUps
        self.metrics = metrics
        self.logger = logger
    }

    func run() async {
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
                guard let pause else { continue }
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
    }

    /// Starts every attempt that is due; answers how long to wait for the next, nil for until woken.
    private func sendDue(
        in group: inout DiscardingTaskGroup,
        whenDone: @escaping @Sendable () -> Void
    ) async -> Duration? {
        let now = HubClock.wall
        // An attempt that ends while the outbox is read leaves a row that still looks due. Its end is
        // a reason to come here again, and attempts begin only here.
        let busy = inFlight
        let rows: [StoredDelivery]
        do {
            rows = try await store.pendingDeliveries(
                perEndpoint: OutboxSender.rowsPerEndpoint,
                except: Array(disabled)
            )
        } catch {
            logger.error("webhooks: outbox not readable", metadata: ["err": "\(error)"])
            return OutboxSender.storePause
        }
        let known = rows.filter { endpoints[$0.endpoint] != nil && !disabled.contains($0.endpoint) }
        let plan = nextDue(
            known.map { outboxRow($0, isInFlight: busy.contains($0.id)) },
            now: now
        )
        for row in known where plan.send.contains(row.id) {
            inFlight.insert(row.id)
            group.addTask {
                await self.attempt(row)
                whenDone()
            }
        }
        return plan.wakeAt.map { max($0 - now, .milliseconds(10)) }
    }

    private func outboxRow(_ row: StoredDelivery, isInFlight: Bool) -> OutboxRow {
        OutboxRow(
            id: row.id,
            endpoint: row.endpoint,
            subject: row.subject,
            delivery: delivery(of: row),
            isInFlight: isInFlight
        )
    }

    private func delivery(of row: StoredDelivery) -> Delivery {
        let stored = try? JSONDecoder().decode(Delivery.self, from: Data(row.state))
        return stored ?? Delivery(now: row.createdAt)
    }

    // MARK: One attempt

    private func attempt(_ row: StoredDelivery) async {
        guard let endpoint = endpoints[row.endpoint] else { return }
        let result = await post(row, to: endpoint)
        guard !Task.isCancelled else { return }
        var delivery = delivery(of: row)
        let now = HubClock.wall
        let outcome = delivery.finish(
            result,
            schedule: schedule,
            now: now,
            random: Double.random(in: 0..<1)
        )
        if outcome == .disableEndpoint { disabled.insert(endpoint.name) }
        await record(row, delivery, outcome, at: now)
        inFlight.remove(row.id)
        metrics.noteAttempt(outcome.counted, endpointsDisabled: disabled.count)
        log(row, result, outcome, attempts: delivery.attempts)
    }

    private func post(_ row: StoredDelivery, to endpoint: WebhookEndpoint) async -> DeliveryResult {
        var request = HTTPClientRequest(url: endpoint.url)
        request.method = .POST
        let headers = deliveryHeaders(
            id: row.messageID,
            body: row.body,
            secrets: endpoint.secrets,
            now: HubClock.wall,
            userAgent: userAgent
        )
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: row.body))
        do {
            let response = try await client.execute(
                request,
                deadline: .now() + .nanoseconds(endpoint.timeout.wholeMilliseconds * 1_000_000)
            )
            return .response(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "Retry-After")
            )
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return .failed(.timedOut(after: endpoint.timeout))
        } catch {
            return .failed(.connectFailed("\(error)"))
        }
    }

    private func record(
        _ row: StoredDelivery,
        _ delivery: Delivery,
        _ outcome: DeliveryOutcome,
        at now: Timestamp
    ) async {
        let status: DeliveryStatus =
            switch outcome {
            case .delivered: .delivered(at: now)
            case .retry(let next): .pending(nextAttempt: next)
            case .exhausted, .disableEndpoint: .failed(at: now)
            }
        let state = (try? JSONEncoder().encode(delivery)).map(Array.init) ?? []
        do {
            try await store.record(
                DeliveryRecord(
                    deliveryID: row.id,
                    status: status,
                    attempts: delivery.attempts,
                    statusCode: delivery.lastStatus,
                    state: state
                )
            )
        } catch {
            // It stays as it was and is sent again: at least once.
            logger.error("webhooks: attempt not recorded", metadata: ["err": "\(error)"])
        }
    }

    private func log(
        _ row: StoredDelivery,
        _ result: DeliveryResult,
        _ outcome: DeliveryOutcome,
        attempts: Int
    ) {
        let metadata: Logger.Metadata = [
            "endpoint": "\(row.endpoint)", "event": "\(row.eventType)", "id": "\(row.messageID)",
            "attempts": "\(attempts)", "result": "\(result.text)",
        ]
        switch outcome {
        case .delivered: logger.info("webhook delivered", metadata: metadata)
        case .retry(let next):
            logger.warning(
                "webhook failed; next attempt \(next.iso8601Seconds)",
                metadata: metadata
            )
        case .exhausted: logger.error("webhook given up", metadata: metadata)
        case .disableEndpoint: logger.error("webhook endpoint is gone", metadata: metadata)
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
