import Alerts
import Locking
import PubSub
import Tokens

/// The rules that hold at this moment: those of the configuration, and those that came by the API.
///
/// May be used from any thread; every call is short. Whoever has evaluated rules asks for `version`, and
/// evaluates again when it has become another.
package final class AlertBook: Sendable {
    /// A rule and how it was written.
    struct Entry: Sendable {
        var settings: Configuration.Alert
        var rule: AlertRule
        /// Configured rules cannot be changed by the API.
        var isConfigured: Bool
    }

    fileprivate struct State {
        var entries: [AlertRuleKey: Entry] = [:]
        /// In the order of their keys.
        var rules: [AlertRule] = []
        var namespaces: NamespaceRules
        var version = 1
        var alarms: [Alarm] = []
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - configured: each with the rule that it was compiled to.
    ///   - namespaces: say which topics a user's rules may look at.
    init(
        configured: [(settings: Configuration.Alert, rule: AlertRule)],
        namespaces: NamespaceRules
    ) {
        var state = State(namespaces: namespaces)
        for (settings, rule) in configured {
            state.entries[rule.key] = Entry(settings: settings, rule: rule, isConfigured: true)
        }
        state.rules = state.entries.values.map(\.rule).sorted { $0.key < $1.key }
        self.state = Locked(state)
    }

    /// Rings when the rules have changed.
    func connect(_ alarm: Alarm) {
        state.withLock { $0.alarms.append(alarm) }
    }

    /// Another number whenever other rules may hold.
    var version: Int { state.withLock { $0.version } }

    /// All of them, in the order of their keys.
    var rules: [AlertRule] { state.withLock { $0.rules } }

    /// The rules that look at a topic, each of a user who may read it.
    func rules(for topic: Topic) -> [AlertRule] {
        state.withLock { state in
            state.rules.filter { rule in
                rule.applies(to: topic) && state.mayRead(topic, rule.owner)
            }
        }
    }

    /// Whether a user may have rules for a topic.
    func mayRead(_ topic: Topic, by user: String) -> Bool {
        state.withLock { $0.mayRead(topic, user) }
    }

    // MARK: Rules by the API

    subscript(key: AlertRuleKey) -> Entry? { state.withLock { $0.entries[key] } }

    /// In the order of their keys.
    ///
    /// - Parameter owner: whose rules; nil for all.
    func entries(of owner: String?) -> [Entry] {
        state.withLock { state in
            state.rules.compactMap { state.entries[$0.key] }.filter { entry in
                guard let owner else { return true }
                return entry.rule.owner.map { hasSameBytes($0, owner) } ?? false
            }
        }
    }

    func put(_ settings: Configuration.Alert, _ rule: AlertRule) {
        change { state in
            state.entries[rule.key] = Entry(settings: settings, rule: rule, isConfigured: false)
        }
    }

    func remove(_ key: AlertRuleKey) {
        change { $0.entries[key] = nil }
    }

    /// Takes other rules of who may read what.
    package func use(_ namespaces: NamespaceRules) {
        change { $0.namespaces = namespaces }
    }

    private func change(_ body: (inout State) -> Void) {
        let alarms = state.withLock { state in
            body(&state)
            state.rules = state.entries.values.map(\.rule).sorted { $0.key < $1.key }
            state.version += 1
            return state.alarms
        }
        for alarm in alarms { alarm.ring() }
    }
}

extension AlertBook.State {
    /// - Parameter user: nil for the operator, who reads all.
    fileprivate func mayRead(_ topic: Topic, _ user: String?) -> Bool {
        guard let user else { return true }
        let identity = Identity(user: user)
        return namespaces.subscribe(to: topic, by: identity, isGranted: false) == .allowed
    }
}
