/// The possible names of a hub's topics and events, used to find filters and rules that can never
/// match.
package struct ServedNames: Sendable, Equatable {
    /// Types of the hub's own events that webhooks may name: publications of backends and clients,
    /// and events about webhooks.
    private static let hubTypes: Set = [
        "hub.publication", "webhook.endpoint.disabled", "webhook.messages.dropped",
    ]

    /// Namespaces with topics, including those of domains that are on.
    package var namespaces: Set<String>
    /// The domains that are on.
    package var domains: Set<String>
    /// The namespaces of domains that are off, by domain.
    package var domainsOff: [String: Set<String>]
    /// The types of events by domain, without those of alerts. A missing domain may have any types.
    package var eventTypes: [String: Set<String>]
    /// Whether backends can publish, and thus events of any type.
    package var hasBackends: Bool

    package init(
        namespaces: Set<String>,
        domains: Set<String> = [],
        domainsOff: [String: Set<String>] = [:],
        eventTypes: [String: Set<String>] = [:],
        hasBackends: Bool = true
    ) {
        self.namespaces = namespaces
        self.domains = domains
        self.domainsOff = domainsOff
        self.eventTypes = eventTypes
        self.hasBackends = hasBackends
    }

    /// Returns the reason why no topic matches the pattern; nil if one may match.
    package func warning(ofTopics pattern: String) -> String? {
        let namespace = String(pattern.prefix { $0 != ":" })
        guard namespace != "*", !namespaces.contains(namespace) else { return nil }
        if let domain = domainsOff.first(where: { $0.value.contains(namespace) })?.key {
            return "no topic matches \(pattern): the section \(domain) is missing"
        }
        let nearest = NearestName.find(namespace, among: namespaces.sorted())
        return "no topic matches \(pattern): namespace \(namespace) is not configured"
            + (nearest.map { ", did you mean \($0)?" } ?? "")
    }

    /// Returns the reason why no event has a type that matches the pattern; nil if one may match.
    ///
    /// The types of alerts of topics outside domains begin with the namespace.
    package func warning(ofTypes pattern: String) -> String? {
        let producer = String(pattern.prefix { $0 != "." })
        if pattern == "*" || Self.matches(pattern, Self.hubTypes) { return nil }
        if domains.contains(producer) { return warning(ofTypes: pattern, inDomain: producer) }
        if namespaces.contains(producer) { return nil }
        if domainsOff[producer] != nil {
            return "no event has the type \(pattern): the section \(producer) is missing"
        }
        guard !hasBackends else { return nil }
        let known = domains.union(namespaces).union(["hub", "webhook"])
        let nearest = NearestName.find(producer, among: known.sorted())
        return
            "no event has the type \(pattern): no domain has it, and without api.keys no backend"
            + " publishes" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    private func warning(ofTypes pattern: String, inDomain domain: String) -> String? {
        guard let own = eventTypes[domain] else { return nil }
        let types = own.union(
            ["raised", "escalated", "cleared"].map { "\(domain).alert.\($0)" }
        )
        guard !Self.matches(pattern, types) else { return nil }
        let nearest = NearestName.find(pattern, among: types.sorted())
        return "no event has the type \(pattern): the domain \(domain) has no such type"
            + (nearest.map { ", did you mean \($0)?" } ?? "")
    }

    /// Whether one of the types is the pattern, or begins with the text before its `.*`.
    private static func matches(_ pattern: String, _ types: Set<String>) -> Bool {
        guard pattern.hasSuffix(".*") else { return types.contains(pattern) }
        return types.contains { $0.hasPrefix(pattern.dropLast()) }
    }

    /// Returns the warnings of a webhook's filter, each with the path of its entry: `types[0]`.
    package func warnings(
        types: [String],
        topics: [String]
    ) -> [(path: String, message: String)] {
        types.enumerated().compactMap { index, pattern in
            warning(ofTypes: pattern).map { ("types[\(index)]", $0) }
        }
            + topics.enumerated().compactMap { index, pattern in
                warning(ofTopics: pattern).map { ("topics[\(index)]", $0) }
            }
    }
}

/// A setting that has no effect. It may be intended for later, so it is not a problem.
package struct ConfigurationWarning: Equatable, Sendable, CustomStringConvertible {
    /// The path of the key.
    package let path: String
    package let message: String

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}

extension LoadedConfiguration {
    /// Returns warnings of the sections of domains, and of webhook filters and alert rules that can never match. The default rules
    /// of domains that are off are omitted.
    package func warnings(_ names: ServedNames) -> [ConfigurationWarning] {
        var warnings = schema.warnings(self)
        for (index, webhook) in configuration.webhooks.enumerated() {
            for warning in names.warnings(types: webhook.types, topics: webhook.topics) {
                warnings.append(
                    .init(path: "webhooks[\(index)].\(warning.path)", message: warning.message)
                )
            }
        }
        for (index, alert) in configuration.alerts.enumerated() {
            let path = "alerts[\(index)].topics"
            guard origin(of: path) != .defaultValue,
                let message = names.warning(ofTopics: alert.topics)
            else { continue }
            warnings.append(.init(path: path, message: message))
        }
        return warnings
    }
}
