import PubSub
import Radar

extension NamespaceTable {
    /// Of the messages of a radar's app, which are as good as gone when they are sent.
    private static let forgetAfter = Duration.seconds(86_400)

    /// What no configuration names and every hub has. Nothing is kept of it.
    package static let reserved = NamespaceTable([
        Topic.radarUpdatesNamespace: NamespaceSettings(
            history: HistoryLimit(count: 0, age: nil),
            isDurable: false,
            forgetAfter: forgetAfter
        )
    ])
}
