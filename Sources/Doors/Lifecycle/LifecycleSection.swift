/// The section `users`: what is kept of users who are away. The door is on if the configuration
/// names events, in `clients.lifecycle` or `namespaces[].lifecycle`.
package struct LifecycleSection: DomainSection {
    package static let key = "users"

    /// The time for which the departure of a user or a subscriber is kept.
    package var lastSeen = Duration.seconds(30 * 86_400)

    package init() {}

    package static var fields: [ConfigurationField<LifecycleSection>] {
        [
            .scalar(
                "last_seen",
                \.lastSeen,
                .duration(.seconds(3600) ... .seconds(3650 * 86_400)),
                reload: .restart,
                meaning: """
                    The time for which the hub keeps when a user was last connected. After it the \
                    `sequence` of the user's events, and of topics and members, begins at 1 again.
                    """
            )
        ]
    }

    package func contradictions(
        in configuration: Configuration
    ) -> [(path: String, message: String)] {
        Self.contradictionsOfAbsence(in: configuration)
    }

    package static func contradictionsOfAbsence(
        in configuration: Configuration
    ) -> [(path: String, message: String)] {
        guard configuration.hasLifecycle else { return [] }
        let ofHub = Configuration.Namespace.hub.name
        let reserved = [ofHub, Configuration.Namespace.alerts.name]
        return configuration.namespaces.enumerated().flatMap {
            index,
            namespace -> [(path: String, message: String)] in
            guard reserved.contains(namespace.name) else { return [] }
            var found: [(path: String, message: String)] = []
            if !namespace.lifecycle.isEmpty {
                found.append(
                    (
                        "namespaces[\(index)].lifecycle",
                        "found events, expected none for \(namespace.name)"
                    )
                )
            }
            guard namespace.name == ofHub else { return found }
            if !namespace.durable || namespace.historySize == 0 {
                found.append(
                    (
                        "namespaces[\(index)]",
                        "expected durable topics with a history: lifecycle events are in hub:life"
                    )
                )
            }
            return found
        }
    }

    package func warnings(in loaded: LoadedConfiguration) -> [ConfigurationWarning] {
        guard !loaded.configuration.hasLifecycle else { return [] }
        return [
            ConfigurationWarning(
                path: Self.key,
                message:
                    "without effect: clients.lifecycle and namespaces[].lifecycle name no events"
            )
        ]
    }
}
