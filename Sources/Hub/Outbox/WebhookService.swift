// Outbox: webhooks. Whom they are for, what waits for each, and sending it.

import Digests
import Foundation
import JSONText
import LogOutput
import Logging
import PubSub
import Store
import Tasks
import Timekeeping
import Webhooks

/// Keeps the subscriptions that are made through the API and the standing of all endpoints: each change is
/// committed first, then seen by `WebhookDirectory`.
///
/// What changes one endpoint is done one after the other (`KeyedExecution`).
package final class WebhookService: Sendable {
    package let directory: WebhookDirectory
    package let store: HubStore
    package let connector: WebhookConnector
    /// Tells the sender that rows were added or endpoints changed.
    package let wake: @Sendable () -> Void
    package let logger: Logger
    package let limits: Limits
    package let execution = KeyedExecution<String>()
    /// What is to be noted of how endpoints stand that are not there, or are there again.
    package let absence: [StateRow]
    /// Seals what is stored of subscriptions.
    package let vault: WebhookVault
    /// Subscriptions whose secrets were found as they are.
    private let unsealed: [String]

    /// How long both secrets sign when one is replaced.
    package static let rotation = Duration.seconds(24 * 3600)
    package static let timeout = Duration.seconds(20)
    /// Messages that one command sends again.
    package static let replayMax = 10_000

    package struct Limits: Sendable {
        /// Endpoints that were made through the API.
        package var subscriptionsMax = 1000
        /// Messages that wait for one endpoint. As the outbox is counted now and then, there may be a
        /// hundredth more.
        package var waitingMax = 100_000
        /// How long ago the event of one that waits may have been.
        package var waitingAgeMax = Duration.seconds(30 * 86_400)

        /// Messages that are added to an outbox before it is counted again.
        package var countingStep: Int { max(1, waitingMax / 100) }
    }

    /// Restores the subscriptions, and how each endpoint stood.
    ///
    /// - Parameter configured: the endpoints of the configuration.
    /// - Throws: `StoreError` when the store cannot be read or does not take what is to be sealed,
    ///   `WebhookVaultError` when a secret in it cannot be opened.
    package init(
        configured: [WebhookEndpoint],
        store: HubStore,
        connector: WebhookConnector,
        limits: Limits = Limits(),
        vault: WebhookVault = WebhookVault(secret: nil),
        wake: @escaping @Sendable () -> Void,
        logger: Logger
    ) async throws {
        self.store = store
        self.connector = connector
        self.limits = limits
        self.vault = vault
        self.wake = wake
        self.logger = logger
        let standings = try await store.state(domain: WebhookStanding.domain)
        let decoded = standings.compactMap { row in
            WebhookStanding(row.value).map { (row.key, $0) }
        }
        let wall = HubClock.wall
        let all = Dictionary(decoded) { $1 }
        // One that was away for longer than anything may wait begins anew.
        let known = all.filter { !$0.value.isAway(longerThan: limits.waitingAgeMax, wall: wall) }
        directory = WebhookDirectory()
        for var endpoint in configured {
            known[endpoint.name]?.apply(to: &endpoint)
            directory.put(endpoint)
        }
        var unsealed: [String] = []
        for row in try await store.state(domain: WebhookSubscription.domain) {
            let stored = WebhookSubscription(row.value)
            guard directory[row.key] == nil,
                var endpoint = try stored?.opened(of: row.key, by: vault).endpoint(id: row.key)
            else {
                logger.error(
                    "webhooks: stored subscription is not used",
                    metadata: ["id": "\(row.key)"]
                )
                continue
            }
            known[row.key]?.apply(to: &endpoint)
            directory.put(endpoint)
            if stored?.isSealed == false { unsealed.append(row.key) }
        }
        self.unsealed = unsealed
        for (name, standing) in known where directory[name] != nil {
            directory.setHealth(standing.health, of: name)
        }
        absence = all.compactMap { [directory] name, standing in
            standing.row(
                name,
                isThere: directory[name] != nil,
                ageMax: limits.waitingAgeMax,
                wall: wall
            )
        }
    }

    // MARK: Subscriptions

    /// Makes a subscription and sends it the verification that it has to answer.
    ///
    /// - Throws: `WebhookError`, `StoreError`.
    package func create(_ new: NewSubscription) async throws -> WebhookEndpoint {
        if let refusal = connector.refusal(of: new.url, isConfigured: false) {
            throw WebhookError.urlNotAllowed(refusal)
        }
        let wall = HubClock.wall
        var endpoint = WebhookEndpoint(
            name: "wh_" + newID(),
            url: new.url.text,
            secrets: [WebhookSecret(key: randomBytes(WebhookSecret.newKeyLength))],
            filter: new.filter,
            timeout: Self.timeout,
            isConfigured: false
        )
        endpoint.rate = new.rate
        endpoint.signingKey = .random()
        endpoint.status = .pending
        let made = endpoint
        // One after the other, or two requests at once would pass the limit together.
        return try await execution.run("") { [self] in
            guard directory.all.count(where: { !$0.isConfigured }) < limits.subscriptionsMax else {
                throw WebhookError.tooMany(limits.subscriptionsMax)
            }
            let verification = message(.verification, to: made.name)
            try await commit(
                made,
                deliveries: [NewDelivery(verification, to: made.name, wall: wall)]
            )
            return made
        }
    }

    /// Changes what a subscription gets, and how fast.
    package func patch(_ id: String, with patch: SubscriptionPatch) async throws -> WebhookEndpoint
    {
        try await change(id) { endpoint in
            guard !endpoint.isConfigured else { throw WebhookError.readOnly }
            endpoint.filter = try patch.filter(over: endpoint.filter)
            endpoint.rate = try patch.rate ?? endpoint.rate
        }
    }

    /// Gives a subscription another secret and key; for a day the former ones sign, too.
    package func rotate(_ id: String) async throws -> WebhookEndpoint {
        try await change(id) { endpoint in
            guard !endpoint.isConfigured else { throw WebhookError.readOnly }
            endpoint.former = WebhookEndpoint.Former(
                secret: endpoint.secrets[0],
                signingKey: endpoint.signingKey,
                until: HubClock.wall + Self.rotation
            )
            endpoint.secrets = [WebhookSecret(key: randomBytes(WebhookSecret.newKeyLength))]
            endpoint.signingKey = .random()
        }
    }

    package func pause(_ id: String) async throws -> WebhookEndpoint {
        try await change(id) { endpoint in
            guard endpoint.status == .active || endpoint.status == .paused else {
                throw WebhookError.wrongStatus(endpoint.status)
            }
            endpoint.status = .paused
        }
    }

    /// Goes on with a paused or disabled endpoint; one that was never verified is verified anew.
    package func resume(_ id: String) async throws -> WebhookEndpoint {
        try await execution.run(id) { [self] in
            var endpoint = try load(id)
            var deliveries: [NewDelivery] = []
            let needsVerification =
                endpoint.status == .pending || endpoint.disabledReason == .unverified
            endpoint.status = needsVerification ? .pending : .active
            endpoint.disabledReason = nil
            if needsVerification {
                let verification = message(.verification, to: id)
                deliveries = [NewDelivery(verification, to: id, wall: HubClock.wall)]
            }
            directory.setHealth(EndpointHealth(), of: id)
            try await commit(endpoint, deliveries: deliveries)
            return endpoint
        }
    }

    /// Deletes a subscription with all its deliveries.
    package func delete(_ id: String) async throws {
        try await execution.run(id) { [self] in
            guard !(try load(id)).isConfigured else { throw WebhookError.readOnly }
            let change = Change(state: [
                StateRow(domain: WebhookSubscription.domain, key: id, value: nil),
                StateRow(domain: WebhookStanding.domain, key: id, value: nil),
            ])
            _ = try await store.commit(change)
            directory.remove(id)
            try await store.removeDeliveries(of: id)
            wake()
        }
    }

    // MARK: Messages

    /// Sends a test event; answers its message's id.
    package func test(_ id: String) async throws -> String {
        let endpoint = try load(id)
        guard endpoint.status == .active else { throw WebhookError.wrongStatus(endpoint.status) }
        let event = message(.test, to: id)
        let delivery = NewDelivery(event, to: id, wall: HubClock.wall)
        _ = try await store.commit(Change(deliveries: [delivery]))
        wake()
        return event.id
    }

    /// Sends again what was delivered or given up in a range of time; answers how many messages.
    package func replay(_ id: String, from: Timestamp, to: Timestamp) async throws -> Int {
        _ = try load(id)
        let count = try await store.redeliver(
            to: id,
            createdFrom: from,
            through: to,
            now: HubClock.wall,
            rowsMax: Self.replayMax
        )
        wake()
        return count
    }

    /// Sends one message again; false when it is not there, or waits for an attempt already.
    package func retry(_ id: String, delivery: Int64) async throws -> Bool {
        _ = try load(id)
        let isFound = try await store.redeliver(delivery, to: id, now: HubClock.wall)
        wake()
        return isFound
    }

    // MARK: What came of attempts

    package func note(_ outcome: DeliveryOutcome, of row: StoredDelivery, now: Timestamp) async {
        let name = row.endpoint
        let before = directory.health(of: name)
        let notice = directory.note(isSuccess: outcome == .delivered, of: name, now: now)
        let metadata: Logger.Metadata = ["endpoint": "\(name)"]
        switch notice {
        case .none: break
        case .opened(let until):
            logger.warning(
                "webhook endpoint fails",
                metadata: metadata.merging(["next_attempt": "\(until.iso8601Seconds)"]) { $1 },
                source: LogSource.peer
            )
        case .recovered:
            logger.notice(
                "webhook endpoint is well again",
                metadata: metadata,
                source: LogSource.peer
            )
        case .failedForLong: await disable(name, .failing)
        }
        if outcome == .disableEndpoint { await disable(name, .gone) }
        if row.eventType == Kind.verification.rawValue {
            if outcome == .delivered { await activate(name) }
            if outcome == .exhausted { await disable(name, .unverified) }
        }
        // Since when an endpoint has been failing is to survive a restart; the rest follows from it.
        if (before.failures == 0) != (directory.health(of: name).failures == 0) || notice != .none {
            await saveStanding(of: name)
        }
    }

    private func activate(_ name: String) async {
        await unlessTheStoreFails {
            _ = try await self.change(name) {
                if $0.status == .pending { $0.status = .active }
            }
        }
        logger.notice(
            "webhook endpoint is verified",
            metadata: ["endpoint": "\(name)"],
            source: LogSource.peer
        )
    }

    package func unlessTheStoreFails(_ body: @Sendable () async throws -> Void) async {
        do { try await body() } catch WebhookError.notFound {
            // It was deleted meanwhile.
        } catch {
            logger.error(
                "webhooks: change not committed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
        }
    }

    // MARK: Commits

    package func load(_ id: String) throws -> WebhookEndpoint {
        guard let endpoint = directory[id] else { throw WebhookError.notFound }
        return endpoint
    }

    private func change(
        _ id: String,
        _ body: @escaping @Sendable (inout WebhookEndpoint) throws -> Void
    ) async throws -> WebhookEndpoint {
        try await execution.run(id) { [self] in
            var endpoint = try load(id)
            try body(&endpoint)
            try await commit(endpoint)
            return endpoint
        }
    }

    package func commit(
        _ endpoint: WebhookEndpoint,
        events: [TopicEvent] = [],
        deliveries: [NewDelivery] = []
    ) async throws {
        var rows = [standingRow(of: endpoint)]
        if !endpoint.isConfigured {
            rows.append(
                StateRow(
                    domain: WebhookSubscription.domain,
                    key: endpoint.name,
                    value: WebhookSubscription(endpoint, vault).bytes
                )
            )
        }
        _ = try await store.commit(Change(events: events, state: rows, deliveries: deliveries))
        directory.put(endpoint)
        wake()
    }

    /// Seals the secrets that were stored when there was no key.
    package func sealStored() async throws {
        guard vault.hasKey else { return }
        for id in unsealed {
            try await execution.run(id) { [self] in try await commit(load(id)) }
        }
    }

    package func saveStanding(of name: String) async {
        await unlessTheStoreFails { [self] in
            try await execution.run(name) { [self] in
                let row = standingRow(of: try load(name))
                _ = try await store.commit(Change(state: [row]))
            }
        }
    }

    private func standingRow(of endpoint: WebhookEndpoint) -> StateRow {
        let health = directory.health(of: endpoint.name)
        return StateRow(
            domain: WebhookStanding.domain,
            key: endpoint.name,
            value: WebhookStanding(endpoint, health).bytes
        )
    }
}

/// Why something is not done for an endpoint.
package enum WebhookError: Error, Equatable {
    case notFound
    /// It stands in the configuration.
    case readOnly
    case urlNotAllowed(String)
    case tooMany(Int)
    case wrongStatus(WebhookEndpoint.Status)
}
