extension FrameHeader {
    /// Returns the header at the start of `bytes` and its number of bytes; nil if more bytes are
    /// needed.
    ///
    /// Each field is checked as soon as its bytes are there and in their order, so a bad frame gets
    /// the same error however the stream is cut.
    package static func decode(
        _ bytes: Span<UInt8>
    ) throws(WebSocketError) -> (header: FrameHeader, length: Int)? {
        guard bytes.count >= 1 else { return nil }
        let first = bytes[0]
        guard let opcode = Opcode(rawValue: first & Bit.opcode) else {
            throw .reservedOpcode(first & Bit.opcode)
        }
        let isFinal = first & Bit.fin != 0
        if opcode.isControl && !isFinal { throw .controlFrameFragmented }

        guard bytes.count >= 2 else { return nil }
        let lengthField = bytes[1] & Bit.length
        if opcode.isControl && Int(lengthField) > controlPayloadLengthMax {
            throw .controlFrameTooLong
        }
        guard let (payloadLength, lengthEnd) = try payloadLength(lengthField, in: bytes) else {
            return nil
        }

        let isMasked = bytes[1] & Bit.mask != 0
        let headerLength = isMasked ? lengthEnd + 4 : lengthEnd
        guard bytes.count >= headerLength else { return nil }
        let key = isMasked ? UInt32(truncatingIfNeeded: bytes.bigEndian(lengthEnd, 4)) : nil
        let header = FrameHeader(
            opcode: opcode,
            isFinal: isFinal,
            rsv1: first & Bit.rsv1 != 0,
            rsv2: first & Bit.rsv2 != 0,
            rsv3: first & Bit.rsv3 != 0,
            maskingKey: key,
            payloadLength: payloadLength
        )
        return (header, headerLength)
    }

    /// The payload length that `field` contains or announces, and the end of its bytes; nil if more
    /// bytes are needed.
    private static func payloadLength(
        _ field: UInt8,
        in bytes: Span<UInt8>
    ) throws(WebSocketError) -> (length: Int, end: Int)? {
        switch field {
        case LengthForm.marker16:
            guard bytes.count >= 4 else { return nil }
            let length = Int(bytes.bigEndian(2, 2))
            // "Note that in all cases, the minimal number of bytes MUST be used to encode the
            // length."
            guard length > LengthForm.inlineMax else { throw .payloadLengthNotMinimal(length) }
            return (length, 4)
        case LengthForm.marker64:
            guard bytes.count >= 10 else { return nil }
            // "the most significant bit MUST be 0"
            guard let length = Int(exactly: bytes.bigEndian(2, 8)) else {
                throw .payloadLengthOverflow
            }
            guard length > LengthForm.length16Max else { throw .payloadLengthNotMinimal(length) }
            return (length, 10)
        default:
            return (Int(field), 2)
        }
    }
}

extension Span<UInt8> {
    /// The `count` bytes from `start` on as one number, the most significant byte first.
    fileprivate func bigEndian(_ start: Int, _ count: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in start..<start + count { number = number << 8 | UInt64(self[index]) }
        return number
    }
}
