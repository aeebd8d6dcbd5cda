import Reactor
import Wire

/// One connection of the generator, from `connect` to its end.
final class Peer {
    enum Phase {
        /// TCP, and TLS if there is any.
        /// - To `upgrading` once bytes can be sent, or to `exchanging` without a WebSocket.
        case connecting
        /// The request is sent; the server's 101 is awaited.
        /// - To `joining` with it.
        case upgrading(Upgrade)
        /// The first message is sent; the server's word that it holds is awaited.
        /// - To `ready` with it, and at once when nothing was to be said.
        case joining
        /// In use.
        case ready
        /// In use for HTTP requests and their responses.
        case exchanging(Exchange)
    }

    let id: ConnectionID
    let role: PeerRole
    /// The scenario's own name for it.
    let number: Int
    let openedAt: MonotonicInstant
    /// Where a returning subscriber stands.
    let position: Position?
    var phase = Phase.connecting
    var webSocket: WebSocketConnection
    /// Why it is given up; from then on what comes in is dropped.
    var reason: String?

    init(
        id: ConnectionID,
        role: PeerRole,
        number: Int,
        position: Position?,
        limits: WebSocketLimits
    ) {
        self.id = id
        self.role = role
        self.number = number
        self.position = position
        openedAt = .now
        webSocket = WebSocketConnection(role: .client, limits: limits)
    }

    var isReady: Bool {
        switch phase {
        case .connecting, .upgrading, .joining: false
        case .ready, .exchanging: true
        }
    }
}

/// The opening handshake of one peer.
final class Upgrade {
    let handshake: ClientHandshake
    var response = HTTPResponseParser()

    init(_ handshake: ClientHandshake) {
        self.handshake = handshake
        response.expectResponse(to: "GET")
    }
}
