import Reactor

/// One request to another server, and the limits of its response.
package struct UpstreamRequest: Sendable {
    /// The handling of the response's content.
    package enum Content: Sendable {
        /// Waits for all of it. More than `bytesMax` bytes, after decompression, are an error.
        case whole(bytesMax: Int)
        /// Any content is accepted. At most `bytesMax` bytes of it are read, within a time from the
        /// head on, so that the connection can be reused. The response has the first `keeping`
        /// bytes, as far as they arrive in that time, even if the deadline of the whole request
        /// passes. With 0 it is complete with its head.
        case dropped(bytesMax: Int, within: Duration, keeping: Int = 0)
    }

    package var method: String
    package var url: UpstreamURL
    /// Without Host, Content-Length, Connection and Expect, which are added when it is sent.
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// If nil, the host is looked up. With an address, the request is sent only there, and through
    /// no proxy; TLS and Host keep the name of the URL.
    package var address: SocketAddress?
    package var deadlines = UpstreamDeadlines()
    package var content = Content.whole(bytesMax: 1 << 20)
    /// Whether gzip or deflate is requested, and decoded. Otherwise the content is returned as
    /// received.
    package var decompresses = false
    /// Returns whether the rest of the content is needed, called for every received beginning of
    /// it. Runs on the loop, so it must be quick.
    package var wantsMore: (@Sendable ([UInt8]) -> Bool)?
    /// Whether the content waits until the server requests it, for at most a second (RFC 9110
    /// §10.1.1).
    package var expectsContinue = false
    /// Whether it may be sent once more when a persistent connection ends before any part of the
    /// response has arrived. The server may already have carried it out.
    package var isRepeatable = false
    /// The maximum number of redirects that are followed (RFC 9110 §15.4).
    package var redirectsMax = 0
    /// If nil, redirects may lead to any host.
    package var reach: UpstreamReach?

    package init(
        _ method: String = "GET",
        _ url: UpstreamURL,
        headers: HTTPHeaders = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The deadlines of the parts of a request. The first one that passes ends it.
package struct UpstreamDeadlines: Hashable, Sendable {
    /// The lookup of the host's name.
    package var resolving = Duration.seconds(5)
    /// From the addresses to a connection, including TLS and a proxy, if any.
    package var connecting = Duration.seconds(5)
    /// From the request's head to the response's, including the wait for 100 (Continue).
    package var firstByte = Duration.seconds(30)
    /// From `send` to the last byte of the response.
    package var whole = Duration.seconds(30)

    package init() {}

    package init(whole: Duration) {
        self.whole = whole
        firstByte = whole
    }
}

/// The response to a request, with any status.
package struct UpstreamResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// The content after decompression. Of dropped content, the part that is kept, as received.
    package var body: [UInt8]
    /// The URL of the response, after redirects.
    package var url: UpstreamURL
    /// The target of the first permanent redirects (301, 308), up to one that is not permanent; nil
    /// without any.
    package var movedTo: UpstreamURL?

    package init(
        status: Int,
        headers: HTTPHeaders,
        body: [UInt8],
        url: UpstreamURL,
        movedTo: UpstreamURL? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.movedTo = movedTo
    }
}

/// The reason why a request has no response. Contains no data of the request except its
/// destination.
package enum UpstreamError: Error, Hashable, Sendable {
    package enum Phase: String, Sendable {
        case resolving = "looking the name up"
        /// All permitted connections to the host are in use.
        case waiting = "waiting for a connection"
        case connecting
        case firstByte = "waiting for the answer"
        case whole = "reading the answer"
    }

    case timedOut(Phase, after: Duration)
    case notResolved(String)
    /// No address accepted the connection; the error is that of the last one.
    case connectFailed(String)
    case tlsFailed(String)
    /// The proxy did not open the tunnel.
    case proxyFailed(String)
    /// The connection ended before the response was complete.
    case connectionEnded(String)
    /// The response is not valid HTTP/1.1.
    case malformed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent.
    case notAllowed(String)
    /// Too many requests wait, or all permitted connections are in use.
    case overloaded
    case cancelled
    /// The client was shut down.
    case shutDown
}

extension UpstreamError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .timedOut(let phase, let time): "timed out after \(time), \(phase.rawValue)"
        case .notResolved(let text): "no address: \(text)"
        case .connectFailed(let text): text
        case .tlsFailed(let text): text
        case .proxyFailed(let text): "proxy: \(text)"
        case .connectionEnded(let text): "the connection ended: \(text)"
        case .malformed(let text): "the answer is not valid: \(text)"
        case .bodyTooLarge(let limit): "content over limit \(limit) bytes"
        case .notAllowed(let text): "not allowed: \(text)"
        case .overloaded: "too many requests at once"
        case .cancelled: "cancelled"
        case .shutDown: "the client is shut down"
        }
    }
}
