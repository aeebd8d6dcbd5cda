import Foundation
import PubSub
import Shards
import Store

/// A message of a node about the presence of its own clients.
package struct PresenceMessage: Sendable, Equatable, Codable {
    package enum Content: Sendable, Equatable, Codable {
        /// Joins and leaves, in order.
        case changes([Change])
        /// A part of all subscriptions of the node, in place of those that others have of it.
        case snapshot([Change], isFirst: Bool, isLast: Bool)
        /// The node has just begun: the others send their snapshots.
        case wanted
    }

    /// A subscription that begins or ends.
    package struct Change: Sendable, Equatable, Codable {
        package var topic: Topic
        package var user: String
        package var client: String
        package var connectionInfo: Data?
        package var topicInfo: Data?
        package var isJoin: Bool
        /// Whether the client is in the topic's presence.
        package var isPresent: Bool
        /// Whether subscribers receive the join or leave.
        package var isAnnounced: Bool

        package init(_ change: PresenceChange) {
            topic = change.topic
            user = change.info.user
            client = change.info.client
            connectionInfo = change.info.connectionInfo.map { Data($0) }
            topicInfo = change.info.topicInfo.map { Data($0) }
            isJoin = change.isJoin
            isPresent = change.isPresent
            isAnnounced = change.isAnnounced
        }

        var info: ClientInfo {
            ClientInfo(
                user: user,
                client: client,
                connectionInfo: connectionInfo.map { Array($0) },
                topicInfo: topicInfo.map { Array($0) }
            )
        }
    }

    /// The random name of the node's process.
    package var process: String
    package var content: Content

    /// The name of notes that carry such a message.
    static let kind = "presence"

    func note() throws -> ClusterNote {
        ClusterNote(kind: Self.kind, body: Array(try JSONEncoder().encode(self)))
    }

    /// Returns nil for another note.
    ///
    /// - Throws: `DecodingError` for a message that this version cannot read.
    static func message(_ note: ClusterNote) throws -> PresenceMessage? {
        guard note.kind == kind else { return nil }
        return try JSONDecoder().decode(PresenceMessage.self, from: Data(note.body))
    }
}
