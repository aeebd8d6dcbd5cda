// Alerting: the rules of operators and users, evaluated for the publications of every topic.

import Access
import Alerts
import Configuration
import Locking
import PubSub
import Tasks
import Tokens

/// The rules that hold at this moment: those of the configuration, and those that came by the API.
///
/// May be used from any thread; every call is short. Whoever has evaluated rules asks for `version`, and
/// evaluates again when it has become another.
package final class AlertBook: Sendable {
    /// A rule and how it was written.
    package struct Entry: Sendable {
        package var settings: Configuration.Alert
        package var rule: AlertRule
        /// Configured rules cannot be changed by the API.
        package var isConfigured: Bool
    }

    /// Which rules there are for a topic, at one moment.
    package struct Indexes: Sendable {
        package var operators = AlertRuleIndex()
        package var users = AlertRuleIndex()
    }

    fileprivate struct State {
        var entries: [AlertRuleKey: Entry] = [:]
        var indexes = Indexes()
        /// No owner has an empty one.
        var owners: [AlertOwner: AlertRuleIndex] = [:]
        var keys: [AlertOwner: Set<AlertRuleKey>] = [:]
        var namespaces: NamespaceRules
        var version = 1
        /// When an owner's rules last changed.
        var versions: [AlertOwner: Int] = [:]
        /// When it last changed who may read what.
        var namespacesVersion = 1
        var alarms: [Alarm] = []
    }

    package let vocabulary: AlertVocabulary
    private let state: Locked<State>

    /// - Parameters:
    ///   - configured: each with the rule that it was compiled to.
    ///   - namespaces: say which topics a user's rules may look at.
    ///   - vocabulary: for rules that come by the API.
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

    /// Rings when the rules have changed.
    package func connect(_ alarm: Alarm) {
        state.withLock { $0.alarms.append(alarm) }
    }

    /// Another number whenever other rules may hold.
    package var version: Int { state.withLock { $0.version } }

    /// Another number whenever other rules of an owner may hold; 0 for one without rules.
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

    /// How many users have rules.
    package var userCount: Int {
        state.withLock { $0.keys.count - ($0.keys[.operator] == nil ? 0 : 1) }
    }

    package var indexes: Indexes { state.withLock { $0.indexes } }

    /// The rules that look at a topic, each of a user who may read it, in the order of their keys.
    package func rules(for topic: Topic) -> [AlertRule] {
        state.withLock { state in
            (state.indexes.operators.rules(for: topic) + state.indexes.users.rules(for: topic))
                .filter { state.mayRead(topic, $0.owner) }
                .sorted { $0.key < $1.key }
        }
    }

    /// An owner's rules that look at a topic, if the owner may read it, in the order of their keys.
    package func rules(for topic: Topic, of owner: AlertOwner) -> [AlertRule] {
        state.withLock { state in
            guard let rules = state.owners[owner]?.rules(for: topic), !rules.isEmpty,
                state.mayRead(topic, owner.user)
            else { return [] }
            return rules.sorted { $0.key < $1.key }
        }
    }

    /// Whether there are operators' or users' rules for topics of other namespaces than these.
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

    /// In the order of their keys.
    ///
    /// - Parameter owner: whose rules; nil for all.
    package func entries(of owner: String?) -> [Entry] {
        state.withLock { state in
            let keys = owner.map { state.keys[.user($0)] ?? [] } ?? Set(state.entries.keys)
            return keys.sorted().compactMap { state.entries[$0] }
        }
    }

    /// How many rules came by the API: of one owner, and of all users.
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

    /// Takes other rules of who may read what.
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

    /// - Parameter user: nil for the operator, who reads all.
    fileprivate func mayRead(_ topic: Topic, _ user: String?) -> Bool {
        guard let user else { return true }
        let identity = Identity(user: user)
        return namespaces.subscribe(to: topic, by: identity, isGranted: false) == .allowed
    }
}
