import Configuration
import Service

/// `/api/webhooks`: webhook subscriptions, for holders of a key of the server API.
/// protocol/webhooks.md, "Subscriptions".
package struct WebhookRoutes: Sendable {
    package let service: WebhookService
    /// Returns the current names, to warn about filters that can never match; nil for no warnings.
    package let names: @Sendable () -> ServedNames?

    package init(
        service: WebhookService,
        names: @escaping @Sendable () -> ServedNames? = { nil }
    ) {
        self.service = service
        self.names = names
    }

    /// Enough for three lists with the maximum number of patterns of maximum length, escaped.
    private static let bodyBytesMax = 128 << 10
    private static let deliveriesDefault = 20
    private static let attemptsDefault = 100

    package static let prefixes = RoutePrefixes(.messageAndCode, "/api/webhooks")

    package func add(to routes: inout Routes) {
        routes.backends(below: "/api/webhooks")
        routes.get("/api/webhooks", scope: "webhooks") { _ in await answer { list() } }
        routes.post("/api/webhooks", scope: "webhooks") { request in
            await answer { try await create(request) }
        }
        routes.get("/api/webhooks/:id", scope: "webhooks") { request in
            await answer { .uncached(try service.load(request.webhookID).json()) }
        }
        routes.patch("/api/webhooks/:id", scope: "webhooks") { request in
            await answer { try await change(request, request.webhookID) }
        }
        routes.delete("/api/webhooks/:id", scope: "webhooks") { request in
            await answer {
                try await service.delete(request.webhookID)
                return .uncached(Array("{}".utf8))
            }
        }
        addCommands(to: &routes)
        addDeliveries(to: &routes)
        routes.errors(WebhookRoutes.prefixes)
    }

    private func addCommands(to routes: inout Routes) {
        routes.post("/api/webhooks/:id/pause", scope: "webhooks") { request in
            await answer { .uncached(try await service.pause(request.webhookID).json()) }
        }
        routes.post("/api/webhooks/:id/resume", scope: "webhooks") { request in
            await answer { .uncached(try await service.resume(request.webhookID).json()) }
        }
        routes.post("/api/webhooks/:id/rotate", scope: "webhooks") { request in
            await answer {
                let endpoint = try await service.rotate(request.webhookID)
                return .uncached(endpoint.json(revealingSecret: true))
            }
        }
        routes.post("/api/webhooks/:id/test", scope: "webhooks") { request in
            await answer {
                let message = try await service.test(request.webhookID)
                return .uncached(.object { $0.field("message_id", message) }, status: 202)
            }
        }
        routes.post("/api/webhooks/:id/replay", scope: "webhooks") { request in
            await answer { try await replay(request, request.webhookID) }
        }
    }

    private func addDeliveries(to routes: inout Routes) {
        routes.get("/api/webhooks/:id/deliveries", scope: "webhooks") { request in
            await answer { try await deliveries(request, request.webhookID) }
        }
        routes.get("/api/webhooks/:id/attempts", scope: "webhooks") { request in
            await answer { try await attempts(request, request.webhookID) }
        }
        routes.post("/api/webhooks/:id/deliveries/:delivery/retry", scope: "webhooks") { request in
            await answer { try await retry(request.webhookID, request.deliveryID) }
        }
    }

    // MARK: Subscriptions

    private func list() -> ServerResponse {
        .uncached(
            .object { json in
                json.array("webhooks") { array in
                    for endpoint in service.directory.all { array.raw(endpoint.json()) }
                }
            }
        )
    }

    private func create(_ request: RouteRequest) async throws -> ServerResponse {
        let endpoint = try await service.create(NewSubscription(json: try body(request)))
        return .uncached(
            endpoint.json(revealingSecret: true, warnings: warnings(endpoint)),
            status: 201
        )
    }

    private func warnings(_ endpoint: WebhookEndpoint) -> [String] {
        let filter = endpoint.filter
        return names()?.warnings(types: filter.types, topics: filter.topics).map {
            "\($0.path): \($0.message)"
        } ?? []
    }

    private func change(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        let patch = try SubscriptionPatch(json: try body(request))
        let endpoint = try await service.patch(id, with: patch)
        return .uncached(endpoint.json(warnings: warnings(endpoint)))
    }

    // MARK: Deliveries

    /// Returns the number of entries that the request asks for.
    private func limit(_ request: RouteRequest, default count: Int, max: Int) throws -> Int {
        let limit = request.query("limit").map { Int($0) ?? 0 } ?? count
        guard (1...max).contains(limit) else {
            throw WebhookRequestError.unexpected("limit", expected: "a number from 1 to \(max)")
        }
        return limit
    }

    private func attempts(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        _ = try service.load(id)
        let max = StoredAttempt.keptMax
        let limit = try limit(request, default: Self.attemptsDefault, max: max)
        let attempts = try await service.store.attempts(of: id, limit: limit)
        return .uncached(
            .object { json in
                json.array("attempts") { array in
                    for attempt in attempts { array.object { attempt.write(to: &$0) } }
                }
            }
        )
    }

    private func deliveries(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        _ = try service.load(id)
        let limit = try limit(request, default: Self.deliveriesDefault, max: 100)
        var before: Int64?
        if let text = request.query("before") {
            guard let number = Int64(text), number > 0 else {
                throw WebhookRequestError.unexpected("before", expected: "the id of a delivery")
            }
            before = number
        }
        let rows = try await service.store.deliveries(of: id, before: before, limit: limit)
        return .uncached(
            .object { json in
                json.array("deliveries") { array in
                    for row in rows { array.raw(row.json()) }
                }
            }
        )
    }

    private func replay(_ request: RouteRequest, _ id: String) async throws -> ServerResponse {
        let range = try ReplayRequest(json: try body(request))
        let count = try await service.replay(id, from: range.from, to: range.to)
        return .uncached(.object { $0.field("messages", count) }, status: 202)
    }

    private func retry(_ id: String, _ delivery: Int64?) async throws -> ServerResponse {
        guard let delivery, try await service.retry(id, delivery: delivery) else {
            throw RouteRefusal(
                404,
                "DELIVERY_NOT_FOUND",
                "there is no such delivery that has ended"
            )
        }
        return .uncached(.object { $0.field("messages", 1) }, status: 202)
    }

    // MARK: Bodies and answers

    private func body(_ request: RouteRequest) throws -> [UInt8] {
        try request.content(upTo: Self.bodyBytesMax)
    }

    /// Turns thrown errors into refusals.
    private func answer(
        _ body: () async throws -> ServerResponse
    ) async -> ServerResponse {
        await .answer(part: "webhooks", service.logger) { error in
            switch error {
            case let error as WebhookError: RouteRefusal(error).response
            case let error as WebhookRequestError:
                RouteRefusal(400, "INVALID_REQUEST", "\(error)").response
            default: nil
            }
        } _: {
            try await body()
        }
    }
}

extension RouteRefusal {
    fileprivate init(_ error: WebhookError) {
        switch error {
        case .notFound: self.init(404, "WEBHOOK_NOT_FOUND", "there is no such webhook")
        case .readOnly:
            self.init(409, "READ_ONLY", "the webhook is part of the hub's configuration")
        case .urlNotAllowed(let reason):
            self.init(400, "URL_NOT_ALLOWED", "url is not called: \(reason)")
        case .tooMany(let limit):
            self.init(409, "TOO_MANY_WEBHOOKS", "there are at most \(limit) webhooks")
        case .wrongStatus(let status):
            self.init(409, "WRONG_STATUS", "the webhook is \(status.rawValue)")
        }
    }
}

extension [UInt8] {
    /// Returns a JSON object.
    fileprivate static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(body)
        return json.bytes
    }
}

extension RouteRequest {
    fileprivate var webhookID: String { parameters["id"] }
    fileprivate var deliveryID: Int64? { Int64(parameters["delivery"]) }
}

extension WebhookEndpoint {
    /// - Parameters:
    ///   - revealingSecret: only once, when it is created.
    ///   - warnings: about a filter that was just set.
    fileprivate func json(revealingSecret: Bool = false, warnings: [String] = []) -> [UInt8] {
        .object { json in
            json.field("id", name)
            // The path of a configured endpoint may be a credential of the operator.
            json.field("url", isConfigured ? origin : url)
            json.field("source", isConfigured ? "configuration" : "api")
            json.field("status", status.rawValue)
            if let disabledReason { json.field("reason", disabledReason.rawValue) }
            json.list("types", filter.types)
            json.list("topics", filter.topics)
            json.list("severities", filter.severities.sorted())
            json.field("rate", rate)
            if let signingKey { json.field("public_key", signingKey.publicText) }
            if revealingSecret { json.field("secret", secrets[0].revealed) }
            if let former { json.field("former_secret_until", former.until.iso8601) }
            if !warnings.isEmpty { json.list("warnings", warnings) }
        }
    }

    private var origin: String {
        guard let url = try? WebhookURL(url) else { return "" }
        return String(url.text.dropLast(url.target.utf8.count))
    }
}

extension JSONWriter {
    fileprivate mutating func list(_ key: String, _ texts: [String]) {
        array(key) { array in
            for text in texts { array.value(text) }
        }
    }
}

extension StoredAttempt {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("time", attempt.time.iso8601)
        json.field("delivery", messageID)
        json.field("type", eventType)
        json.field("topic", topic)
        json.field("attempt", number)
        json.field("duration", attempt.duration.inSeconds)
        json.field("status", statusCode.map(Double.init))
        json.field("outcome", attempt.outcome.rawValue)
        json.field("error", attempt.error)
        json.field("body", text)
        json.field("next", next?.iso8601)
    }
}

extension StoredDelivery {
    /// Leaves out the body, which may be long.
    fileprivate func json() -> [UInt8] {
        .object { json in
            json.field("id", id)
            json.field("message_id", messageID)
            json.field("type", eventType)
            json.field("subject", subject)
            json.field("created_at", createdAt.iso8601)
            switch status {
            case .pending(let next):
                json.field("status", "pending")
                json.field("next_attempt", next.iso8601)
            case .delivered(let time):
                json.field("status", "delivered")
                json.field("ended_at", time.iso8601)
            case .failed(let time):
                json.field("status", "failed")
                if let failureReason { json.field("reason", failureReason) }
                json.field("ended_at", time.iso8601)
            }
            json.field("attempts", attempts)
            if let statusCode {
                json.field("last_status", statusCode)
            } else {
                json.null("last_status")
            }
            json.field("length", body.count)
        }
    }
}
