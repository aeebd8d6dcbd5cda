// Alerting: evaluates the rules of operators and users for the publications of all topics.

import Configuration
import Service

/// The current rules: those of the configuration, and those created through the API.
///
/// All methods are thread-safe and short. A caller that has evaluated rules compares `version`, and
/// evaluates them again when it has changed.
package final class AlertBook: Sendable {
    /// A rule and its source settings.
    package struct Entry: Sendable {
        package var settings: Configuration.Alert
        package var rule: AlertRule
        /// Whether the rule is in the configuration; the API cannot change such a rule.
        package var isConfigured: Bool
    }

    /// The rules by topic at one moment.
    package struct Indexes: Sendable {
        package var operators = AlertRuleIndex()
        package var users = AlertRuleIndex()
    }

    fileprivate struct State {
        var entries: [AlertRuleKey: Entry] = [:]
        var indexes = Indexes()
        /// No owner has an empty index.
        var owners: [AlertOwner: AlertRuleIndex] = [:]
        var keys: [AlertOwner: Set<AlertRuleKey>] = [:]
        var namespaces: NamespaceRules
        var version = 1
        /// The version at which each owner's rules last changed.
        var versions: [AlertOwner: Int] = [:]
        /// The version at which read permissions last changed.
        var namespacesVersion = 1
        var alarms: [Alarm] = []
    }

    package let vocabulary: AlertVocabulary
    /// The silences for the alerts of these rules.
    package let silences = AlertSilences()
    private let state: Locked<State>

    /// - Parameters:
    ///   - configured: each with its compiled rule.
    ///   - namespaces: the namespaces, which define the topics that a user's rules may look at.
    ///   - vocabulary: for rules created through the API.
    package init(
        configured: [(settings: Configuration.Alert, rule: AlertRule)],
        namespaces: NamespaceRules,
        vocabulary: AlertVocabulary = AlertVocabulary()
    ) {
        self.vocabulary = vocabulary
        var state = State(namespaces: namespaces)
        for (settings, rule) in configured {
            state.put(Entry(settings: settings, rule: rule, isConfigured: true))
        }
        self.state = Locked(state)
    }

    /// Adds an alarm that rings when the rules have changed.
    package func connect(_ alarm: Alarm) {
        state.withLock { $0.alarms.append(alarm) }
    }

    /// A number that changes whenever the current rules may have changed.
    package var version: Int { state.withLock { $0.version } }

    /// Returns a number that changes whenever the current rules of an owner may have changed; 0 for
    /// an owner without rules.
    package func version(of owner: AlertOwner) -> Int {
        state.withLock { state in
            guard state.keys[owner] != nil else { return 0 }
            let own = state.versions[owner] ?? 1
            return owner == .operator ? own : max(own, state.namespacesVersion)
        }
    }

    package var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The owners of rules, in order.
    package var owners: [AlertOwner] { state.withLock { $0.keys.keys.sorted() } }

    /// The number of users with rules.
    package var userCount: Int {
        state.withLock { $0.keys.count - ($0.keys[.operator] == nil ? 0 : 1) }
    }

    package var indexes: Indexes { state.withLock { $0.indexes } }

    /// Returns the rules that look at a topic, of all users who may read it, in the order of their
    /// keys.
    package func rules(for topic: Topic) -> [AlertRule] {
        state.withLock { state in
            (state.indexes.operators.rules(for: topic) + state.indexes.users.rules(for: topic))
                .filter { state.mayRead(topic, $0.owner) }
                .sorted { $0.key < $1.key }
        }
    }

    /// Returns an owner's rules that look at a topic, if the owner may read it, in the order of
    /// their keys.
    package func rules(for topic: Topic, of owner: AlertOwner) -> [AlertRule] {
        state.withLock { state in
            guard let rules = state.owners[owner]?.rules(for: topic), !rules.isEmpty,
                state.mayRead(topic, owner.user)
            else { return [] }
            return rules.sorted { $0.key < $1.key }
        }
    }

    /// Whether owners of this kind have rules for topics outside these namespaces.
    package func hasRules(of kind: AlertOwner.Kind, outside namespaces: Set<String>) -> Bool {
        state.withLock { state in
            state.entries.values.contains { entry in
                AlertOwner(entry.rule.owner).kind == kind
                    && !namespaces.contains(String(entry.rule.topics.prefix { $0 != ":" }))
            }
        }
    }

    /// Whether a user may have rules for a topic.
    package func mayRead(_ topic: Topic, by user: String) -> Bool {
        state.withLock { $0.mayRead(topic, user) }
    }

    // MARK: Rules by the API

    package subscript(key: AlertRuleKey) -> Entry? { state.withLock { $0.entries[key] } }

    /// Returns the rules in the order of their keys.
    ///
    /// - Parameter owner: the owner of the rules; nil for all owners.
    package func entries(of owner: String?) -> [Entry] {
        state.withLock { state in
            let keys = owner.map { state.keys[.user($0)] ?? [] } ?? Set(state.entries.keys)
            return keys.sorted().compactMap { state.entries[$0] }
        }
    }

    /// Returns the number of rules created through the API: of one owner, and of all users.
    ///
    /// - Parameter user: nil for the operator.
    package func ruleCounts(of user: String?) -> (own: Int, users: Int) {
        state.withLock { state in
            func count(_ keys: Set<AlertRuleKey>) -> Int {
                keys.count { state.entries[$0]?.isConfigured == false }
            }
            let operators = state.keys[.operator] ?? []
            // No rule of a user is configured.
            let users = state.entries.count - operators.count
            return (count(state.keys[AlertOwner(user)] ?? []), users)
        }
    }

    package func put(_ settings: Configuration.Alert, _ rule: AlertRule) {
        change { state in
            state.put(Entry(settings: settings, rule: rule, isConfigured: false))
            state.versions[AlertOwner(rule.owner)] = state.version
        }
    }

    package func remove(_ key: AlertRuleKey) {
        change { state in
            state.remove(key)
            let owner = AlertOwner(key.owner)
            state.versions[owner] = state.keys[owner].map { _ in state.version }
        }
    }

    /// The current rules of topics.
    package var namespaces: NamespaceRules { state.withLock { $0.namespaces } }

    /// Replaces the namespaces, which define read permissions.
    package func use(_ namespaces: NamespaceRules) {
        change { state in
            state.namespaces = namespaces
            state.namespacesVersion = state.version
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let alarms = state.withLock { state in
            state.version += 1
            body(&state)
            return state.alarms
        }
        for alarm in alarms { alarm.ring() }
    }
}

extension AlertBook.State {
    fileprivate mutating func put(_ entry: AlertBook.Entry) {
        let rule = entry.rule
        remove(rule.key)
        entries[rule.key] = entry
        let owner = AlertOwner(rule.owner)
        keys[owner, default: []].insert(rule.key)
        owners[owner, default: AlertRuleIndex()].insert(rule)
        switch owner {
        case .operator: indexes.operators.insert(rule)
        case .user: indexes.users.insert(rule)
        }
    }

    fileprivate mutating func remove(_ key: AlertRuleKey) {
        guard let rule = entries.removeValue(forKey: key)?.rule else { return }
        let owner = AlertOwner(rule.owner)
        keys[owner]?.remove(key)
        owners[owner]?.remove(rule)
        if keys[owner]?.isEmpty == true {
            keys[owner] = nil
            owners[owner] = nil
        }
        switch owner {
        case .operator: indexes.operators.remove(rule)
        case .user: indexes.users.remove(rule)
        }
    }

    /// - Parameter user: nil for the operator, who may read all topics.
    fileprivate func mayRead(_ topic: Topic, _ user: String?) -> Bool {
        guard let user else { return true }
        let identity = Identity(user: user)
        return namespaces.subscribe(to: topic, by: identity, isGranted: false) == .allowed
    }
}
