/// The status line and the fields of a response (RFC 9112 §4).
package struct HTTPResponseHead: Sendable, Equatable {
    /// 100 to 599; a peer may send up to 999.
    package var status: Int
    /// The reason phrase; may be empty. It means nothing to a recipient (RFC 9112 §4).
    package var reason: String
    package var version: HTTPVersion
    package var headers: HTTPHeaders

    /// Without a reason, the phrase that IANA registers for the status.
    package init(
        status: Int,
        reason: String? = nil,
        version: HTTPVersion = .http11,
        headers: HTTPHeaders = [:]
    ) {
        precondition((100...999).contains(status), "a status has three digits")
        self.status = status
        self.reason = reason ?? HTTPResponseHead.reason(status: status)
        self.version = version
        self.headers = headers
    }

    /// False when the sender will close the connection after this response (RFC 9112 §9.3). A body
    /// that ends with the stream also ends the connection, whatever the value.
    package var keepsAlive: Bool {
        headers.keepsAlive(version: version)
    }

    /// Appends the status line, the fields and the empty line. The caller adds Content-Length or
    /// Transfer-Encoding itself.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: version.rawValue.utf8)
        bytes.append(.space)
        bytes.append(contentsOf: String(status).utf8)
        bytes.append(.space)
        appendFieldText(reason, to: &bytes)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
        headers.append(to: &bytes)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }
}
