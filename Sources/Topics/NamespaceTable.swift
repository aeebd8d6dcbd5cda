/// The settings of a topic's namespace that the hub needs.
package struct NamespaceSettings: Sendable, Equatable {
    package var history: HistoryLimit
    /// Whether publications survive the process. Otherwise the topic's epoch is that of the process.
    package var isDurable: Bool
    package var recovery: RecoveryMode
    /// The time after its last publication after which an unused topic is removed; nil for never.
    package var forgetAfter: Duration?
    /// Whether clients may publish; their histories have a bound of their own.
    package var isClientPublished: Bool
    /// Topics of the namespace, if they are kept only in memory.
    package var topicsMax: Int
    /// Those of them that one client, by its user or address, may create.
    package var topicsPerPublisherMax: Int
    /// The reports about the subscribers of its topics.
    package var attendance: TopicAttendance

    package init(
        history: HistoryLimit,
        isDurable: Bool = true,
        recovery: RecoveryMode = .stream,
        forgetAfter: Duration? = nil,
        isClientPublished: Bool = false,
        topicsMax: Int = .max,
        topicsPerPublisherMax: Int = .max,
        attendance: TopicAttendance = []
    ) {
        if let forgetAfter { precondition(forgetAfter > .zero) }
        self.history = history
        self.isDurable = isDurable
        self.recovery = recovery
        self.forgetAfter = forgetAfter
        self.isClientPublished = isClientPublished
        self.topicsMax = topicsMax
        self.topicsPerPublisherMax = topicsPerPublisherMax
        self.attendance = attendance
    }

    /// The settings of a topic whose namespace is not configured.
    static let unknown = NamespaceSettings(history: .none)

    /// The time for which a topic must have been quiet before it is removed: until its history must
    /// also have expired. Nil for never.
    package var quietTimeMin: Duration? {
        guard let forgetAfter else { return nil }
        if history.count == 0 { return forgetAfter }
        return history.age.map { max($0, forgetAfter) }
    }
}

/// The part of a topic's history that a returning subscriber receives.
package enum RecoveryMode: String, Sendable, CaseIterable {
    /// Everything that it has missed.
    case stream
    /// Only the latest publication, which contains the whole state.
    case cache
}

/// The namespaces that are configured, by name.
package struct NamespaceTable: Sendable, Equatable {
    private let settings: [String: NamespaceSettings]
    /// Whether any namespace keeps its topics only in memory.
    package let hasMemoryTopics: Bool

    package init(_ settings: [String: NamespaceSettings]) {
        self.settings = settings
        hasMemoryTopics = settings.values.contains { !$0.isDurable }
    }

    /// Durable namespaces with these histories.
    package init(histories limits: [String: HistoryLimit]) {
        self.init(limits.mapValues { NamespaceSettings(history: $0) })
    }

    package var names: Set<String> { Set(settings.keys) }

    /// Nil when there is no namespace of this name.
    package func settings(of name: String) -> NamespaceSettings? { settings[name] }

    /// These namespaces and the others, in whose settings those win that both have.
    package func merging(_ others: NamespaceTable) -> NamespaceTable {
        NamespaceTable(settings.merging(others.settings) { $1 })
    }

    /// The same namespaces, with stored topics.
    package var madeDurable: NamespaceTable {
        NamespaceTable(
            settings.mapValues { settings in
                var settings = settings
                settings.isDurable = true
                return settings
            }
        )
    }

    /// Nil if the topic's namespace is not configured.
    package subscript(_ topic: Topic) -> NamespaceSettings? {
        settings[String(topic.namespace)]
    }

    /// Whether publications to a topic survive the process, as they do if its namespace is not
    /// configured. Asked several times for each publication.
    package func isDurable(_ topic: Topic) -> Bool {
        !hasMemoryTopics || self[topic]?.isDurable ?? true
    }

    /// The limit for a topic's history; nil if the topic's namespace is not configured.
    package func historyLimit(of topic: Topic) -> HistoryLimit? {
        self[topic]?.history
    }
}
