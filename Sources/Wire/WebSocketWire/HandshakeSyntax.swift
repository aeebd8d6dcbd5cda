import Digests

/// The version that RFC 6455 defines, and the only one here.
let webSocketVersion = "13"

/// The value of Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455 §4.2.2, 5.4): proof that the
/// server read the handshake and is not some other server that was tricked into answering.
func acceptValue(forKey key: String) -> String {
    base64(sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
}

/// Whether the text is a `token` of RFC 9110 §5.6.2: the name of a subprotocol or an extension.
func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenCharacter)
}

private func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default:
        "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// The text without the spaces and tabs around it (`OWS`, RFC 9110 §5.6.3).
func trimmed(_ text: Substring) -> Substring {
    let isWhitespace = { (character: Character) in character == " " || character == "\t" }
    guard let first = text.firstIndex(where: { !isWhitespace($0) }),
        let last = text.lastIndex(where: { !isWhitespace($0) })
    else { return "" }
    return text[first...last]
}

/// Whether both texts are equal except for the case of ASCII letters.
func equalsIgnoringCase(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
        && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
