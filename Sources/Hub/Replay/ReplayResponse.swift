import HTTPWire
import Timekeeping

/// What to answer a request with.
package struct ReplayResponse: Sendable, Equatable {
    package enum Body: Sendable, Equatable {
        /// As many bytes as Content-Length says, or none to a HEAD request and with a 304.
        case bytes([UInt8])
        /// That many zero bytes; the shell makes them as it sends.
        case zeros(count: Int)
        /// Nothing is sent, not even the head: the connection stays open until the client gives up.
        case never
    }

    package var status: Int
    /// All fields but those of the connection; Content-Length is among them when there is content.
    package var headers: HTTPHeaders
    package var body: Body

    package init(status: Int, headers: HTTPHeaders = [:], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The last body made of each product, so that several clients of one moment cost one.
package struct ReplayCache: Sendable {
    /// By path.
    private var bodies: [String: (version: Timestamp, bytes: [UInt8])] = [:]

    package init() {}

    /// The body of that version, made by `make` unless it is the last one asked for.
    mutating func body(
        of path: String,
        version: Timestamp,
        make: () -> [UInt8]
    ) -> [UInt8] {
        if let kept = bodies[path], kept.version == version { return kept.bytes }
        let bytes = make()
        bodies[path] = (version, bytes)
        return bytes
    }
}
