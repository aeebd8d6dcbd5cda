/// The client's half of the opening handshake (RFC 6455 §4.1): the request to send and the check of
/// its response.
///
/// The caller appends `request` to its output, reads one response head and gives it to `verify`.
/// When that returns, the bytes after the head belong to a `WebSocketConnection`.
package struct ClientHandshake: Sendable {
    /// The bytes of randomness behind Sec-WebSocket-Key.
    package static let nonceLength = 16

    package let request: HTTPRequestHead
    private let key: String
    private let subprotocols: [String]
    private let deflate: DeflateSettings?

    /// - Parameters:
    ///   - host: Host, with the port unless it is the scheme's default.
    ///   - resourceName: Path and query of the URL (RFC 6455 §3); "/" is added where the path is
    ///     empty.
    ///   - nonce: 16 random bytes, different for each connection.
    ///   - subprotocols: Tokens, the one preferred most first.
    ///   - deflate: The offered settings of permessage-deflate; nil for no offer.
    ///   - headers: Further fields, such as Authorization or Origin. The fields of the handshake
    ///     itself are ours, and left out if they are here.
    package init(
        host: String,
        resourceName: String = "/",
        nonce: [UInt8],
        subprotocols: [String] = [],
        deflate: DeflateSettings? = nil,
        headers: HTTPHeaders = [:]
    ) {
        precondition(nonce.count == Self.nonceLength, "a nonce has 16 bytes")
        key = base64(nonce)
        self.subprotocols = subprotocols
        self.deflate = deflate
        var fields: HTTPHeaders = [
            "Host": host,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Version": webSocketVersion,
        ]
        if !subprotocols.isEmpty {
            fields.append("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))
        }
        if let deflate {
            let offer = DeflateExtension(offering: deflate).written
            fields.append("Sec-WebSocket-Extensions", offer.description)
        }
        let ours =
            Array(fields.map(\.name)) + ["Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"]
        for (name, value) in headers where !ours.contains(where: { equalsIgnoringCase($0, name) }) {
            fields.append(name, value)
        }
        let target = resourceName.hasPrefix("/") ? resourceName : "/" + resourceName
        request = HTTPRequestHead(target: target, headers: fields)
    }

    /// Checks the server's response; returns its choice of our offers.
    package func verify(
        _ response: HTTPResponseHead
    ) throws(HandshakeError) -> HandshakeAgreement {
        let headers = response.headers
        guard response.status == 101 else { throw .upgradeRefused(status: response.status) }
        let upgrades = headers.all("Upgrade")
        guard upgrades.count == 1, equalsIgnoringCase(upgrades[0], "websocket") else {
            throw .upgradeInvalid
        }
        guard headers.contains("Connection", token: "upgrade") else { throw .connectionInvalid }
        guard headers.all("Sec-WebSocket-Accept") == [acceptValue(forKey: key)] else {
            throw .acceptInvalid
        }
        let extensions = WebSocketExtension.list(in: headers)
        return HandshakeAgreement(
            subprotocol: try chosenSubprotocol(headers.all("Sec-WebSocket-Protocol")),
            deflate: try DeflateExtension.verify(extensions, offered: deflate)
        )
    }

    private func chosenSubprotocol(_ values: [String]) throws(HandshakeError) -> String? {
        guard let value = values.first else { return nil }
        guard values.count == 1, subprotocols.contains(value) else {
            throw .subprotocolNotOffered
        }
        return value
    }
}

/// The parameters that both ends have agreed on in the opening handshake.
package struct HandshakeAgreement: Hashable, Sendable {
    /// Nil for none.
    package var subprotocol: String?
    /// Nil for no compression.
    package var deflate: DeflateParameters?

    package init(subprotocol: String? = nil, deflate: DeflateParameters? = nil) {
        self.subprotocol = subprotocol
        self.deflate = deflate
    }
}

/// An error in a server's response to our handshake. The client closes the TCP connection.
package enum HandshakeError: Error, Hashable, Sendable {
    /// The response is an HTTP response of another status than 101.
    case upgradeRefused(status: Int)
    /// Upgrade is not exactly "websocket".
    case upgradeInvalid
    /// Connection does not list "Upgrade".
    case connectionInvalid
    /// Sec-WebSocket-Accept is missing, repeated or computed from another key.
    case acceptInvalid
    /// An extension that we did not offer.
    case extensionNotOffered
    /// An extension that we did offer, with parameters that the offer does not allow (RFC 7692 §7).
    case extensionInvalid
    /// A subprotocol that we did not offer, or more than one.
    case subprotocolNotOffered
}

extension HandshakeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .upgradeRefused(let status): "handshake answered with status \(status)"
        case .upgradeInvalid: "upgrade field is not websocket"
        case .connectionInvalid: "connection field lacks upgrade"
        case .acceptInvalid: "sec-websocket-accept does not match the key"
        case .extensionNotOffered: "extension was not offered"
        case .extensionInvalid: "extension parameters are invalid"
        case .subprotocolNotOffered: "subprotocol was not offered"
        }
    }
}
