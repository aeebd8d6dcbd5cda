// HTTPService: requests and their responses as values, the routes of a hub, and the forms of
// errors.

import Reactor
import Wire

/// One whole HTTP request, in the form that the routes receive.
package struct ServerRequest: Sendable {
    package let head: HTTPRequestHead
    package let body: [UInt8]
    /// The address of the client: the one named by a trusted proxy, or that of the connection.
    package let peer: SocketAddress?
    /// Whether the request came through a listener of `admin.listen`.
    package let isForAdmins: Bool

    /// The address of the client, for logs.
    package var remote: String { peer?.host ?? "" }

    package init(
        head: HTTPRequestHead,
        body: [UInt8],
        peer: SocketAddress?,
        isForAdmins: Bool = false
    ) {
        self.head = head
        self.body = body
        self.peer = peer
        self.isForAdmins = isForAdmins
    }
}

/// One whole HTTP response. `Content-Length`, `Connection` and `Date` are added when it is sent.
package struct ServerResponse: Sendable {
    package var head: HTTPResponseHead
    package var body: [UInt8]
    /// Whether web pages of the allowed origins may read the response.
    package var isForPages = true
    /// Whether those pages may send an API key with the request, as an app with its own key does.
    package var takesKeyOfPages = false
    /// Whether the response refuses the key of an app, which is then noted.
    package var refusesKey = false

    package init(head: HTTPResponseHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// A response in plain text with a final line break, for errors of the transport itself.
    package init(status: Int, text: String) {
        head = HTTPResponseHead(
            status: status,
            headers: ["Content-Type": "text/plain; charset=utf-8"]
        )
        body = Array((text + "\n").utf8)
    }

    /// Returns JSON that may change at any moment, or belongs to one user: caches do not store the
    /// response.
    package static func uncached(_ body: [UInt8], status: Int = 200) -> ServerResponse {
        let headers: HTTPHeaders = [
            "Cache-Control": "no-store", "Content-Type": "application/json; charset=utf-8",
        ]
        return ServerResponse(head: HTTPResponseHead(status: status, headers: headers), body: body)
    }

    /// RFC 9110 §15.5.6: "The origin server MUST generate an Allow header field in a 405 response
    /// containing a list of the target resource's currently supported methods."
    package static func methodNotAllowed(allowed: [String]) -> ServerResponse {
        let list = allowed.joined(separator: ", ")
        var response = ServerResponse(status: 405, text: "the methods here are \(list)")
        response.head.headers.append("Allow", list)
        return response
    }

    /// Returns the response to OPTIONS (RFC 9110 §9.3.7).
    package static func options(allowed: [String]) -> ServerResponse {
        let headers: HTTPHeaders = ["Allow": allowed.joined(separator: ", ")]
        return ServerResponse(head: HTTPResponseHead(status: 204, headers: headers))
    }
}

/// Answers requests on Swift's cooperative pool; never on a loop's thread.
package typealias Responder = @Sendable (ServerRequest) async -> ServerResponse
