import Configuration

extension Topic {
    /// Events about webhooks, for operators.
    package static let webhooks = Topic(trusted: "hub:webhooks")
}

/// Notices about endpoints: to the endpoints themselves, to other endpoints that subscribe to them,
/// and on a topic.
extension WebhookService {
    package enum Kind: String {
        case verification = "webhook.verification"
        case test = "webhook.test"
        case disabled = "webhook.endpoint.disabled"
        case dropped = "webhook.messages.dropped"
    }

    package func disable(_ name: String, _ reason: WebhookEndpoint.DisabledReason) async {
        guard let endpoint = directory[name], endpoint.status != .disabled else { return }
        let event = message(.disabled, to: name) { $0.field("reason", reason.rawValue) }
        await unlessTheStoreFails { [self] in
            try await execution.run(name) { [self] in
                var endpoint = try load(name)
                // Several attempts may end at once, but only one notice is sent.
                guard endpoint.status != .disabled else { return }
                endpoint.status = .disabled
                endpoint.disabledReason = reason
                // Effective at once, committed or not: a receiver that is gone gets no further
                // message.
                directory.put(endpoint)
                try await commit(endpoint, telling: event)
            }
        }
        logger.error(
            "webhook endpoint is switched off",
            metadata: ["endpoint": "\(name)", "reason": "\(reason.rawValue)"]
        )
    }

    /// Drops the messages that exceed an endpoint's bounds, the oldest first. Sends a notice, and
    /// no further one until the queue has shrunk to half of its limit.
    ///
    /// - Parameter inFlight: messages with an attempt in progress, which stay.
    /// - Returns: the number of dropped messages.
    package func dropSurplus(of name: String, except inFlight: Set<Int64>, now: Timestamp) async
        -> Int
    {
        do {
            let count = try await store.endPending(
                of: name,
                beyond: limits.waitingMax,
                createdBefore: now - limits.waitingAgeMax,
                except: inFlight
            ) { DeliveryRecord(dropping: $0, now: now) }
            if let endpoint = directory[name] {
                var isOverfull = count > 0
                if !isOverfull, endpoint.isOverfull {
                    let half = limits.waitingMax / 2
                    isOverfull = try await store.hasPending(of: name, moreThan: half)
                }
                if isOverfull != endpoint.isOverfull {
                    try await setOverfull(isOverfull, name, count)
                }
            }
            if count > 0 {
                logger.warning(
                    "webhooks dropped: too many wait, or for too long",
                    metadata: ["endpoint": "\(name)", "messages": .stringConvertible(count)]
                )
            }
            return count
        } catch {
            logger.error("webhooks: queue not shortened", metadata: ["err": "\(error)"])
            return 0
        }
    }

    private func setOverfull(_ isOverfull: Bool, _ name: String, _ count: Int) async throws {
        let event = message(.dropped, to: name) { $0.field("messages", count) }
        try await execution.run(name) { [self] in
            guard var endpoint = directory[name] else { return }
            endpoint.isOverfull = isOverfull
            try await commit(endpoint, telling: isOverfull ? event : nil)
        }
    }

    // MARK: Messages

    private func commit(_ endpoint: WebhookEndpoint, telling event: Event?) async throws {
        guard let event else { return try await commit(endpoint) }
        let others = directory.all.filter {
            $0.name != endpoint.name && $0.takesEvents && $0.filter.types.contains(event.type)
        }
        try await commit(
            endpoint,
            events: [TopicEvent(topic: .webhooks, event: event)],
            deliveries: others.map { NewDelivery(event, to: $0.name, wall: HubClock.wall) }
        )
    }

    /// Creates an event of the hub about an endpoint.
    package func message(
        _ kind: Kind,
        to id: String,
        _ write: (inout JSONWriter) -> Void = { _ in }
    ) -> Event {
        var json = JSONWriter()
        json.object {
            $0.field("webhook_id", id)
            write(&$0)
        }
        return Event(
            id: newID(),
            type: kind.rawValue,
            source: "/webhooks",
            subject: nil,
            time: HubClock.wall,
            data: json.bytes
        )
    }

    package func newID() -> String {
        uuidVersion7(wall: HubClock.wall, random: randomBytes(uuidRandomLength))
    }
}

extension WebhookService.Limits {
    package init(_ configuration: Configuration.WebhookLimits) {
        subscriptionsMax = configuration.subscriptions
        waitingMax = configuration.waiting
        waitingAgeMax = configuration.waitingAge
    }
}
