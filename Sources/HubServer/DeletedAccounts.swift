import Access
import Accounts
import Alerting
import DomainKit
import Locking
import Logging
import Outbox
import PubSub
import Store
import Tasks
import Timekeeping

/// Deletes the data of users whose accounts were deleted from all parts of a hub that leads.
///
/// The transaction that deletes an account stores a `DeletedAccount`. A pass deletes the data of
/// the noted users: domains, alert rules, and the users' own topics. The first pass follows the
/// deletion, or the start after a kill. The maintenance makes one pass a minute; the pass that is
/// at least `settleTime` after the deletion is the last one: no request that was accepted before
/// the deletion is in progress any longer. Then the names of the topics and the note are deleted.
final class DeletedAccounts: Sendable {
    static let settleTime = Duration.seconds(60)

    private let store: HubStore
    private let domains: [any DomainService]
    /// The domains that are off.
    private let off: [any Domain.Type]
    private let rules: AlertRuleStore
    private let outbox: OutboxRouter
    private let logger: Logger
    private let execution = SerialExecution()
    private let topics = Locked<(any TopicControl)?>(nil)
    /// The noted users of the last pass.
    private let users = Locked<[String]>([])

    /// - Parameter domains: those that are on.
    init(
        _ hub: OpenedHub,
        _ domains: [any DomainService],
        rules: AlertRuleStore,
        _ outbox: OutboxRouter
    ) {
        let on = Set(hub.parts.domains.map { type(of: $0).manifest.name })
        store = hub.store
        self.domains = domains
        off = hub.parts.registered.filter { !on.contains($0.manifest.name) }
        self.rules = rules
        self.outbox = outbox
        logger = hub.logger
    }

    /// The loops, while they run.
    func connect(_ topics: (any TopicControl)?) { self.topics.withLock { $0 = topics } }

    /// Makes a pass; a failure is logged, and the maintenance makes another one.
    func forgetNow() async {
        do { try await forgetAll() } catch is CancellationError {
        } catch {
            logger.error("data of deleted accounts not deleted", metadata: ["err": "\(error)"])
        }
    }

    /// Makes a pass.
    ///
    /// - Returns: the noted users.
    @discardableResult
    func forgetAll() async throws -> [DeletedAccount] {
        try await execution.run { [self] in
            let noted = try await store.state(domain: DeletedAccount.domain)
                .compactMap { DeletedAccount($0) }
            users.withLock { $0 = noted.map(\.user) }
            guard !noted.isEmpty else { return [] }
            for account in noted { try await forget(account.user) }
            try await removeOwnTopics()
            return noted
        }
    }

    private func forget(_ user: String) async throws {
        for domain in domains { try await domain.forget(user) }
        for domain in off where store.hasTables(of: domain.manifest.migrations) {
            try await domain.manifest.forget(store, user)
        }
        try await rules.forget(user)
    }

    /// Removes the histories of the users' own topics, and what waits for webhooks.
    private func removeOwnTopics() async throws {
        let own = try await store.topics { [self] in isOwn($0) }
        for topic in own { _ = try await store.commit(Change(removedHistories: [topic])) }
        try await store.eraseDeliveries { isOwn($0) }
        outbox.wake()
        await topics.withLock { $0 }?.end(own)
    }

    /// Whether a topic belongs to a noted user, so that its name is deleted.
    func isOwn(_ topic: Topic) -> Bool {
        let users = users.withLock { $0 }
        guard !users.isEmpty else { return false }
        let namespaces = rules.book.namespaces
        return users.contains { namespaces.isOwn(topic, of: $0) }
    }

    /// Removes the notes of users whose last pass was made.
    ///
    /// - Parameters:
    ///   - noted: the result of a pass.
    ///   - wall: the time of the pass.
    func end(_ noted: [DeletedAccount], wall: Timestamp) async throws {
        let settled = noted.filter { wall - $0.at >= Self.settleTime }
        guard !settled.isEmpty else { return }
        _ = try await store.commit(Change(state: settled.map(\.removal)))
        let ended = Set(settled.map { Array($0.user.utf8) })
        users.withLock { $0.removeAll { ended.contains(Array($0.utf8)) } }
    }
}
