import ClientWire
import Reactor
import Service
import Wire

/// The opening handshake of RFC 6455 §4.2: its conditions and its agreement.
extension Loop {
    /// Answers the opening handshake; returns nil if it was refused.
    package func accept(
        _ head: HTTPRequestHead,
        subprotocols: [String],
        on id: ConnectionID
    ) -> HandshakeAgreement? {
        if let refusal = admission.refusalOfOrigin(head, from: peer(of: id)) {
            refuse(refusal, answering: head, on: id)
            return nil
        }
        let answer = ServerHandshake.respond(
            to: head.withoutUpgradeOfHEAD,
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

    /// Counts the time from accept to a WebSocket or an event stream, if it was the first request
    /// of its connection. Call it before the session is replaced.
    package func countHandshake(on id: ConnectionID) {
        guard case .http(let session) = session(of: id), !session.machine.isKeptAlive,
            let accepted = session.accepted
        else { return }
        turn.counters.handshake.add(now - accepted)
    }

    /// - Parameter limits: nil for the limits of a peer that may send messages.
    package func webSocket(
        _ agreement: HandshakeAgreement,
        _ limits: WebSocketLimits? = nil
    ) -> WebSocketConnection {
        WebSocketConnection(
            role: .server,
            limits: limits ?? settings.webSocket,
            deflate: agreement.deflate,
            pool: fanOut.deflatePool
        )
    }

    /// The wire form of an agreement. With context takeover, the window would have to contain every
    /// shared message, so such clients receive uncompressed publications.
    package func form(_ agreement: HandshakeAgreement) -> WireForm {
        guard let window = agreement.deflate?.server, !window.isTakenOver else {
            return .centrifugeJSON
        }
        return .centrifugeJSON(windowBits: window.bits)
    }
}

extension HTTPRequestHead {
    /// HEAD is answered as a GET that asks for no upgrade, because nothing may follow its head
    /// (RFC 9110 §9.3.2); any other request is left as it is.
    fileprivate var withoutUpgradeOfHEAD: HTTPRequestHead {
        guard method == "HEAD" else { return self }
        var headers = headers
        headers.remove("Upgrade")
        return HTTPRequestHead(method: "GET", target: target, version: version, headers: headers)
    }
}
