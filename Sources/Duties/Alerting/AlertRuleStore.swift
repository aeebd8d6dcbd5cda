import Configuration
import Logging

/// Rules created through the API: each is committed, and applies from then on.
package final class AlertRuleStore: Sendable {
    /// The domain of their rows; the key is the rule's, the value its JSON.
    package static let domain = "alert_rules"

    package let book: AlertBook
    package let logger: Logger
    private let limits: Configuration.AlertLimits
    private let store: HubStore
    private let execution = SerialExecution()
    private let follower = Locked<TopicAlertsFollower?>(nil)

    /// Loads the stored rules. Rules that are no longer valid, or whose key is also in the
    /// configuration, are skipped and logged.
    ///
    /// - Throws: `StoreError` when they cannot be read.
    package init(
        book: AlertBook,
        limits: Configuration.AlertLimits = Configuration.AlertLimits(),
        store: HubStore,
        logger: Logger
    ) async throws {
        self.book = book
        self.limits = limits
        self.store = store
        self.logger = logger
        for row in try await store.state(domain: AlertRuleStore.domain) {
            let key = AlertRuleKey(text: row.key)
            guard let value = row.value, book[key] == nil else {
                logger.warning("alert rule not used", metadata: ["rule": "\(key)"])
                continue
            }
            do {
                let read = try AlertRuleReader.rule(
                    json: value,
                    owner: key.owner,
                    vocabulary: book.vocabulary
                )
                book.put(read.settings, read.rule)
            } catch {
                logger.warning(
                    "alert rule not used",
                    metadata: ["rule": "\(key)", "err": "\(error)"]
                )
            }
        }
    }

    /// Sets the follower that evaluates the rules of topics without a domain that evaluates rules.
    /// Before it is set, rules are only read.
    package func connect(_ follower: TopicAlertsFollower) {
        self.follower.withLock { $0 = follower }
    }

    package enum Refusal: Error, Equatable {
        case notFound
        case exists
        /// The rule is in the configuration.
        case configured
        case tooMany(limit: Int, of: Quota)
        /// A topic that the user may not read, or a user who has no topic for alerts.
        case notReadable(String)
        case otherName(String)
    }

    /// The group of rules that a limit applies to.
    package enum Quota: String, Equatable {
        case `operator` = "the operator"
        case user = "a user"
        case users = "all users"
    }

    /// Creates a rule.
    ///
    /// - Throws: `ConfigurationError`, `Refusal`, `StoreError`.
    package func create(json: [UInt8], owner: String?) async throws -> AlertBook.Entry {
        let read = try AlertRuleReader.rule(
            json: json,
            owner: owner,
            vocabulary: book.vocabulary
        )
        return try await execution.run { [self] in
            guard book[read.rule.key] == nil else { throw Refusal.exists }
            try checkQuota(of: owner)
            return try await put(read)
        }
    }

    /// Checks the quotas: users cannot exhaust the operator's, nor a user that of other users.
    private func checkQuota(of owner: String?) throws {
        let counts = book.ruleCounts(of: owner)
        func check(_ count: Int, _ limit: Int, _ quota: Quota) throws {
            guard count < limit else { throw Refusal.tooMany(limit: limit, of: quota) }
        }
        guard owner != nil else { return try check(counts.own, limits.rules, .operator) }
        try check(counts.own, limits.rulesPerUser, .user)
        try check(counts.users, limits.userRules, .users)
    }

    /// Replaces a rule.
    package func replace(_ key: AlertRuleKey, json: [UInt8]) async throws -> AlertBook.Entry {
        let read = try AlertRuleReader.rule(
            json: json,
            owner: key.owner,
            vocabulary: book.vocabulary
        )
        guard read.rule.key == key else { throw Refusal.otherName(read.rule.name) }
        return try await execution.run { [self] in
            try checkChange(of: key)
            return try await put(read)
        }
    }

    /// Removes a rule. The alerts that it has raised are cleared at once.
    package func delete(_ key: AlertRuleKey) async throws {
        try await execution.run { [self] in
            try checkChange(of: key)
            let row = StateRow(domain: AlertRuleStore.domain, key: key.description, value: nil)
            _ = try await store.commit(Change(state: [row]))
            book.remove(key)
        }
    }

    /// Removes the rules of a user whose account was deleted, also stored ones that are not used.
    /// Their alerts are cleared at once.
    ///
    /// - Throws: `StoreError`.
    package func forget(_ user: String) async throws {
        try await execution.run { [self] in
            let keys = try await store.state(domain: AlertRuleStore.domain)
                .map { AlertRuleKey(text: $0.key) }
                .filter { $0.owner.map { hasSameBytes($0, user) } ?? false }
            guard !keys.isEmpty else { return }
            let rows = keys.map {
                StateRow(domain: AlertRuleStore.domain, key: $0.description, value: nil)
            }
            _ = try await store.commit(Change(state: rows))
            for key in keys { book.remove(key) }
        }
    }

    private func checkChange(of key: AlertRuleKey) throws {
        guard let entry = book[key] else { throw Refusal.notFound }
        guard !entry.isConfigured else { throw Refusal.configured }
    }

    private func put(
        _ read: (settings: Configuration.Alert, rule: AlertRule)
    ) async throws -> AlertBook.Entry {
        if let owner = read.rule.owner {
            try checkCost(of: read.rule)
            try checkTopics(of: read.rule, owner)
        }
        let row = StateRow(
            domain: AlertRuleStore.domain,
            key: read.rule.key.description,
            value: read.settings.json
        )
        let first = follower.withLock { $0 }?.rows(ofFirst: read.rule) ?? []
        _ = try await store.commit(Change(state: [row] + first))
        book.put(read.settings, read.rule)
        return AlertBook.Entry(settings: read.settings, rule: read.rule, isConfigured: false)
    }

    /// Checks the cost of a new rule. Stored rules that were never checked remain in use: they
    /// count towards their user's share of time like others.
    private func checkCost(of rule: AlertRule) throws(ConfigurationError) {
        guard rule.cost > AlertRule.userCostMax else { return }
        throw .one(
            "rule",
            "cost \(rule.cost) over limit \(AlertRule.userCostMax): 10, 1 for a comparison,"
                + " 1 more for each 16 bytes of a text, 16 more between two fields"
        )
    }

    /// Checks the topics of a user's rule. Patterns are not limited: whenever they are evaluated,
    /// they match only the topics that the user may read.
    private func checkTopics(of rule: AlertRule, _ owner: String) throws {
        guard userAlertsTopic(owner) != nil else {
            throw Refusal.notReadable("the user's name cannot be part of a topic")
        }
        guard !rule.topics.hasSuffix("*") else { return }
        guard let topic = try? Topic(rule.topics), book.mayRead(topic, by: owner) else {
            throw Refusal.notReadable("there is no topic \(rule.topics) that the user may read")
        }
    }
}
