import ClientWire
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// The opening handshake of RFC 6455 §4.2, and what it agrees on.
extension Shard {
    /// Answers the opening handshake; nil when it was refused.
    func accept(
        _ head: HTTPRequestHead,
        subprotocols: [String],
        on id: ConnectionID
    ) -> HandshakeAgreement? {
        let answer = ServerHandshake.respond(
            to: head,
            subprotocols: subprotocols,
            deflate: settings.deflate
        )
        switch answer {
        case .accept(let response, let agreement):
            var bytes: [UInt8] = []
            response.append(to: &bytes)
            connections.send(bytes, on: id)
            return agreement
        case .reject(let response, let text):
            refuse(ServerResponse(head: response, body: Array(text.utf8)), answering: head, on: id)
            return nil
        }
    }

    func webSocket(_ agreement: HandshakeAgreement) -> WebSocketConnection {
        WebSocketConnection(
            role: .server,
            limits: settings.webSocket,
            deflate: agreement.deflate,
            pool: deflatePool
        )
    }

    /// A window that is taken over would have to be told of every shared message; publications go
    /// uncompressed to its client.
    func form(_ agreement: HandshakeAgreement) -> WireForm {
        guard let window = agreement.deflate?.server, !window.isTakenOver else {
            return .centrifugeJSON
        }
        return .centrifugeJSON(windowBits: window.bits)
    }
}
