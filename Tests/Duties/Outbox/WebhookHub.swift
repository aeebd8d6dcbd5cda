import Expectations
import Foundation
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

/// The routes, the service behind them, and a sender at work.
struct WebhookHub {
    let responder: RouteResponder
    let service: WebhookService
    let store: HubStore
    /// What service and sender say.
    let log: AsyncStream<StreamedLog.Line>
    /// What the sender takes for the time.
    let clock: Locked<Timestamp>

    static let key = "a-key"

    func send(
        _ method: String,
        _ target: String,
        _ body: String = "",
        key: String? = key
    ) async -> ServerResponse {
        var headers: HTTPHeaders = [:]
        if let key { headers.append("X-API-Key", key) }
        let head = HTTPRequestHead(method: method, target: target, headers: headers)
        return await responder.respond(
            to: ServerRequest(head: head, body: Array(body.utf8), peer: nil)
        )
    }

    /// The object of an answer, which is 2xx.
    func object(
        _ method: String,
        _ target: String,
        _ body: String = ""
    ) async throws -> [String: Any] {
        let response = await send(method, target, body)
        let text = String(decoding: response.body, as: UTF8.self)
        try require((200...299).contains(response.head.status), "\(text)")
        let object = try JSONSerialization.jsonObject(with: Data(response.body))
        return try require(object as? [String: Any])
    }

    /// Waits for a line of the log.
    func line(_ message: String) async -> StreamedLog.Line? {
        await log.first { $0.message.hasPrefix(message) }
    }

    /// Lets time pass for the sender.
    func pass(_ duration: Duration) {
        clock.withLock { $0 = $0 + duration }
        service.wake()
    }

    static func run(
        configured: [WebhookEndpoint] = [],
        store given: HubStore? = nil,
        allowing blocks: [String] = ["127.0.0.0/8"],
        ports: [Int] = Array(1024...65_535),
        limits: WebhookService.Limits = .init(subscriptionsMax: 10),
        metrics: OutboxMetrics = OutboxMetrics(),
        resolver: any AddressResolver = SystemResolver(),
        _ body: (WebhookHub) async throws -> Void
    ) async throws {
        guard let store = given else {
            return try await withTemporaryStore { store in
                try await run(
                    configured: configured,
                    store: store,
                    allowing: blocks,
                    ports: ports,
                    limits: limits,
                    metrics: metrics,
                    resolver: resolver,
                    body
                )
            }
        }
        let connector = WebhookConnector(
            rules: .init(
                allowed: blocks.compactMap { AddressBlock($0) },
                ports: Set(ports),
                development: true
            ),
            resolver: resolver
        )
        try await run(configured, store, connector, limits, metrics, body)
    }

    private static func run(
        _ configured: [WebhookEndpoint],
        _ store: HubStore,
        _ connector: WebhookConnector,
        _ limits: WebhookService.Limits,
        _ metrics: OutboxMetrics,
        _ body: (WebhookHub) async throws -> Void
    ) async throws {
        let (logger, lines) = StreamedLog.make()
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream()
        let service = try await WebhookService(
            configured: configured,
            store: store,
            connector: connector,
            limits: limits,
            wake: { continuation.yield() },
            logger: logger
        )
        metrics.setDisabledEndpoints { [directory = service.directory] in directory.disabledCount }
        // Ahead of the wall clock, by which rows are due.
        let clock = Locked(HubClock.wall + .seconds(60))
        let sender = OutboxSender(
            webhooks: service,
            connector: service.connector,
            userAgent: "varde/tests",
            wakeUps: wakeUps,
            clock: { clock.withLock { $0 } },
            metrics: metrics,
            logger: logger
        )
        var routes = Routes()
        WebhookRoutes(service: service).add(to: &routes)
        let hub = WebhookHub(
            responder: RouteResponder(routes: routes, logger: silentLogger) {
                $0 == key ? APIKeyGrant(name: "tests") : nil
            },
            service: service,
            store: store,
            log: lines,
            clock: clock
        )
        let task = Task { await sender.run() }
        let outcome: Result<Void, any Error>
        do {
            try await body(hub)
            outcome = .success(())
        } catch { outcome = .failure(error) }
        task.cancel()
        await task.value
        try outcome.get()
    }

    /// Lets time pass for the sender until the oldest message is due again.
    func passToNextAttempt() async throws {
        let row = try await require(store.pendingDeliveries(perEndpoint: 1).first)
        guard case .pending(let next) = row.status else { return }
        clock.withLock { $0 = max($0, next) }
        service.wake()
    }

    /// Makes a webhook and waits until it is verified.
    func verified(_ url: String, _ lists: String = "") async throws -> (id: String, secret: String)
    {
        let made = try await object("POST", "/api/webhooks", #"{"url":"\#(url)"\#(lists)}"#)
        _ = await line("webhook delivered")
        return (try require(made["id"] as? String), try require(made["secret"] as? String))
    }

    /// Commits an event as a domain does.
    func publish(_ id: String, type: String = "aurora.alert.raised", subject: String? = "tromso")
        async throws
    {
        let event = Event(
            id: id,
            type: type,
            source: "/aurora",
            subject: subject,
            time: HubClock.wall,
            data: Array(#"{"severity":"info"}"#.utf8)
        )
        let router = OutboxRouter(directory: service.directory, wake: service.wake)
        let topic = Topic(trusted: "aurora:tromso:alerts")
        let rows = router.deliveries(of: event, topic: topic, wall: HubClock.wall)
        _ = try await store.commit(Change(deliveries: rows))
        service.wake()
    }
}

extension OutboxMetrics {
    /// As a scraper gets them.
    func text(_ store: HubStore) async -> String {
        var text = MetricsText()
        await write(to: &text, store, wall: HubClock.wall)
        return text.text
    }
}
