/// The framing of the hub's messages of the client protocol in the body of one response.
///
/// The messages are JSON. Clients use these transports where a WebSocket is not possible, and send
/// their commands in requests of their own (`EmulationRequest`).
///
/// Source: protocol/README.md, Without a WebSocket.
package enum ClientStreamFraming: Hashable, Sendable, CaseIterable {
    /// Each message is a line: `http_stream`.
    case lines
    /// Each message is the data of an event (WHATWG HTML §9.2): `sse`.
    case events

    /// The name of the transport in SDKs, logs and metrics.
    package var transport: String {
        switch self {
        case .lines: "http_stream"
        case .events: "sse"
        }
    }

    package var contentType: String {
        switch self {
        case .lines: "application/x-ndjson"
        case .events: "text/event-stream"
        }
    }

    /// Appends one message to a body.
    ///
    /// - Parameter message: JSON without line feeds.
    package func append(_ message: [UInt8], to body: inout [UInt8]) {
        switch self {
        case .lines:
            body += message
            body.append(UInt8(ascii: "\n"))
        case .events:
            body += "data: ".utf8
            // A carriage return between the tokens of a payload would end the line of the event.
            body += message.lazy.map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
            body += "\n\n".utf8
        }
    }
}
