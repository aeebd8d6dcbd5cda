import Alerting
import Configuration
import PubSub
import Store
import Timekeeping

/// What is known of a domain without a hub, and whether or not it is on.
package struct DomainManifest: Sendable {
    /// The key of its section, and its label in metrics and logs.
    package let name: String
    /// Those of its topics, as they are where the configuration does not name them. They are served where the domain
    /// is on.
    package let namespaces: [Configuration.Namespace]
    /// Namespaces that only the hub writes and reads, whether the domain is on or off. They cannot be configured.
    package let reserved: NamespaceTable
    /// The steps of its tables, on or off: a file that was opened with a step cannot be opened without it.
    package let migrations: [Migration]
    /// The alert rules that hold as long as no list of rules is configured, whether the domain is on or off.
    package let defaultAlerts: [Configuration.Alert]
    /// The fields of its events that alert rules may name, by namespace.
    package let alertFields: [String: Set<String>]
    /// The languages of the headlines of its alerts, the default first, by namespace.
    package let alertLanguages: [String: [String]]
    /// The types of its events, without those of alerts; empty where they are not listed.
    package let eventTypes: Set<String>
    /// Namespaces whose publications the domain evaluates alert rules for, in the transaction that publishes.
    package let evaluatesAlerts: Set<String>
    /// Nil where nothing that alerts quote is ever erased.
    package let quotedFeeds: (any QuotedFeeds)?
    /// Deletes what is too old to be kept, once a minute, on or off.
    package let trim: @Sendable (_ store: HubStore, _ now: Timestamp) async throws -> Void

    package init(
        name: String,
        namespaces: [Configuration.Namespace] = [],
        reserved: NamespaceTable = NamespaceTable([:]),
        migrations: [Migration] = [],
        defaultAlerts: [Configuration.Alert] = [],
        alertFields: [String: Set<String>] = [:],
        alertLanguages: [String: [String]] = [:],
        eventTypes: Set<String> = [],
        evaluatesAlerts: Set<String> = [],
        quotedFeeds: (any QuotedFeeds)? = nil,
        trim: @escaping @Sendable (HubStore, Timestamp) async throws -> Void = { _, _ in }
    ) {
        self.name = name
        self.namespaces = namespaces
        self.reserved = reserved
        self.migrations = migrations
        self.defaultAlerts = defaultAlerts
        self.alertFields = alertFields
        self.alertLanguages = alertLanguages
        self.eventTypes = eventTypes
        self.evaluatesAlerts = evaluatesAlerts
        self.quotedFeeds = quotedFeeds
        self.trim = trim
    }
}
