import Wire

/// The form of the errors about requests that reach no route: a path or a method that does not exist
/// or is not served here, an API key that is not accepted.
///
/// Each app decodes errors of its own form, even for its invalid paths. Its routes register that
/// form for the prefixes of their paths (`Routes.errors`). All other paths return plain text, like
/// the errors of the transport.
package struct ErrorForm: Sendable {
    /// The reason why a request reaches no route.
    package enum Problem: Sendable {
        case notFound
        /// The request has an API key that is not accepted.
        ///
        /// - Parameter message: the reason.
        case keyRefused(message: String)
        /// - Parameter allowed: the methods of the path, as `Allow` lists them.
        case methodNotAllowed(allowed: String)
        /// Only the leader of the cluster serves the path, and this node does not lead.
        ///
        /// - Parameter message: the message of the error.
        case notLeading(message: String)
    }

    private let response: @Sendable (Problem) -> ServerResponse

    package init(_ response: @escaping @Sendable (Problem) -> ServerResponse) {
        self.response = response
    }

    package static let plain = ErrorForm { problem in
        switch problem {
        case .notFound: ServerResponse(status: 404, text: "Not Found")
        case .keyRefused(let message): ServerResponse(status: 401, text: message)
        case .methodNotAllowed(let allowed):
            ServerResponse(status: 405, text: "the methods here are \(allowed)")
        case .notLeading(let message): ServerResponse(status: 503, text: message)
        }
    }

    package var notFound: ServerResponse { response(.notFound) }

    /// RFC 9110 §11.6.1: a 401 has a challenge.
    package func keyRefused(_ refusal: KeyRefusal) -> ServerResponse {
        var response = response(.keyRefused(message: refusal.message))
        response.head.headers.replace("WWW-Authenticate", with: Challenge.apiKey)
        return response
    }

    /// The pause that a client is asked to make before its next attempt: with it, the client may
    /// reach the leader, or this node may lead.
    package static let leaderPause = Duration.seconds(1)

    /// 503 with `Retry-After` (RFC 9110 §15.6.4).
    package var notLeading: ServerResponse {
        let message = "this node does not lead the cluster; try again, or ask another node"
        var response = response(.notLeading(message: message))
        response.head.headers.add(retryAfter: Self.leaderPause)
        return response
    }

    /// RFC 9110 §15.5.6: "The origin server MUST generate an Allow header field in a 405 response".
    package func methodNotAllowed(allowed: [String]) -> ServerResponse {
        let list = allowed.joined(separator: ", ")
        var response = response(.methodNotAllowed(allowed: list))
        response.head.headers.append("Allow", list)
        return response
    }
}
