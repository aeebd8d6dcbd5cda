import Foundation
import Loops
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
        /// Of a client that leaves, only its name: the other nodes have the rest.
        package var info: ClientInfo
        package var isJoin: Bool
        /// Whether the client is in the topic's presence.
        package var isPresent: Bool
        /// Whether subscribers receive the join or leave.
        package var isAnnounced: Bool

        package init(_ change: PresenceChange) {
            topic = change.topic
            info = change.isJoin ? change.info : ClientInfo(user: "", client: change.info.client)
            isJoin = change.isJoin
            isPresent = change.isPresent
            isAnnounced = change.isAnnounced
        }

        /// The approximate length of its JSON text.
        var length: Int {
            let texts = topic.name.utf8.count + info.user.utf8.count + info.client.utf8.count
            let infos = (info.connectionInfo?.count ?? 0) + (info.topicInfo?.count ?? 0)
            // Of base64, and of the names around the values.
            return 128 + texts + infos * 4 / 3
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

extension PresenceMessage.Change {
    private enum CodingKeys: CodingKey {
        case topic, user, client, connectionInfo, topicInfo, isJoin, isPresent, isAnnounced
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        topic = try values.decode(Topic.self, forKey: .topic)
        info = ClientInfo(
            user: try values.decode(String.self, forKey: .user),
            client: try values.decode(String.self, forKey: .client),
            connectionInfo: try values.decodeIfPresent(Data.self, forKey: .connectionInfo)
                .map { Array($0) },
            topicInfo: try values.decodeIfPresent(Data.self, forKey: .topicInfo).map { Array($0) }
        )
        isJoin = try values.decode(Bool.self, forKey: .isJoin)
        isPresent = try values.decode(Bool.self, forKey: .isPresent)
        isAnnounced = try values.decode(Bool.self, forKey: .isAnnounced)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(topic, forKey: .topic)
        try values.encode(info.user, forKey: .user)
        try values.encode(info.client, forKey: .client)
        try values.encodeIfPresent(info.connectionInfo.map { Data($0) }, forKey: .connectionInfo)
        try values.encodeIfPresent(info.topicInfo.map { Data($0) }, forKey: .topicInfo)
        try values.encode(isJoin, forKey: .isJoin)
        try values.encode(isPresent, forKey: .isPresent)
        try values.encode(isAnnounced, forKey: .isAnnounced)
    }
}
