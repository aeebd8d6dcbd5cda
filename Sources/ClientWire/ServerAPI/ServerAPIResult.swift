/// The result of one request.
package enum ServerAPIResult: Sendable, Equatable {
    case publish(Position)
    /// One for each channel, in the order of the request.
    case broadcast([Result<Position, ServerAPIError>])
    /// The request is done, and its result has no content.
    case done
    case presence([ClientInfo])
    case presenceStats(PresenceStats)
    case history(History)
    case channels([Channel])
    case connections(ConnectionList)
    case info([Node])
    /// In the order of the request.
    case userStatuses([UserStatus])

    package struct PresenceStats: Sendable, Equatable {
        package var clientCount: Int
        /// Different ones; clients without credentials are one.
        package var userCount: Int

        package init(clientCount: Int, userCount: Int) {
            self.clientCount = clientCount
            self.userCount = userCount
        }
    }

    package struct History: Sendable, Equatable {
        package var publications: [Publication]
        /// The newest of the topic, whatever the page holds.
        package var position: Position

        package init(publications: [Publication], position: Position) {
            self.publications = publications
            self.position = position
        }
    }

    /// A topic that someone is subscribed to.
    package struct Channel: Sendable, Equatable {
        package var topic: Topic
        package var subscriberCount: Int

        package init(topic: Topic, subscriberCount: Int) {
            self.topic = topic
            self.subscriberCount = subscriberCount
        }
    }

    /// Whether a user is online, and when it was last.
    package struct UserStatus: Sendable, Equatable {
        package var user: String
        package var isOnline: Bool
        /// The current time for a user who is online; nil if nothing is known of the user.
        package var lastSeen: Timestamp?

        package init(user: String, isOnline: Bool, lastSeen: Timestamp?) {
            self.user = user
            self.isOnline = isOnline
            self.lastSeen = lastSeen
        }
    }

    /// One process of the hub.
    package struct Node: Sendable, Equatable, Codable {
        package var id: String
        package var name: String
        package var version: String
        package var connectionCount: Int
        package var userCount: Int
        package var subscriptionCount: Int
        package var topicCount: Int
        package var uptime: Duration

        package init(
            id: String,
            name: String,
            version: String,
            connectionCount: Int,
            userCount: Int,
            subscriptionCount: Int,
            topicCount: Int,
            uptime: Duration
        ) {
            self.id = id
            self.name = name
            self.version = version
            self.connectionCount = connectionCount
            self.userCount = userCount
            self.subscriptionCount = subscriptionCount
            self.topicCount = topicCount
            self.uptime = uptime
        }
    }
}
