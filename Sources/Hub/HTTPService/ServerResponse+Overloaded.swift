import HTTPWire

extension ServerResponse {
    /// Seconds after which a client that was turned away may try again.
    private static let retryAfter = 5

    /// What a connection over the limits gets before anything is read from it: 503 with `Retry-After`
    /// (RFC 9110 §15.6.4), ready to be sent.
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
    /// The answer to whoever comes too often, or with too many others.
    package static var tooMany: ServerResponse {
        var response = ServerResponse(status: 503, text: "too many at once; try again later")
        // Not all after the same time.
        response.head.headers.append("Retry-After", "\(Int.random(in: 1...5))")
        return response
    }
}
