import Wire

/// The response to a request.
package struct ReplayResponse: Sendable, Equatable {
    package enum Body: Sendable, Equatable {
        /// As many bytes as Content-Length, or none for a HEAD request and with a 304.
        case bytes([UInt8])
        /// This number of zero bytes; the caller generates them while sending.
        case zeros(count: Int)
        /// Nothing is sent, not even the head: the connection stays open until the client gives up.
        case never
    }

    package var status: Int
    /// All fields except those of the connection, with Content-Length if there is content.
    package var headers: HTTPHeaders
    package var body: Body

    package init(status: Int, headers: HTTPHeaders = [:], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The last body of each product, so that several clients share the work at the same moment.
package struct ReplayCache: Sendable {
    /// By path.
    private var bodies: [String: (version: Timestamp, bytes: [UInt8])] = [:]

    package init() {}

    /// Returns the body of that version, made by `make` unless it is the cached one.
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
