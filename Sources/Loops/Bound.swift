import Store

/// The bounds of connections, by the configuration keys that set them. The hub counts how often
/// each one is reached, so an operator sees which bound turns clients away and which key changes
/// it.
package enum Bound: String, CaseIterable, Sendable {
    case memory = "limits.memory"
    case connections = "limits.connections"
    case connectionsPerAddress = "limits.connections_per_address"
    case headerBytes = "limits.header_bytes"
    case bodyBytes = "limits.body_bytes"
    case messageBytes = "limits.message_bytes"
    case connectBytes = "limits.connect_bytes"
    case messageTimeout = "limits.message_timeout"
    case frameBytes = "limits.frame_bytes"
    case fragments = "limits.fragments"
    case controlFrames = "limits.control_frames"
    case queueBytes = "limits.queue_bytes"
    case handshakeTimeout = "limits.handshake_timeout"
    case idleTimeout = "limits.idle_timeout"
    case closeTimeout = "limits.close_timeout"
    case stallTimeout = "limits.stall_timeout"
    case userTimeout = "limits.user_timeout"
    case subscriptions = "limits.subscriptions"
    case unpublishedTopics = "limits.unpublished_topics"
    case connectionsPerUser = "limits.connections_per_user"
    case subscriptionsPerUser = "limits.subscriptions_per_user"
    case handshakes = "limits.handshakes"
    case connectionCommands = "rates.connection.commands"
    case connectionPublishes = "rates.connection.publishes"
    case userConnects = "rates.user.connects"
    case userCommands = "rates.user.commands"
    case userPublishes = "rates.user.publishes"
    case addressConnects = "rates.address.connects"
    case addressCommands = "rates.address.commands"
    case addressPublishes = "rates.address.publishes"
    case addressLogins = "rates.address.logins"
    case turnWrites = "limits.turn_writes"
    case turnAccepts = "limits.turn_accepts"
    case turnWork = "limits.turn_work"
    case topics = "namespaces[].max_topics"
    case topicsPerPublisher = "namespaces[].max_topics_per_publisher"
    case pongTimeout = "websocket.pong_timeout"
    /// The bound of the process itself, set where it is started.
    case descriptors = "descriptors"
}

/// The number of times that each bound was reached.
package struct BoundCounts: Sendable, Equatable {
    private var counts = [UInt64](repeating: 0, count: Bound.allCases.count)

    package init() {}

    package subscript(bound: Bound) -> UInt64 {
        get { counts[bound.index] }
        set { counts[bound.index] = newValue }
    }

    package static func += (sum: inout BoundCounts, other: BoundCounts) {
        for bound in Bound.allCases { sum[bound] += other[bound] }
    }
}

extension Bound {
    private static let indices = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) }
    )

    fileprivate var index: Int { Bound.indices[self]! }
}

extension Bound {
    package init(_ bound: TopicRefusal.Bound) {
        self =
            switch bound {
            // The table has at most as many topics as one namespace with the highest value of its
            // key.
            case .table, .namespace: .topics
            case .publisher: .topicsPerPublisher
            }
    }
}
