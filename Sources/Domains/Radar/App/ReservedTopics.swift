import Radar

extension NamespaceTable {
    /// Of the messages of a radar's app, which are as good as gone when they are sent.
    private static let forgetAfter = Duration.seconds(86_400)

    /// The namespaces that every hub has and no configuration names. They have no history.
    package static let reserved = NamespaceTable([
        Topic.radarUpdatesNamespace: NamespaceSettings(
            history: HistoryLimit(count: 0, age: nil),
            isDurable: false,
            forgetAfter: forgetAfter
        )
    ])
}
