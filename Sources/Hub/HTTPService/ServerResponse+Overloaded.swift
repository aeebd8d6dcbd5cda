import HTTPWire

extension ServerResponse {
    /// The number of seconds after which a rejected client may try again.
    private static let retryAfter = 5

    /// The response to a connection over the limits, sent before anything is read from it: 503 with
    /// `Retry-After` (RFC 9110 §15.6.4), as bytes.
    package static let overloaded: [UInt8] = {
        let body = "too many connections, come back later\n"
        let head = HTTPResponseHead(
            status: 503,
            headers: [
                "Retry-After": String(retryAfter), "Content-Type": "text/plain; charset=utf-8",
                "Content-Length": String(body.utf8.count), "Connection": "close",
                "X-Content-Type-Options": contentTypeOptions,
            ]
        )
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        return bytes + Array(body.utf8)
    }()
}

extension ServerResponse {
    /// The response to a client that sends requests too often, or at the same time as too many
    /// others.
    package static var tooMany: ServerResponse {
        var response = ServerResponse(status: 503, text: "too many at once; try again later")
        // Random, so that clients do not all retry at the same time.
        response.head.headers.append("Retry-After", "\(Int.random(in: 1...5))")
        return response
    }
}
