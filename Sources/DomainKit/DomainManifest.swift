/// The properties of a domain that do not depend on a hub, or on whether the domain is on.
package struct DomainManifest: Sendable {
    /// The key of its section, and its label in metrics and logs.
    package let name: String
    /// The namespaces of its topics, with the settings used if the configuration does not name
    /// them. They are served if the domain is on.
    package let namespaces: [Configuration.Namespace]
    /// Namespaces that only the hub writes and reads, whether the domain is on or off. They cannot
    /// be configured.
    package let reserved: NamespaceTable
    /// The migrations of its tables, on or off: a file that was opened with a migration cannot be
    /// opened without it.
    package let migrations: [Migration]
    /// The alert rules that apply while no list of rules is configured, whether the domain is on or
    /// off.
    package let defaultAlerts: [Configuration.Alert]
    /// The fields of its events that alert rules may name, by namespace.
    package let alertFields: [String: Set<String>]
    /// The languages of the headlines of its alerts, the default first, by namespace.
    package let alertLanguages: [String: [String]]
    /// The types of its events, without those of alerts; empty if they are not listed.
    package let eventTypes: Set<String>
    /// Its topics, for the description of the channels.
    package let topics: [TopicDescription]
    /// Namespaces for whose publications the domain evaluates alert rules, in the transaction that
    /// publishes.
    package let evaluatesAlerts: Set<String>
    /// Nil if no publication that alerts quote is ever erased.
    package let quotedFeeds: (any QuotedFeeds)?
    /// The paths below which the domain has all its routes. A node of a cluster that does not lead
    /// answers 503 below them.
    package let prefixes: [RoutePrefixes]
    /// Deletes expired data once a minute, whether the domain is on or off.
    package let trim: @Sendable (_ store: HubStore, _ now: Timestamp) async throws -> Void
    /// As `DomainService.forget`, for a domain that is off but has tables in the store.
    package let forget: @Sendable (_ store: HubStore, _ user: String) async throws -> Void

    package init(
        name: String,
        namespaces: [Configuration.Namespace] = [],
        reserved: NamespaceTable = NamespaceTable([:]),
        migrations: [Migration] = [],
        defaultAlerts: [Configuration.Alert] = [],
        alertFields: [String: Set<String>] = [:],
        alertLanguages: [String: [String]] = [:],
        eventTypes: Set<String> = [],
        topics: [TopicDescription] = [],
        evaluatesAlerts: Set<String> = [],
        quotedFeeds: (any QuotedFeeds)? = nil,
        prefixes: [RoutePrefixes] = [],
        trim: @escaping @Sendable (HubStore, Timestamp) async throws -> Void = { _, _ in },
        forget: @escaping @Sendable (HubStore, String) async throws -> Void = { _, _ in }
    ) {
        self.name = name
        self.namespaces = namespaces
        self.reserved = reserved
        self.migrations = migrations
        self.defaultAlerts = defaultAlerts
        self.alertFields = alertFields
        self.alertLanguages = alertLanguages
        self.eventTypes = eventTypes
        self.topics = topics
        self.evaluatesAlerts = evaluatesAlerts
        self.quotedFeeds = quotedFeeds
        self.prefixes = prefixes
        self.trim = trim
        self.forget = forget
    }
}
