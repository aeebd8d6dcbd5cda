// Lifecycle: connections, users, topics and members that come and go, and the logs about them.

/// The kinds of subjects that come and go.
package enum LifecycleKind: UInt8, Sendable, Codable, CaseIterable {
    /// A connection.
    case client = 1
    /// A user, with at least one connection while online.
    case user = 2
    /// A topic, with at least one subscriber while occupied.
    case topic = 3
    /// A user in a topic.
    case member = 4

    /// The type of the event.
    package func eventType(isThere: Bool) -> String {
        switch self {
        case .client: isThere ? "hub.client.connected" : "hub.client.disconnected"
        case .user: isThere ? "hub.user.online" : "hub.user.offline"
        case .topic: isThere ? "hub.topic.occupied" : "hub.topic.vacated"
        case .member: isThere ? "hub.member.joined" : "hub.member.left"
        }
    }
}

/// One connection, user, topic, or user in a topic.
package struct LifecycleSubject: Hashable, Sendable {
    package let kind: LifecycleKind
    /// The id of the connection, the user, or the topic: the subject of the event.
    package let name: ExactText
    /// The user of a connection or of a member, and the user itself; empty for a topic, and for a
    /// connection without a user.
    package let user: ExactText

    /// - Parameter user: empty for a topic.
    package init(_ kind: LifecycleKind, _ name: String, user: String) {
        self.kind = kind
        self.name = ExactText(name)
        self.user = ExactText(user)
    }

    package static func client(_ id: String, user: String) -> LifecycleSubject {
        LifecycleSubject(.client, id, user: user)
    }

    package static func user(_ user: String) -> LifecycleSubject {
        LifecycleSubject(.user, user, user: user)
    }

    package static func topic(_ topic: String) -> LifecycleSubject {
        LifecycleSubject(.topic, topic, user: "")
    }

    package static func member(_ user: String, of topic: String) -> LifecycleSubject {
        LifecycleSubject(.member, topic, user: user)
    }
}

/// Why a connection ended.
package enum DepartureReason: String, Sendable, Codable, CaseIterable {
    /// The client closed it.
    case left
    /// The client did not answer a ping.
    case timeout
    /// The hub or the application closed it.
    case closed
    /// The client's right to be connected ended: its token expired or was revoked, or the application
    /// no longer admits it.
    case refused
    /// The hub stops.
    case drain
    /// It broke, or its node ended without closing it.
    case lost
}

/// A subject that came or went.
package struct LifecycleChange: Hashable, Sendable {
    package var subject: LifecycleSubject
    /// Whether the subject came.
    package var isThere: Bool
    package var time: Timestamp
    /// Of a connection that ended; nil for others.
    package var reason: DepartureReason?

    package init(
        _ subject: LifecycleSubject,
        isThere: Bool,
        at time: Timestamp,
        reason: DepartureReason? = nil
    ) {
        self.subject = subject
        self.isThere = isThere
        self.time = time
        self.reason = reason
    }
}
