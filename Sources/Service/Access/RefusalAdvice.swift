/// The reason why access to a topic was refused, and the configuration key that allows it: one
/// sentence for the log, and in development mode also for the client.
package enum RefusalAdvice {
    /// The refused action.
    package enum Action: String, Sendable, CaseIterable {
        case subscribe
        case publish
        case presence
        case history

        package init(_ action: ClientAction) {
            switch action {
            case .publish: self = .publish
            case .presence: self = .presence
            case .history: self = .history
            }
        }
    }

    /// Returns nil if the action is allowed.
    package static func sentence(
        _ decision: AccessDecision,
        _ action: Action,
        on topic: Topic,
        isConfigured: Bool
    ) -> String? {
        let namespace = String(topic.namespace)
        switch decision {
        case .allowed: return nil
        case .unknown where isConfigured:
            return
                "topic \(topic) does not exist in namespace \(namespace), or is not for this client"
        case .unknown:
            return
                "namespace \(namespace) is not configured: add an entry with name: \(namespace) to"
                + " namespaces, or start varde dev with --namespace \(namespace)"
        case .needsToken:
            return
                "namespace \(namespace) needs a subscription token for \(topic): pass one, or set"
                + " subscribe: users or anonymous_subscribe: true in its entry of namespaces"
        case .undecided:
            return "this node does not lead the cluster, and only the leader has the state that"
                + " decides about topic \(topic): try again, or connect to another node"
        case .denied(let reason):
            return sentence(reason, action, topic, namespace)
        }
    }

    private static func sentence(
        _ reason: AccessDecision.Reason,
        _ action: Action,
        _ topic: Topic,
        _ namespace: String
    ) -> String {
        let entry = "in the entry of \(namespace) in namespaces"
        let key = action == .subscribe ? "subscribe" : "publish"
        switch reason {
        case .nobody where action == .history || action == .presence:
            return "namespace \(namespace) has no \(action.rawValue): set"
                + " \(action == .history ? "history_size" : "presence: true") \(entry)"
        case .nobody:
            return "no client may \(key) to \(namespace): set \(key): users \(entry)"
        case .anonymous:
            let open = action == .subscribe ? "anonymous_subscribe: true" : "publish: anyone"
            return "the client has no user: connect with a token, or set \(open) \(entry)"
        case .alerts:
            return "topic \(topic) is for alerts, and only the hub and API keys publish there:"
                + " publish to another topic"
        case .notOwner:
            return
                "topic \(topic) is not the user's own: check owner, or set \(key): users, \(entry)"
        case .notMember:
            return "the token has none of the groups in members: add one \(entry), or to the token"
        case .notSubscribed where action == .publish:
            return
                "the client is not subscribed to \(topic): subscribe first, or set publish: users \(entry)"
        case .notSubscribed:
            return
                "the client is not subscribed to \(topic): subscribe before asking for \(action.rawValue)"
        }
    }
}
