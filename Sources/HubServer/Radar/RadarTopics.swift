import PubSub

/// The topics of a radar: `radar:{id}` and `radar:{id}:alerts` for everybody who may read it, over every
/// protocol, and `radar-app:{id}` for the sockets of the app, which the hub alone writes and reads.
extension Topic {
    static let radarNamespace = "radar"
    /// Reserved: it cannot be configured, and nobody names one of its topics from outside.
    static let radarUpdatesNamespace = "radar-app"

    /// Nil for what cannot be the id of a radar.
    static func radar(_ id: some StringProtocol) -> Topic? {
        try? Topic("\(radarNamespace):\(id)")
    }

    /// Nil for what cannot be the id of a radar.
    static func radarAlerts(_ id: some StringProtocol) -> Topic? {
        try? Topic("\(radarNamespace):\(id):\(radarAlertsName)")
    }

    /// Nil for what cannot be the id of a radar.
    static func radarUpdates(_ id: some StringProtocol) -> Topic? {
        try? Topic("\(radarUpdatesNamespace):\(id)")
    }

    var isReserved: Bool { namespace == Topic.radarUpdatesNamespace }

    private static let radarAlertsName = "alerts"

    /// What stands behind the namespace in a radar's topics; nil for other topics.
    var radarID: Substring? {
        let namespace = namespace
        guard namespace == Topic.radarNamespace || namespace == Topic.radarUpdatesNamespace,
            namespace.endIndex < name.endIndex
        else { return nil }
        let rest = name[namespace.endIndex...].dropFirst()
        guard let colon = rest.firstIndex(of: ":") else { return rest }
        guard namespace == Topic.radarNamespace,
            rest[colon...].dropFirst() == Topic.radarAlertsName
        else { return nil }
        return rest[..<colon]
    }
}

extension NamespaceTable {
    /// What no configuration names and every hub has. Nothing is kept of it.
    package static let reserved = NamespaceTable([
        Topic.radarUpdatesNamespace: NamespaceSettings(
            history: HistoryLimit(count: 0, age: nil),
            isDurable: false
        )
    ])
}
