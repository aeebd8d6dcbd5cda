import Reactor
import Service
import Wire

/// The credentials of a reader that only receives publications.
package enum ReaderCredentials {
    case none
    case token(ConnectionClaims)
    /// The application has let the reader in.
    case application(ConnectionClaims)
    case key(APIKeys.Entry)

    /// - Parameter claims: nil for a reader without a token.
    package init(_ claims: ConnectionClaims?) {
        self = claims.map { .token($0) } ?? .none
    }

    /// The claims of the reader's token, or of the application; nil for a reader without any.
    package var claims: ConnectionClaims? {
        switch self {
        case .token(let claims), .application(let claims): claims
        case .none, .key: nil
        }
    }

    /// The mark of the reader's token; nil for a reader without one.
    package var mark: TokenMark? {
        if case .token(let claims) = self { TokenMark(claims) } else { nil }
    }

    /// The reader's API key; nil for a reader without one.
    package var key: APIKeys.Entry? {
        if case .key(let key) = self { key } else { nil }
    }
}

/// The authorized request of a reader of several topics, and the reader's credentials.
package struct StreamWish {
    package let topics: [Topic]
    /// Topics that a returning reader has also requested and that no longer exist.
    package let goneTopics: [Topic]
    /// As in `EventStreamRequest`.
    package let afterCursor: UInt64?
    /// As in `EventStreamRequest`.
    package let isFromBeginning: Bool
    package let credentials: ReaderCredentials
    /// The end of the right to read; nil for never.
    package let expiry: MonotonicInstant?
    /// The id of the reader in questions to the application; nil if it was not asked.
    package let id: String?
}

/// The answer to a reader whose request is refused.
package struct ReaderRefusal: Error {
    package let response: ServerResponse

    /// The same request may be accepted in some seconds.
    package static func temporary(_ text: String) -> ReaderRefusal {
        var response = ServerResponse(status: 503, text: text)
        response.head.headers.append("Retry-After", "5")
        return ReaderRefusal(response: response)
    }
}

/// The peer of a request.
package struct RequestPeer {
    /// Empty if it is unknown.
    package let address: String
    /// Whether it is a trusted proxy.
    package let isForwarding: Bool
}

/// The authorized request of a topic socket.
package struct TopicWish {
    package let topic: Topic
    package let claims: ConnectionClaims?
    /// The value of `?since=`; nil if there is none.
    package let since: String?
}

extension ServerResponse {
    /// RFC 6750 §3: the challenge of the resource.
    package static func tokenNeeded(_ text: String) -> ServerResponse {
        var response = ServerResponse(status: 401, text: text)
        response.head.headers.append("WWW-Authenticate", "Bearer realm=\"varde\"")
        return response
    }
}
