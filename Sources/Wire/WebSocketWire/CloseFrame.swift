/// The payload of a Close frame (RFC 6455 §5.5.1).
struct CloseFrame {
    /// Nil for an empty payload.
    var code: CloseCode?
    var reason: String

    /// The code takes two of the 125 bytes.
    static let reasonLengthMax = FrameHeader.controlPayloadLengthMax - 2

    init(code: CloseCode?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Reads the payload of a peer's Close frame.
    init(payload: Span<UInt8>) throws(WebSocketError) {
        guard payload.count > 0 else {
            self.init(code: nil)
            return
        }
        // "If there is a body, the first two bytes of the body MUST be a 2-byte unsigned integer".
        guard payload.count >= 2 else { throw .closeCodeTruncated }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { throw .closeCodeInvalid(code) }
        let reasonBytes = payload.extracting(2..<payload.count)
        guard let reason = try? UTF8Span(validating: reasonBytes) else {
            throw .closeReasonNotUTF8
        }
        self.init(code: code, reason: String(copying: reason))
    }

    /// The bytes to send: none without a code, because a reason needs a code. A reason that is too
    /// long is cut before the first scalar that does not fit.
    var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = Unicode.UTF8.encode(scalar)!  // Every scalar has an encoding.
            guard bytes.count + encoded.count <= FrameHeader.controlPayloadLengthMax else { break }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }
}
