/// Deletes the data of users whose accounts were deleted from all parts of a hub that leads.
///
/// The transaction that deletes an account stores a `DeletedAccount`. A pass deletes the data of
/// the noted users: domains, alert rules, and the users' own topics. The first pass follows the
/// deletion, or the start after a kill. The maintenance makes one pass a minute; the pass that is
/// at least `settleTime` after the deletion is the last one: no request that was accepted before
/// the deletion is in progress any longer. Then the names of the topics and the note are deleted.
/// The note stays until all data are deleted, and for a time if the name of a topic is still used.
final class DeletedAccounts: Sendable {
    static let settleTime = Duration.seconds(60)
    /// The name of a topic stays while it has a subscriber; after this time without the note.
    static let namesAwaitedMax = Duration.seconds(86_400)

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
    ///
    /// - Parameter user: whose data are deleted; nil for all noted users.
    func forgetNow(_ user: String? = nil) async {
        do { try await forgetAll(of: user).end() } catch is CancellationError {
        } catch {
            logger.error("data of deleted accounts not deleted", metadata: ["err": "\(error)"])
        }
    }

    /// The result of a pass.
    struct Pass: Sendable {
        /// The noted users all of whose data are deleted.
        var done: [DeletedAccount] = []
        var failure: (any Error)?

        /// - Throws: `StepFailures` if the data of some users are not deleted, `CancellationError`.
        func end() throws { if let failure { throw failure } }
    }

    /// Makes a pass. Each step runs whatever became of the others: data that cannot be deleted keep
    /// no other data of the user, and none of other users.
    ///
    /// - Parameter user: whose data are deleted; nil for all noted users.
    /// - Throws: `StoreError` if the notes cannot be read.
    func forgetAll(of user: String? = nil) async throws -> Pass {
        try await execution.run { [self] in
            let noted = try await store.state(domain: DeletedAccount.domain)
                .compactMap { DeletedAccount($0) }
            users.withLock { $0 = noted.map(\.user) }
            let chosen = noted.filter { account in
                user.map { hasSameBytes($0, account.user) } ?? true
            }
            guard !chosen.isEmpty else { return Pass() }
            return await forget(chosen)
        }
    }

    private func forget(_ accounts: [DeletedAccount]) async -> Pass {
        var pass = Pass()
        var steps = IndependentSteps()
        var own: [Topic]?
        let namespaces = rules.book.namespaces
        let isOwn: @Sendable (Topic) -> Bool = { topic in
            accounts.contains { namespaces.isOwn(topic, of: $0.user) }
        }
        await steps.run("topics") { own = try await store.topics(where: isOwn) }
        for account in accounts {
            let topics = own?.filter { namespaces.isOwn($0, of: account.user) }
            await steps.run("user") {
                try await forget(account.user, topics ?? [])
                if topics != nil { pass.done.append(account) }
            }
        }
        await steps.run("deliveries") {
            do { try await store.eraseDeliveries(where: isOwn) } catch {
                pass.done = []
                throw error
            }
        }
        outbox.wake()
        await topics.withLock { $0 }?.end(own ?? [])
        do { try steps.end() } catch { pass.failure = error }
        return pass
    }

    /// Deletes the data of a user, with the histories of the user's own topics.
    private func forget(_ user: String, _ topics: [Topic]) async throws {
        var steps = IndependentSteps()
        for domain in domains {
            await steps.run("domain") { try await domain.forget(user) }
        }
        for domain in off where store.hasTables(of: domain.manifest.migrations) {
            await steps.run(domain.manifest.name) { try await domain.manifest.forget(store, user) }
        }
        await steps.run("alert_rules") { try await rules.forget(user) }
        for topic in topics {
            await steps.run("history") {
                _ = try await store.commit(Change(removedHistories: [topic]))
            }
        }
        try steps.end()
    }

    /// Whether a topic belongs to a noted user, so that its name is deleted.
    func isOwn(_ topic: Topic) -> Bool {
        let users = users.withLock { $0 }
        guard !users.isEmpty else { return false }
        let namespaces = rules.book.namespaces
        return users.contains { namespaces.isOwn(topic, of: $0) }
    }

    /// Removes the notes of users whose last pass was made and whose topics have no names any longer.
    ///
    /// - Parameters:
    ///   - done: those of a pass.
    ///   - wall: the time of the pass.
    func end(_ done: [DeletedAccount], wall: Timestamp) async throws {
        let settled = done.filter { wall - $0.at >= Self.settleTime }
        guard !settled.isEmpty else { return }
        let waiting = settled.filter { wall - $0.at < Self.namesAwaitedMax }
        let namespaces = rules.book.namespaces
        let names = try await Set(
            store.topics { topic in waiting.contains { namespaces.isOwn(topic, of: $0.user) } }
        )
        let left = waiting.filter { account in
            names.contains { namespaces.isOwn($0, of: account.user) }
        }
        let ended = settled.filter { account in !left.contains(account) }
        _ = try await store.commit(Change(state: ended.map(\.removal)))
        let endedUsers = Set(ended.map { Array($0.user.utf8) })
        users.withLock { $0.removeAll { endedUsers.contains(Array($0.utf8)) } }
    }
}
