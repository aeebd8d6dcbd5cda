/// The maximum numbers of memory topics of one namespace.
package struct MemoryTopicLimits: Sendable, Equatable {
    package var topicsMax: Int
    /// The maximum number of topics that one client may create, whichever connection it uses.
    package var perPublisherMax: Int

    package init(topicsMax: Int = .max, perPublisherMax: Int = .max) {
        self.topicsMax = topicsMax
        self.perPublisherMax = perPublisherMax
    }

    /// Returns the part of `max` for clients. A tenth is reserved for the hub and the server API,
    /// so that clients that may publish cannot use up an operator's share.
    static func clientShare(of max: Int) -> Int { max - max / 10 }
}

/// The source of an event: it decides which part of the table of memory topics a new topic may use.
package enum EventSource: Sendable, Equatable {
    /// The hub itself. A change for which there is no room fails as a whole.
    case hub
    case serverAPI
    case client(EventPublisher)

    var publisher: EventPublisher? {
        if case .client(let publisher) = self { publisher } else { nil }
    }
}

/// Identifies the client for which topics are counted, whichever connection it uses.
package enum EventPublisher: Sendable, Hashable {
    case user(String)
    /// Clients without a user: the part of the address by which rate limits count.
    case network(UInt64)
}

/// The reason why an event was not published: its topic would exceed the maximum in memory.
package struct TopicRefusal: Sendable, Equatable {
    package enum Bound: Sendable, Hashable {
        /// `StoreLimits.memoryTopicsMax`, all namespaces together.
        case table
        case namespace
        case publisher
    }

    package var bound: Bound
    /// The maximum number of topics of this source.
    package var limit: Int

    package init(_ bound: Bound, limit: Int) {
        self.bound = bound
        self.limit = limit
    }
}

/// The numbers of memory topics of each namespace, by their creators.
struct MemoryTopicCounts {
    private struct Namespace {
        var topics = 0
        var publishers: [EventPublisher: Int] = [:]
    }

    private var namespaces: [String: Namespace] = [:]

    func topics(in namespace: Substring) -> Int { namespaces[String(namespace)]?.topics ?? 0 }

    func topics(in namespace: Substring, of publisher: EventPublisher) -> Int {
        namespaces[String(namespace)]?.publishers[publisher] ?? 0
    }

    /// - Parameter publisher: the client that created the topic; nil for the hub and the server
    ///   API.
    mutating func add(_ count: Int, in namespace: Substring, of publisher: EventPublisher?) {
        let name = String(namespace)
        namespaces[name, default: Namespace()].topics += count
        if let publisher {
            namespaces[name]?.publishers[publisher, default: 0] += count
            if namespaces[name]?.publishers[publisher] == 0 {
                namespaces[name]?.publishers[publisher] = nil
            }
        }
        if namespaces[name]?.topics == 0 { namespaces[name] = nil }
    }
}
