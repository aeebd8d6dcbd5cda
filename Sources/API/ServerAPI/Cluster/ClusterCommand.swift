import ClientWire
import Foundation
import Service

/// A command to every node of a cluster about its own connections, at one place among the commits.
package enum ClusterCommand: Sendable, Equatable, Codable {
    case subscribe(ServerAPIRequest.Subscribe)
    case unsubscribe(ServerAPIRequest.Connections, topic: Topic)
    case disconnect(ServerAPIRequest.Disconnect)
    case refresh(ServerAPIRequest.Refresh)
    /// A revocation that is stored, and the expired ones that it replaces.
    case revoke(StoredRevocation, expired: [String])
    /// The key of a revocation that was lifted.
    case unblock(String)
    /// `TopicControl.end`.
    case endTopics([Topic], code: UnsubscribeCode, sparing: String?)
    /// `TopicControl.disconnect`, with the logins.
    case endLogins(user: String, logins: [String])

    /// The name of notes that carry a command.
    static let kind = "command"

    /// A revocation as the store has it.
    package struct StoredRevocation: Sendable, Equatable, Codable {
        package var key: String
        package var value: [UInt8]
    }

    private struct Envelope: Codable {
        /// The node that has already done it.
        var from: String
        var command: ClusterCommand
    }

    private var isAboutCredentials: Bool {
        switch self {
        case .revoke, .unblock, .endLogins: true
        case .subscribe, .unsubscribe, .disconnect, .refresh, .endTopics: false
        }
    }

    /// - Parameter node: the node that gives the command, and carries it out by itself.
    package func note(from node: String) throws -> ClusterNote {
        let data = try JSONEncoder().encode(Envelope(from: node, command: self))
        return ClusterNote(kind: Self.kind, body: Array(data))
    }

    /// Returns nil for another note, and for a command of this node that it carries out by itself.
    ///
    /// - Throws: `DecodingError` for a command that this version does not have.
    package static func command(_ note: ClusterNote, on node: String) throws -> ClusterCommand? {
        guard note.kind == kind else { return nil }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(note.body))
        // Revocations take effect here on their own node as well: at one place among those of other
        // nodes, and also after an unknown outcome of the commit.
        let isOwn = envelope.from == node
        return isOwn && !envelope.command.isAboutCredentials ? nil : envelope.command
    }
}
