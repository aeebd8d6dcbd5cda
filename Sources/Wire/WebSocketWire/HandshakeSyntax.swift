/// The version that RFC 6455 defines, and the only one here.
let webSocketVersion = "13"

/// The value of Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455 §4.2.2, 5.4): proof that the
/// server read the handshake and is not some other server that was tricked into answering.
func acceptValue(forKey key: String) -> String {
    base64(sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
}
