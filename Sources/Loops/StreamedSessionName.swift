import Reactor
import Service

/// The name of a client's session without a WebSocket: where its connection is, and a secret.
///
/// Its requests may reach another loop, which finds the client by this name without a table that
/// all loops would share. Any client with the name can send commands as this client, so it has 122
/// random bits.
package struct StreamedSessionName: Equatable, Sendable {
    package let loop: Int
    package let connection: ConnectionID
    package let text: String

    /// - Parameter random: 16 bytes.
    package init(loop: Int, connection: ConnectionID, random: [UInt8]) {
        self.loop = loop
        self.connection = connection
        text = "\(loop)-\(connection.index)-\(connection.generation)-\(uuidVersion4(random))"
    }

    /// Nil if the text is not such a name. A valid name does not mean that the session exists.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let loop = Int(parts[0]), let index = UInt32(parts[1]),
            let generation = UInt32(parts[2])
        else { return nil }
        self.loop = loop
        connection = ConnectionID(index: index, generation: generation)
        self.text = text
    }

    /// Compares in constant time.
    package func isName(_ other: String) -> Bool {
        isEqualInConstantTime(Array(text.utf8), Array(other.utf8))
    }
}
