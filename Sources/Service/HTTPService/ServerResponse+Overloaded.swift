import Wire

extension ServerResponse {
    /// The response to a connection over the limits: 503 with `Retry-After` (RFC 9110 §15.6.4).
    package static var tooManyConnections: ServerResponse {
        var response = ServerResponse(status: 503, text: "too many connections, come back later")
        response.head.headers.append("Retry-After", "5")
        return response
    }

    /// The same as bytes, to send before anything is read from the connection.
    package static let overloaded: [UInt8] = tooManyConnections.bytes(
        answering: nil,
        keepsAlive: false,
        date: nil
    )

    /// The response to a client that sends requests too often, or at the same time as too many
    /// others.
    package static var tooMany: ServerResponse {
        var response = ServerResponse(status: 503, text: "too many at once; try again later")
        // Random, so that clients do not all retry at the same time.
        response.head.headers.append("Retry-After", "\(Int.random(in: 1...5))")
        return response
    }

    /// Whether the same request may succeed later (RFC 6585 §4, RFC 9110 §15.6.4).
    package var isTemporary: Bool { head.status == 429 || head.status == 503 }

    /// The seconds of `Retry-After`; nil without one.
    package var retryAfterSeconds: Int? { head.headers.first("Retry-After").flatMap { Int($0) } }
}

extension HTTPRequestHead {
    /// Whether a reader of event streams sent the request, such as a browser's `EventSource`.
    package var asksForEventStream: Bool {
        method == "GET"
            && headers.listValues("Accept").contains { range in
                let type = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
                return type.lowercased() == "text/event-stream"
            }
    }
}
