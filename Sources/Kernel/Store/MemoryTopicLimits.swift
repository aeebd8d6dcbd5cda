/// How many topics one namespace may have that are kept only in memory.
package struct MemoryTopicLimits: Sendable, Equatable {
    package var topicsMax: Int
    /// Topics that one client may create, whichever connection it uses.
    package var perPublisherMax: Int

    package init(topicsMax: Int = .max, perPublisherMax: Int = .max) {
        self.topicsMax = topicsMax
        self.perPublisherMax = perPublisherMax
    }

    /// What of `max` clients may take. A tenth is a reserve for the hub and the server API, so that
    /// clients that may publish cannot take an operator's place.
    static func clientShare(of max: Int) -> Int { max - max / 10 }
}

/// Where an event comes from: it decides which part of the table of memory topics a new topic may take.
package enum EventSource: Sendable, Equatable {
    /// The hub itself. A change that finds no place fails as a whole.
    case hub
    case serverAPI
    case client(EventPublisher)

    var publisher: EventPublisher? {
        if case .client(let publisher) = self { publisher } else { nil }
    }
}

/// Who a client's topics are counted for, whichever connection it uses.
package enum EventPublisher: Sendable, Hashable {
    case user(String)
    /// Of clients without a user: the part of the address that rates count.
    case network(UInt64)
}

/// Why an event was not published: its topic would be one too many in memory.
package struct TopicRefusal: Sendable, Equatable {
    package enum Bound: Sendable, Hashable {
        /// `StoreLimits.memoryTopicsMax`, all namespaces together.
        case table
        case namespace
        case publisher
    }

    package var bound: Bound
    /// How many topics this source may have there.
    package var limit: Int

    package init(_ bound: Bound, limit: Int) {
        self.bound = bound
        self.limit = limit
    }
}

/// How many memory topics each namespace has, and who created them.
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

    /// - Parameter publisher: the client that created the topic; nil for the hub and the server API.
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
