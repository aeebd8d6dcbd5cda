import Expectations
import HubTesting
import LoopTesting
import Service
import Wire

@testable import Duties

@Suite("Outbox sender: against receivers on loopback", .timeLimit(.minutes(10)))
struct OutboxSenderTests {
    static let secret = WebhookSecret(key: [UInt8](repeating: 7, count: 32))
    static let other = WebhookSecret(key: [UInt8](repeating: 9, count: 32))

    /// Four attempts, one right after the other.
    static let eager = RetrySchedule(
        delays: [.zero, .zero, .zero, .zero],
        jitter: 0
    )

    /// A sender at work.
    struct Sending {
        let store: HubStore
        let log: AsyncStream<StreamedLog.Line>
        private let wakeUps: AsyncStream<Void>.Continuation

        init(
            store: HubStore,
            log: AsyncStream<StreamedLog.Line>,
            wakeUps: AsyncStream<Void>.Continuation
        ) {
            self.store = store
            self.log = log
            self.wakeUps = wakeUps
        }

        /// Puts messages into the outbox and tells the sender.
        func commit(_ deliveries: [NewDelivery]) async throws {
            _ = try await store.commit(Change(deliveries: deliveries))
            wakeUps.yield()
        }

        /// Waits until so many attempts are over and noted; returns the log's lines on them.
        func attempts(_ count: Int) async -> [StreamedLog.Line] {
            await log.next(count)
        }
    }

    func endpoint(
        _ url: String,
        name: String = "pager",
        secret: WebhookSecret = secret,
        timeout: Duration = .seconds(20)
    ) throws -> WebhookEndpoint {
        WebhookEndpoint(
            name: name,
            url: url,
            secrets: [secret],
            filter: try WebhookFilter(types: [], topics: [], severities: []),
            timeout: timeout
        )
    }

    func message(
        _ id: String,
        to endpoint: String = "pager",
        subject: String? = "tromso"
    ) -> NewDelivery {
        NewDelivery(
            endpoint: endpoint,
            messageID: id,
            eventType: "aurora.alert.raised",
            subject: subject,
            body: Array(#"{"id":"\#(id)"}"#.utf8),
            createdAt: HubClock.wall
        )
    }

    func sending(
        _ store: HubStore,
        to endpoints: [WebhookEndpoint],
        schedule: RetrySchedule = OutboxSenderTests.eager,
        _ body: (Sending) async throws -> Void
    ) async throws {
        let (logger, lines) = StreamedLog.make()
        let (wakeUps, continuation) = AsyncStream<Void>.makeStream()
        let webhooks = try await WebhookService(
            configured: endpoints,
            store: store,
            connector: WebhookConnector(
                rules: .init(allowed: [], ports: [], development: true)
            ),
            wake: { continuation.yield() },
            logger: silentLogger
        )
        let sender = OutboxSender(
            webhooks: webhooks,
            connector: webhooks.connector,
            userAgent: "varde/tests",
            schedule: schedule,
            wakeUps: wakeUps,
            logger: logger
        )
        let task = Task { await sender.run() }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(
                try await body(Sending(store: store, log: lines, wakeUps: continuation))
            )
        } catch {
            outcome = .failure(error)
        }
        task.cancel()
        await task.value
        try outcome.get()
    }

    func ids(_ requests: [ServerRequest]) -> [String] {
        requests.compactMap { $0.head.headers.first("webhook-id") }
    }

    func verify(_ request: ServerRequest) throws {
        let headers = request.head.headers
        try verifyWebhook(
            id: headers.first("webhook-id") ?? "",
            timestamp: headers.first("webhook-timestamp") ?? "",
            signatures: headers.first("webhook-signature") ?? "",
            body: request.body,
            secrets: [OutboxSenderTests.secret],
            now: HubClock.wall
        )
    }

    // MARK: Delivery

    @Test func messageIsDeliveredOnceWithASignatureThatVerifies() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(204)]) { server in
                let endpoints = [try endpoint(server.url + "/hook?a=b")]
                try await sending(store, to: endpoints) { sending in
                    try await sending.commit([message("one")])
                    await expectEqual(sending.attempts(1).map(\.message), ["webhook delivered"])
                    // Another one, so that a second delivery of the first would come before it.
                    try await sending.commit([message("two")])
                    _ = await sending.attempts(1)
                    let requests = await server.requests.next(2)
                    expectEqual(ids(requests), ["one", "two"])
                    let first = try require(requests.first)
                    try verify(first)
                    expectEqual(first.head.method, "POST")
                    expectEqual(first.head.target, "/hook?a=b")
                    expectEqual(first.body, Array(#"{"id":"one"}"#.utf8))
                    expectEqual(first.head.headers.first("User-Agent"), "varde/tests")
                    expectEqual(
                        first.head.headers.first("Content-Type"),
                        "application/cloudevents+json"
                    )
                }
            }
            let counts = try await store.deliveryCounts()
            expectEqual(counts.delivered, 2)
            expectEqual(counts.pending, 0)
            let rows = try await store.deliveries(of: "pager", limit: 10)
            expectEqual(rows.map(\.attempts), [1, 1])
            expectEqual(rows.map(\.statusCode), [204, 204])
        }
    }

    @Test func whatWaitsInTheOutboxIsSentWithoutBeingWoken() async throws {
        try await withTemporaryStore { store in
            _ = try await store.commit(Change(deliveries: [message("one")]))
            try await ScriptedServer.run(script: [.status(200)]) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    await expectEqual(sending.attempts(1).map(\.message), ["webhook delivered"])
                }
            }
        }
    }

    @Test func messagesOfOneSubjectArriveInOrderWhateverFails() async throws {
        try await withTemporaryStore { store in
            let failures = Locked<Set<String>>(["a1", "a2", "b3"])
            try await ScriptedServer.run(
                answer: { request in
                    let id = request.head.headers.first("webhook-id") ?? ""
                    let fails = failures.withLock { $0.remove(id) != nil }
                    return .status(fails ? 500 : 200)
                }
            ) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    try await sending.commit(
                        (1...3).flatMap {
                            [message("a\($0)", subject: "a"), message("b\($0)", subject: "b")]
                        }
                    )
                    _ = await sending.attempts(9)
                    let ids = ids(await server.requests.next(9))
                    expectEqual(ids.filter { $0.hasPrefix("a") }, ["a1", "a1", "a2", "a2", "a3"])
                    expectEqual(ids.filter { $0.hasPrefix("b") }, ["b1", "b2", "b3", "b3"])
                }
            }
        }
    }

    @Test func endpointsDoNotWaitForEachOther() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.never]) { slow in
                try await ScriptedServer.run(script: [.status(200)]) { fast in
                    let endpoints = [
                        try endpoint(slow.url, name: "slow"), try endpoint(fast.url, name: "fast"),
                    ]
                    try await sending(store, to: endpoints) { sending in
                        try await sending.commit([message("one", to: "slow")])
                        _ = await slow.requests.next(1)
                        try await sending.commit([
                            message("two", to: "slow"), message("three", to: "fast"),
                        ])
                        let line = try await require(sending.attempts(1).first)
                        expectEqual(line.metadata["id"], "three")
                    }
                }
            }
        }
    }

    /// Attempts end while the outbox is being read: what was read then looks as if it were still due.
    @Test func noMessageIsSentTwiceHoweverManyEndAtOnce() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(200)]) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    let count = 200
                    try await sending.commit(
                        (0..<count).map { message("id-\($0)", subject: "subject-\($0 % 50)") }
                    )
                    _ = await sending.attempts(count)
                    let ids = ids(await server.requests.next(count))
                    expectEqual(Set(ids).count, count)
                }
            }
            let rows = try await store.deliveries(of: "pager", limit: 1000)
            expect(rows.allSatisfy { $0.attempts == 1 })
        }
    }

    // MARK: Rows

    @Test func rowsOfUnknownEndpointsStay() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(200)]) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    try await sending.commit([message("one", to: "unknown"), message("two")])
                    let line = try await require(sending.attempts(1).first)
                    expectEqual(line.metadata["id"], "two")
                }
            }
            let rows = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(rows.map(\.messageID), ["one"])
            expectEqual(rows.map(\.attempts), [0])
        }
    }

    @Test func restartSendsAgainWhatWasNotDeliveredAndNothingElse() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(200), .never]) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    try await sending.commit([message("one"), message("two")])
                    _ = await sending.attempts(1)
                    expectEqual(ids(await server.requests.next(2)), ["one", "two"])
                }
            }
            let waiting = try await store.pendingDeliveries(perEndpoint: 10)
            expectEqual(
                waiting.map(\.attempts),
                [0],
                "an attempt that was broken off does not count"
            )
            try await ScriptedServer.run(script: [.status(200)]) { server in
                try await sending(store, to: [try endpoint(server.url)]) { sending in
                    let line = try await require(sending.attempts(1).first)
                    expectEqual(line.metadata["id"], "two")
                    expectEqual(ids(await server.requests.next(1)), ["two"])
                }
            }
            try await expectEqual(store.deliveryCounts().delivered, 2)
        }
    }

    @Test func receiverWithAnotherSecretCanTell() async throws {
        try await withTemporaryStore { store in
            try await ScriptedServer.run(script: [.status(200)]) { server in
                let endpoints = [try endpoint(server.url, secret: OutboxSenderTests.other)]
                try await sending(store, to: endpoints) { sending in
                    try await sending.commit([message("one")])
                    let request = try await require(server.requests.next(1).first)
                    #expect(throws: WebhookVerificationError.noMatchingSignature) {
                        try verify(request)
                    }
                }
            }
        }
    }
}
