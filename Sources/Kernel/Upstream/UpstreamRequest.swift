import HTTPWire
import Reactor

/// One request to another server, and what is wanted of its answer.
package struct UpstreamRequest: Sendable {
    /// What is done with the content of the answer.
    package enum Content: Sendable {
        /// All of it is waited for. More than so many bytes, after decompression, are an error.
        case whole(bytesMax: Int)
        /// The answer is complete with its head. Of the content at most so many bytes are read, within a
        /// time, so that the connection can be used again.
        case dropped(bytesMax: Int, within: Duration)
    }

    package var method: String
    package var url: UpstreamURL
    /// Without Host, Content-Length, Connection and Expect, which are made here.
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// Nil looks the host up. With an address, the request goes there and nowhere else, and through no proxy;
    /// TLS and Host keep the name of the URL.
    package var address: SocketAddress?
    package var deadlines = UpstreamDeadlines()
    package var content = Content.whole(bytesMax: 1 << 20)
    /// Asks for gzip or deflate, and undoes it. Otherwise the content stays as it comes.
    package var decompresses = false
    /// Asked of every beginning of the content whether the rest of it is wanted. Runs on the loop, so it has to
    /// be quick.
    package var wantsMore: (@Sendable ([UInt8]) -> Bool)?
    /// The content waits until the server asks for it, for a second at most (RFC 9110 §10.1.1).
    package var expectsContinue = false
    /// Whether it may be sent once more when a kept connection ends before anything of the answer has come. The
    /// server may have carried it out already.
    package var isRepeatable = false
    /// How many redirects are followed (RFC 9110 §15.4).
    package var redirectsMax = 0

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

/// How long the parts of a request may take. The first one that passes ends it.
package struct UpstreamDeadlines: Hashable, Sendable {
    /// Looking the host's name up.
    package var resolving = Duration.seconds(5)
    /// From the addresses to a connection, with TLS and through a proxy where they are.
    package var connecting = Duration.seconds(5)
    /// From the request's head to the answer's, with the wait for 100 (Continue).
    package var firstByte = Duration.seconds(30)
    /// From `send` to the last byte of the answer.
    package var whole = Duration.seconds(30)

    package init() {}

    package init(whole: Duration) {
        self.whole = whole
        firstByte = whole
    }
}

/// The answer to a request: of any status.
package struct UpstreamResponse: Sendable {
    package var status: Int
    package var headers: HTTPHeaders
    /// After decompression. Empty where the content is dropped.
    package var body: [UInt8]
    /// Where it came from, after redirects.
    package var url: UpstreamURL
    /// Where the first permanent redirects (301, 308) led, up to one that is not; nil without any.
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

/// Why a request brought no answer. Holds nothing of the request but where it went.
package enum UpstreamError: Error, Hashable, Sendable {
    package enum Phase: String, Sendable {
        case resolving = "looking the name up"
        /// All connections to the host that there may be are taken.
        case waiting = "waiting for a connection"
        case connecting
        case firstByte = "waiting for the answer"
        case whole = "reading the answer"
    }

    case timedOut(Phase, after: Duration)
    case notResolved(String)
    /// No address took the connection; of the last one.
    case connectFailed(String)
    case tlsFailed(String)
    /// The proxy did not lead the connection through.
    case proxyFailed(String)
    /// The connection ended before the answer was whole.
    case connectionEnded(String)
    /// The answer is none in HTTP/1.1.
    case malformed(String)
    case bodyTooLarge(limit: Int)
    /// The request was never sent.
    case notAllowed(String)
    /// Too many requests wait, or all connections that there may be are in use.
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
