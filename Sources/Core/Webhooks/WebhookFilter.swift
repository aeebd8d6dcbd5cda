/// The events that an endpoint receives: those that pass all three lists. An empty list passes
/// everything.
package struct WebhookFilter: Sendable, Equatable {
    /// `aurora.alert.raised`, `aurora.*`
    package let types: [String]
    /// `aurora:tromso`, `aurora:*`
    package let topics: [String]
    /// `info`, `warning`, `critical`; an event without a severity has none of them.
    package let severities: Set<String>
    private let typePatterns: [NamePattern]
    private let topicPatterns: [NamePattern]

    /// The longest list.
    package static let patternsMax = 100
    package static let knownSeverities = ["info", "warning", "critical"]

    package init(
        types: [String] = [],
        topics: [String] = [],
        severities: [String] = []
    ) throws(WebhookFilterError) {
        for (key, list) in [("types", types), ("topics", topics), ("severities", severities)] {
            guard list.count <= Self.patternsMax else {
                throw .tooMany(key: key, count: list.count)
            }
        }
        for severity in severities where !Self.knownSeverities.contains(severity) {
            throw .unknownSeverity(severity)
        }
        self.types = types
        self.topics = topics
        self.severities = Set(severities)
        typePatterns = try Self.patterns(types, key: "types", separator: ".")
        topicPatterns = try Self.patterns(topics, key: "topics", separator: ":")
    }

    /// Whether the list of topics passes the topic, which is known before there is an event.
    package func mayMatch(topic: Topic) -> Bool {
        topicPatterns.isEmpty || topicPatterns.contains { $0.matches(topic.name) }
    }

    package func mayMatch(type: String) -> Bool {
        typePatterns.isEmpty || typePatterns.contains { $0.matches(type) }
    }

    package func matches(_ event: Event, topic: Topic) -> Bool {
        guard mayMatch(type: event.type), mayMatch(topic: topic) else { return false }
        // Last, because it has to read the data.
        return severities.isEmpty || Self.severity(event).map(severities.contains) ?? false
    }

    private static func patterns(
        _ texts: [String],
        key: String,
        separator: Character
    ) throws(WebhookFilterError) -> [NamePattern] {
        var patterns: [NamePattern] = []
        for text in texts {
            guard let pattern = NamePattern(text, separator: separator) else {
                throw .badPattern(key: key, text)
            }
            patterns.append(pattern)
        }
        return patterns
    }

    private static func severity(_ event: Event) -> String? {
        guard let fields = try? JSONReader.fields(of: event.data[...]) else { return nil }
        return fields.first { $0.key == "severity" }.flatMap { JSONReader.string($0.value) }
    }
}

/// Why a filter cannot be used.
package enum WebhookFilterError: Error, Equatable, CustomStringConvertible {
    case tooMany(key: String, count: Int)
    case badPattern(key: String, String)
    case unknownSeverity(String)

    package var description: String {
        switch self {
        case .tooMany(let key, let count):
            "\(count) \(key) over limit \(WebhookFilter.patternsMax)"
        case .badPattern(let key, let text):
            "'\(text)' in \(key) is neither a name nor a beginning followed by '*'"
        case .unknownSeverity(let text):
            "severity '\(text)' is none of \(WebhookFilter.knownSeverities.joined(separator: ", "))"
        }
    }
}
