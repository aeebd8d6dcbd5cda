/// The request line and the fields of a request (RFC 9112 §3).
package struct HTTPRequestHead: Sendable, Equatable {
    /// As sent; methods are case-sensitive (RFC 9110 §9.1).
    package let method: String
    /// The request target as sent, in one of the four forms of RFC 9112 §3.2.
    package let target: String
    /// The path of the target, not decoded. "/" for an absolute form without a path, "*" for one of
    /// OPTIONS and for the asterisk form, empty for the authority form.
    package let path: String
    /// The part of the target after the first "?", not decoded.
    package let query: String?
    package let version: HTTPVersion
    package var headers: HTTPHeaders

    /// Splits the target and checks nothing: for requests that the program makes.
    /// `HTTPRequestParser` checks the requests of peers.
    package init(
        method: String = "GET",
        target: String,
        version: HTTPVersion = .http11,
        headers: HTTPHeaders = [:]
    ) {
        let parts = RequestTarget(target)
        self.method = method
        self.target = target
        self.path = parts.path(method: method)
        self.query = parts.query
        self.version = version
        self.headers = headers
    }

    /// The host and port that the request is for; nil when the request names none.
    ///
    /// RFC 9112 §3.2.2: "When an origin server receives a request with an absolute-form of
    /// request-target, the origin server MUST ignore the received Host header field (if any) and
    /// instead use the host information of the request-target."
    package var authority: String? {
        RequestTarget(target).authority.map(String.init) ?? headers.first("Host")
    }

    /// True when the peer takes another request on this connection (RFC 9112 §9.3).
    package var keepsAlive: Bool {
        headers.keepsAlive(version: version)
    }

    /// True when the request asks to change to `name`, such as "websocket".
    ///
    /// RFC 9110 §7.8: "A server that receives an Upgrade header field in an HTTP/1.0 request MUST ignore
    /// that Upgrade field", and the sender names Upgrade in its Connection field.
    package func isUpgrade(to name: String) -> Bool {
        isUpgrade && headers.contains("Upgrade", token: name)
    }

    /// True when the request asks to change to some other protocol.
    package var isUpgrade: Bool {
        version >= .http11 && headers.contains("Connection", token: "upgrade")
            && headers.contains("Upgrade")
    }

    /// True when the client waits for `100 Continue` before it sends the content.
    ///
    /// RFC 9110 §10.1.1: "A server that receives a 100-continue expectation in an HTTP/1.0 request MUST
    /// ignore that expectation", and it "MAY omit sending a 100 (Continue) response if … the framing
    /// indicates that there is no content".
    package var expectsContinue: Bool {
        version >= .http11 && hasContent && headers.contains("Expect", token: "100-continue")
    }

    /// The first expectation that we know nothing of; the answer to it is 417 (RFC 9110 §10.1.1). An
    /// HTTP/1.0 client has none.
    package var unknownExpectation: String? {
        guard version >= .http11 else { return nil }
        return headers.listValues("Expect").first { !equalsIgnoringCase($0, "100-continue") }
            .map(String.init)
    }

    /// True when the framing announces content (RFC 9112 §6).
    private var hasContent: Bool {
        headers.contains("Transfer-Encoding")
            || headers.all("Content-Length").contains { $0.contains { $0 != "0" } }
    }

    /// Appends the request line, the fields and the empty line.
    ///
    /// Bytes that are not allowed in a target, such as a space, are percent-encoded. Traps if the
    /// method is not a token.
    package func append(to bytes: inout [UInt8]) {
        precondition(isToken(method), "a method is a token")
        bytes.append(contentsOf: method.utf8)
        bytes.append(.space)
        for byte in target.utf8 { appendTargetByte(byte, to: &bytes) }
        bytes.append(.space)
        bytes.append(contentsOf: version.rawValue.utf8)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
        headers.append(to: &bytes)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }
}
