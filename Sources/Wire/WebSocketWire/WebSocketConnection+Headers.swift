/// The rules for a frame header, and its place in a message (RFC 6455 §5).
extension WebSocketConnection {
    mutating func check(_ header: FrameHeader) throws(WebSocketError) {
        try checkReservedBits(header)
        // "The server MUST close the connection upon receiving a frame that is not masked" and
        // "A client MUST close a connection if it detects a masked frame" (RFC 6455 §5.1).
        switch role {
        case .server: if !header.isMasked { throw .frameNotMasked }
        case .client: if header.isMasked { throw .frameMasked }
        }
        guard !header.opcode.isControl else { return }
        let isCompressed = header.rsv1 || deflate?.isInflating == true
        let limit = isCompressed ? limits.compressedFrameLengthMax : limits.frameLengthMax
        guard header.payloadLength <= limit else {
            throw .frameTooLong(length: header.payloadLength, limit: limit)
        }
        try checkOrder(header)
        // The length of a compressed message is checked when it is inflated.
        guard deflate?.isInflating != true else { return }
        // Checked with the header, before the payload arrives. The bytes of an open message so far
        // are in `assembled`; both numbers are within limits, so the sum does not overflow.
        let length = assembled.count + header.payloadLength
        guard length <= limits.messageLengthMax else {
            throw .messageTooLong(length: length, limit: limits.messageLengthMax)
        }
    }

    /// "MUST be 0 unless an extension is negotiated that defines meanings for non-zero values."
    /// permessage-deflate gives RSV1 a meaning on the first frame of a message only: "An endpoint
    /// MUST NOT set the 'Per-Message Compressed' bit of control frames and non-first fragments of
    /// a data message. An endpoint receiving such a frame MUST _Fail the WebSocket Connection_."
    /// (RFC 7692 §6)
    private func checkReservedBits(_ header: FrameHeader) throws(WebSocketError) {
        let startsMessage = header.opcode == .text || header.opcode == .binary
        let mayHaveRSV1 = deflate != nil && startsMessage
        guard !header.rsv1 || mayHaveRSV1 else { throw .reservedBitSet }
        guard !header.rsv2 && !header.rsv3 else { throw .reservedBitSet }
    }

    /// Starts a message or counts another fragment of it (RFC 6455 §5.4).
    private mutating func checkOrder(_ header: FrameHeader) throws(WebSocketError) {
        switch header.opcode {
        case .text, .binary:
            // "The fragments of one message MUST NOT be interleaved between the fragments of
            // another message unless an extension has been negotiated".
            guard message == nil else { throw .messageInterrupted }
            let kind: MessageKind = header.opcode == .text ? .text : .binary
            message = IncomingMessage(fragmentCount: 1, kind: kind)
            if header.rsv1 && isOpen { deflate?.beginInflating() }
        case .continuation:
            guard let fragmentCount = message?.fragmentCount else {
                throw .continuationWithoutStart
            }
            guard fragmentCount < limits.fragmentsPerMessageMax else {
                throw .tooManyFragments(limit: limits.fragmentsPerMessageMax)
            }
            message?.fragmentCount = fragmentCount + 1
        case .connectionClose, .ping, .pong:
            preconditionFailure("a control frame has no place in a message")
        }
    }
}
