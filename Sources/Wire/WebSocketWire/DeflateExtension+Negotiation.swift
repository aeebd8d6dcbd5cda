/// Both ends' rules of RFC 7692 §5 and §7.1.
extension DeflateExtension {
    /// The server's answer to the first of the client's offers that it can keep; nil if there is
    /// none; then the response does not mention compression, which declines the offers.
    ///
    /// - Parameter offers: All offers of the client, in its order of preference.
    static func answer(
        _ offers: [WebSocketExtension],
        _ settings: DeflateSettings
    ) -> (response: DeflateExtension, parameters: DeflateParameters)? {
        // Every well-formed offer can be kept: see `Deflater` for the window of 256 bytes.
        guard let offer = offers.lazy.compactMap(DeflateExtension.init).first else { return nil }
        let server = offer.serverWindow(settings.server)
        let client = offer.clientWindow(settings.client)
        var response = DeflateExtension()
        response.serverNoContextTakeover = !server.isTakenOver
        response.clientNoContextTakeover = !client.isTakenOver
        // "A server accepts an extension negotiation offer with this parameter by including" it
        // "with the same or smaller value as the offer"; it may also include it if the offer has
        // none.
        if offer.serverMaxWindowBits != nil || server.bits < DeflateWindow.bitsDefault {
            response.serverMaxWindowBits = server.bits
        }
        // If it is absent from the offer, it must not be in the response: the client does not
        // support it.
        if offer.clientMaxWindowBits != .absent && client.bits < DeflateWindow.bitsDefault {
            response.clientMaxWindowBits = .value(client.bits)
        }
        return (response, DeflateParameters(server: server, client: client))
    }

    /// The server's window for a client that made this offer.
    private func serverWindow(_ wanted: DeflateWindow) -> DeflateWindow {
        DeflateWindow(
            bits: min(wanted.bits, serverMaxWindowBits ?? DeflateWindow.bitsDefault),
            isTakenOver: wanted.isTakenOver && !serverNoContextTakeover
        )
    }

    /// The window that the response assigns to a client that made this offer.
    private func clientWindow(_ wanted: DeflateWindow) -> DeflateWindow {
        let bits =
            switch clientMaxWindowBits {
            case .absent: DeflateWindow.bitsDefault
            case .withoutValue: wanted.bits
            case .value(let bits): min(bits, wanted.bits)
            }
        // If the client cannot be given a smaller window, its connection borrows a window from the
        // pool for each message and keeps none: every client can be told to begin each message with
        // an empty window.
        let isTakenOver = wanted.isTakenOver && !clientNoContextTakeover && bits <= wanted.bits
        return DeflateWindow(bits: bits, isTakenOver: isTakenOver)
    }

    /// The result of the server's response to the client's offer; nil if it declined.
    ///
    /// - Parameter settings: Those of the offer; nil when none was made.
    static func verify(
        _ response: [WebSocketExtension]?,
        offered settings: DeflateSettings?
    ) throws(HandshakeError) -> DeflateParameters? {
        if let response, response.isEmpty { return nil }
        // RFC 6455 §4.1: if the field "indicates the use of an extension that was not present in
        // the client's handshake [...], the client MUST _Fail the WebSocket Connection_".
        guard let settings else { throw .extensionNotOffered }
        guard let response else { throw .extensionInvalid }
        guard response.allSatisfy({ $0.name == name }) else { throw .extensionNotOffered }
        guard response.count == 1, let agreed = DeflateExtension(response[0]) else {
            throw .extensionInvalid
        }
        guard agreed.keeps(DeflateExtension(offering: settings)) else { throw .extensionInvalid }
        return agreed.parameters(settings)
    }

    /// Whether a response stays within an offer.
    private func keeps(_ offer: DeflateExtension) -> Bool {
        if offer.serverNoContextTakeover && !serverNoContextTakeover { return false }
        if let offered = offer.serverMaxWindowBits {
            guard let serverMaxWindowBits, serverMaxWindowBits <= offered else { return false }
        }
        switch (offer.clientMaxWindowBits, clientMaxWindowBits) {
        case (_, .absent): return true
        case (.absent, _), (_, .withoutValue): return false
        case (.withoutValue, .value): return true
        case (.value(let offered), .value(let bits)): return bits <= offered
        }
    }

    /// The parameters of a client after this response. In its own direction a client may always use
    /// less than it is allowed.
    private func parameters(_ settings: DeflateSettings) -> DeflateParameters {
        var client = settings.client
        if case .value(let bits) = clientMaxWindowBits { client.bits = min(client.bits, bits) }
        if clientNoContextTakeover { client.isTakenOver = false }
        return DeflateParameters(
            server: DeflateWindow(
                bits: serverMaxWindowBits ?? DeflateWindow.bitsDefault,
                isTakenOver: !serverNoContextTakeover
            ),
            client: client
        )
    }
}
