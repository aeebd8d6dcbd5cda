/// What the hub has to know of a topic's namespace.
package struct NamespaceSettings: Sendable, Equatable {
    package var history: HistoryLimit
    /// Whether publications survive the process. Otherwise the topic's epoch is that of the process.
    package var isDurable: Bool
    package var recovery: RecoveryMode
    /// How long after its last publication a topic is forgotten that nobody uses; nil for never.
    package var forgetAfter: Duration?
    /// Whether clients may publish; their histories have a bound of their own.
    package var isClientPublished: Bool
    /// Topics of the namespace, if they are kept only in memory.
    package var topicsMax: Int
    /// Those of them that one client, by its user or address, may create.
    package var topicsPerPublisherMax: Int

    package init(
        history: HistoryLimit,
        isDurable: Bool = true,
        recovery: RecoveryMode = .stream,
        forgetAfter: Duration? = nil,
        isClientPublished: Bool = false,
        topicsMax: Int = .max,
        topicsPerPublisherMax: Int = .max
    ) {
        if let forgetAfter { precondition(forgetAfter > .zero) }
        self.history = history
        self.isDurable = isDurable
        self.recovery = recovery
        self.forgetAfter = forgetAfter
        self.isClientPublished = isClientPublished
        self.topicsMax = topicsMax
        self.topicsPerPublisherMax = topicsPerPublisherMax
    }

    /// Of a topic whose namespace nobody configured.
    static let unknown = NamespaceSettings(history: .none)

    /// How long a topic has to have been quiet before it is forgotten: until nothing of its history can be
    /// left, either. Nil for never.
    package var quietTimeMin: Duration? {
        guard let forgetAfter else { return nil }
        if history.count == 0 { return forgetAfter }
        return history.age.map { max($0, forgetAfter) }
    }
}

/// What a returning subscriber wants of a topic's past.
package enum RecoveryMode: String, Sendable, CaseIterable {
    /// Everything that it has missed.
    case stream
    /// The latest publication alone, which says all that matters.
    case cache
}

/// The namespaces that are configured, by name.
package struct NamespaceTable: Sendable, Equatable {
    private let settings: [String: NamespaceSettings]

    package init(_ settings: [String: NamespaceSettings]) {
        self.settings = settings
    }

    /// Durable namespaces with these histories.
    package init(histories limits: [String: HistoryLimit]) {
        self.init(limits.mapValues { NamespaceSettings(history: $0) })
    }

    package var names: Set<String> { Set(settings.keys) }

    /// Whether any namespace keeps its topics only in memory.
    package var hasMemoryTopics: Bool { settings.values.contains { !$0.isDurable } }

    /// Nil when there is no namespace of this name.
    package func settings(of name: String) -> NamespaceSettings? { settings[name] }

    /// These namespaces and the others, in whose settings those win that both have.
    package func merging(_ others: NamespaceTable) -> NamespaceTable {
        NamespaceTable(settings.merging(others.settings) { $1 })
    }

    /// Nil when nobody configured the topic's namespace.
    package subscript(_ topic: Topic) -> NamespaceSettings? {
        settings[String(topic.namespace)]
    }

    /// The limit for a topic's history; nil when nobody configured the topic's namespace.
    package func historyLimit(of topic: Topic) -> HistoryLimit? {
        self[topic]?.history
    }
}
