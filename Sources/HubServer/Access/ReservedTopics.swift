import PubSub
import Radar

extension Topic {
    /// Whether the hub alone writes and reads it.
    var isReserved: Bool { namespace == Topic.radarUpdatesNamespace }
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
