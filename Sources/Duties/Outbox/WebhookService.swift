// Outbox: webhooks, with their endpoints, the messages that wait for each, and the sender.

import Foundation
import Service

/// Stores the subscriptions that are created through the API and the state of all endpoints. Each
/// change is committed before `WebhookDirectory` has it.
///
/// Changes of one endpoint run one after the other (`KeyedExecution`).
package final class WebhookService: Sendable {
    package let directory: WebhookDirectory
    package let store: HubStore
    package let connector: WebhookConnector
    /// Notifies the sender that rows were added or endpoints changed.
    package let wake: @Sendable () -> Void
    package let logger: Logger
    package let limits: Limits
    package let execution = KeyedExecution<String>()
    private let others = Locked(OtherNodes())
    /// The rows to be stored for endpoints that are absent, or present again.
    package let absence: [StateRow]
    /// Seals the stored secrets of subscriptions.
    package let vault: WebhookVault
    /// Subscriptions whose secrets were stored in plaintext.
    let unsealed: [String]

    /// The domains of the rows that describe endpoints.
    package static let stateDomains: Set = [WebhookSubscription.domain, WebhookStanding.domain]

    /// The time during which both secrets sign after one was replaced.
    package static let rotation = Duration.seconds(24 * 3600)
    package static let timeout = Duration.seconds(20)
    /// The maximum number of messages that one command sends again.
    package static let replayMax = 10_000

    package struct Limits: Sendable {
        /// The maximum number of endpoints created through the API.
        package var subscriptionsMax = 1000
        /// The maximum number of messages that wait for one endpoint. As the outbox is counted only
        /// at intervals, it may be exceeded by a hundredth.
        package var waitingMax = 100_000
        /// The maximum age of a waiting message's event.
        package var waitingAgeMax = Duration.seconds(30 * 86_400)

        /// The number of messages added to an outbox before it is counted again.
        package var countingStep: Int { max(1, waitingMax / 100) }
    }

    /// Restores the subscriptions and the state of each endpoint.
    ///
    /// - Parameters:
    ///   - configured: the endpoints of the configuration.
    ///   - directory: receives the endpoints, in place of those that it has. It may outlive this
    ///     service.
    /// - Throws: `StoreError` if the store cannot be read or the secrets to be sealed cannot be
    ///   stored, `WebhookVaultError` if a stored secret cannot be opened.
    package init(
        configured: [WebhookEndpoint],
        directory: WebhookDirectory = WebhookDirectory(),
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
        // An endpoint that was absent for longer than any message may wait starts without a stored
        // state.
        let known = all.filter { !$0.value.isAway(longerThan: limits.waitingAgeMax, wall: wall) }
        var endpoints = configured
        var names = Set(configured.map(\.name))
        var unsealed: [String] = []
        for row in try await store.state(domain: WebhookSubscription.domain) {
            let stored = WebhookSubscription(row.value)
            guard !names.contains(row.key),
                let endpoint = try stored?.opened(of: row.key, by: vault).endpoint(id: row.key)
            else {
                logger.error(
                    "webhooks: stored subscription is not used",
                    metadata: ["id": "\(row.key)"]
                )
                continue
            }
            endpoints.append(endpoint)
            names.insert(row.key)
            if stored?.isSealed == false { unsealed.append(row.key) }
        }
        for (index, name) in endpoints.map(\.name).enumerated() {
            known[name]?.apply(to: &endpoints[index])
        }
        self.unsealed = unsealed
        self.directory = directory
        directory.replace(
            with: endpoints,
            healths: known.filter { names.contains($0.key) }.mapValues(\.health)
        )
        absence = all.compactMap { name, standing in
            let isThere = names.contains(name)
            return standing.row(name, isThere: isThere, ageMax: limits.waitingAgeMax, wall: wall)
        }
    }

    private struct OtherNodes {
        var takeIn: @Sendable () async -> Void = {}
    }

    /// Sets what is called after each committed change, before it takes effect here: it returns when the
    /// other nodes of a cluster have taken the change in.
    package func setOtherNodes(_ takeIn: @escaping @Sendable () async -> Void) {
        others.withLock { $0.takeIn = takeIn }
    }

    func waitForOtherNodes() async { await others.withLock { $0.takeIn }() }

    // MARK: Subscriptions

    /// Creates a subscription and sends the verification that it has to answer.
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
        // One after the other: two requests at once could exceed the limit together.
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

    /// Changes the filter or the rate of a subscription.
    package func patch(_ id: String, with patch: SubscriptionPatch) async throws -> WebhookEndpoint
    {
        try await change(id) { endpoint in
            guard !endpoint.isConfigured else { throw WebhookError.readOnly }
            endpoint.filter = try patch.filter(over: endpoint.filter)
            endpoint.rate = try patch.rate ?? endpoint.rate
        }
    }

    /// Replaces the secret and key of a subscription. For a day, the former ones also sign.
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

    /// Resumes a paused or disabled endpoint. One that was never verified gets a new verification.
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
            await waitForOtherNodes()
            directory.remove(id)
            try await store.removeDeliveries(of: id)
            wake()
        }
    }

    // MARK: Messages

    /// Sends a test event and returns its message id.
    package func test(_ id: String) async throws -> String {
        let endpoint = try load(id)
        guard endpoint.status == .active else { throw WebhookError.wrongStatus(endpoint.status) }
        let event = message(.test, to: id)
        let delivery = NewDelivery(event, to: id, wall: HubClock.wall)
        _ = try await store.commit(Change(deliveries: [delivery]))
        wake()
        return event.id
    }

    /// Redelivers the messages of a time range that were delivered or given up, and returns their
    /// number.
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

    /// Sends one message again; returns false if it does not exist or already waits for an attempt.
    package func retry(_ id: String, delivery: Int64) async throws -> Bool {
        _ = try load(id)
        let isFound = try await store.redeliver(delivery, to: id, now: HubClock.wall)
        wake()
        return isFound
    }

    // MARK: Results of attempts

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
        // The time since which an endpoint has been failing must survive a restart; the rest
        // follows from it.
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
            // It was deleted in the meantime.
        } catch {
            logger.error(
                "webhooks: change not committed",
                metadata: ["err": "\(error)"],
                source: LogSource.peer
            )
        }
    }
}

/// Why an operation on an endpoint is refused.
package enum WebhookError: Error, Equatable {
    case notFound
    /// The endpoint is part of the configuration.
    case readOnly
    case urlNotAllowed(String)
    case tooMany(Int)
    case wrongStatus(WebhookEndpoint.Status)
}
