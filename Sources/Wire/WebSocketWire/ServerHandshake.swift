/// The server's half of the opening handshake (RFC 6455 §4.2): a request in, a response out.
///
/// It checks neither path nor Origin nor credentials, and it does not write. After `accept` the
/// caller sends the head and continues with a `WebSocketConnection` at the first byte after the
/// request; after `reject` the connection is still an HTTP connection.
package enum ServerHandshake {
    package enum Answer: Equatable, Sendable {
        /// A response 101 and its agreement.
        case accept(HTTPResponseHead, HandshakeAgreement)
        /// A response that states the error, and its body as plain text.
        case reject(HTTPResponseHead, body: String)
    }

    /// Answers a request for a WebSocket connection.
    ///
    /// - Parameters:
    ///   - subprotocols: The server's subprotocols in its order of preference. The first that the
    ///     client also offers is used; if there is none, the connection has none.
    ///   - deflate: The settings of permessage-deflate if the client offers it; nil declines it. An
    ///     offer that cannot be met is skipped and is not an error.
    package static func respond(
        to request: HTTPRequestHead,
        subprotocols: [String] = [],
        deflate: DeflateSettings? = nil
    ) -> Answer {
        do throws(Refusal) {
            let key = try checkedKey(of: request)
            let offers = try offeredSubprotocols(request.headers)
            let subprotocol = subprotocols.first { offers.contains(Substring($0)) }
            let offeredExtensions = try offeredExtensions(request.headers)
            let compression = deflate.flatMap { DeflateExtension.answer(offeredExtensions, $0) }

            var headers: HTTPHeaders = [
                "Upgrade": "websocket",
                "Connection": "Upgrade",
                "Sec-WebSocket-Accept": acceptValue(forKey: key),
            ]
            if let subprotocol { headers.append("Sec-WebSocket-Protocol", subprotocol) }
            if let response = compression?.response {
                headers.append("Sec-WebSocket-Extensions", response.written.description)
            }
            let agreement = HandshakeAgreement(
                subprotocol: subprotocol,
                deflate: compression?.parameters
            )
            return .accept(HTTPResponseHead(status: 101, headers: headers), agreement)
        } catch {
            return error.answer
        }
    }

    /// Why a request is refused.
    private struct Refusal: Error {
        var status: Int
        var text: String
        /// The field that the status demands.
        var headers: HTTPHeaders = [:]

        var answer: Answer {
            let body = text + "\n"
            var headers = headers
            headers.append("Content-Type", "text/plain; charset=utf-8")
            headers.append("Content-Length", String(body.utf8.count))
            return .reject(HTTPResponseHead(status: status, headers: headers), body: body)
        }

        static func badRequest(_ text: String) -> Refusal {
            Refusal(status: 400, text: text)
        }

        static let wrongMethod = Refusal(
            status: 405,
            text: "a websocket handshake is a GET request",
            headers: ["Allow": "GET"]
        )

        /// "The server MUST send an Upgrade header field in a 426 response" (RFC 9110 §15.5.22).
        static let noUpgrade = Refusal(
            status: 426,
            text: "this resource needs an upgrade to websocket over HTTP/1.1",
            headers: [
                "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Version": webSocketVersion,
            ]
        )

        static let wrongVersion = Refusal(
            status: 426,
            text: "websocket version 13 is the only one supported",
            headers: [
                "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Version": webSocketVersion,
            ]
        )
    }

    /// The request's key, after all that RFC 6455 §4.2.1 demands of the request was checked.
    ///
    /// "If the server, while processing the handshake, finds that the client did not send a
    /// handshake that matches the description below [...], the server MUST stop processing".
    private static func checkedKey(of request: HTTPRequestHead) throws(Refusal) -> String {
        let headers = request.headers
        guard request.method == "GET" else { throw .wrongMethod }
        guard request.isUpgrade(to: "websocket") else { throw .noUpgrade }
        guard headers.contains("Host") else { throw .badRequest("the Host field is missing") }
        try checkVersion(headers)
        // The bytes after the head have to be frames. A body would be read as such, or worse: a
        // proxy in between that takes frames for a body is how requests are smuggled.
        let hasBody =
            headers.contains("Transfer-Encoding")
            || headers.all("Content-Length").contains { $0 != "0" }
        guard !hasBody else { throw .badRequest("a websocket handshake has no body") }
        let keys = headers.all("Sec-WebSocket-Key")
        guard keys.count == 1 else {
            throw .badRequest("Sec-WebSocket-Key must be there once, not \(keys.count) times")
        }
        // "a base64-encoded value that, when decoded, is 16 bytes in length"
        guard bytes(base64: keys[0])?.count == ClientHandshake.nonceLength else {
            throw .badRequest("Sec-WebSocket-Key must be 16 bytes in base64")
        }
        return keys[0]
    }

    private static func checkVersion(_ headers: HTTPHeaders) throws(Refusal) {
        let versions = headers.all("Sec-WebSocket-Version")
        // "MUST NOT appear more than once in an HTTP request" (RFC 6455 §11.3.5).
        guard versions.count <= 1 else {
            throw .badRequest(
                "Sec-WebSocket-Version must be there once, not \(versions.count) times"
            )
        }
        guard versions.first == webSocketVersion else { throw .wrongVersion }
    }

    private static func offeredSubprotocols(
        _ headers: HTTPHeaders
    ) throws(Refusal) -> [Substring] {
        let offers = headers.listValues("Sec-WebSocket-Protocol")
        guard offers.allSatisfy(isToken) else {
            throw .badRequest("Sec-WebSocket-Protocol must be a list of tokens")
        }
        return offers
    }

    private static func offeredExtensions(
        _ headers: HTTPHeaders
    ) throws(Refusal) -> [WebSocketExtension] {
        guard let offers = WebSocketExtension.list(in: headers) else {
            throw .badRequest("Sec-WebSocket-Extensions is malformed")
        }
        return offers
    }
}
