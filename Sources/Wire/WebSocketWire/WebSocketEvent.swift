/// An event decoded from a peer's bytes.
package enum WebSocketEvent: Equatable, Sendable {
    /// A whole message; a text message is valid UTF-8.
    case message(MessageKind, Payload)
    /// A ping, whose pong is in the output.
    case ping(Payload)
    /// A pong, asked for or not (RFC 6455 §5.5.3).
    case pong(Payload)
    /// The connection is closed, with the close code and reason of RFC 6455 §7.1.5 and §7.1.6.
    ///
    /// After a Close frame of the peer the code is that frame's, or `noStatusReceived`; our answer,
    /// if one was due, is in the output. Without a Close frame it is `abnormalClosure`.
    case closed(CloseCode, reason: String)
    /// The peer broke the protocol and the connection failed (RFC 6455 §7.1.7); our Close frame is
    /// in the output, if none was sent before.
    case failed(WebSocketError)
}

/// Where the bytes of a message or of a control frame are until the next call of `receive`.
package enum Payload: Equatable, Sendable {
    /// In the input, unmasked: the frame came whole.
    case input(Range<Int>)
    /// In `WebSocketConnection.assembled`: it came in pieces.
    case assembled(Range<Int>)

    /// In bytes.
    package var length: Int {
        switch self {
        case .input(let range), .assembled(let range): range.count
        }
    }
}
