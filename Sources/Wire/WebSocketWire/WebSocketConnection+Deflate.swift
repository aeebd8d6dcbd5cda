/// permessage-deflate on the way in and out (RFC 7692 §6 and §7.2).
extension WebSocketConnection {
    /// The window of our messages, in bits; nil if compression was not agreed to.
    ///
    /// The peer can read shared messages of this window and of smaller ones
    /// (`DeflatePool.appendShared`).
    package var sendWindowBits: Int? { deflate?.outgoing.bits }

    /// Notes that the peer was sent a message of `DeflatePool.appendShared`. Needed only if the
    /// window of our messages is taken over; our next message then refers to nothing before it.
    package mutating func sharedMessageWasSent() {
        precondition(unfinishedSend == nil, "a shared message inside another")
        deflate?.forgetSent()
    }

    // MARK: Receiving

    /// Whether messages may be compressed.
    package var inflates: Bool { deflate != nil }

    /// The length so far, inflated, of a compressed message that has begun and not ended; nil without one.
    package var inflatedLength: Int? {
        isOpen && deflate?.isInflating == true ? assembled.count : nil
    }

    /// Inflates a piece of a message; returns the message with its last piece.
    mutating func acceptDeflated(
        _ bytes: Span<UInt8>,
        _ kind: MessageKind,
        endsMessage: Bool
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard let deflate else { preconditionFailure("a compressed message was not agreed to") }
        let inflater = deflate.currentInflater()
        try inflate(bytes, kind, inflater)
        guard endsMessage else { return nil }
        // "Append 4 octets of 0x00 0x00 0xff 0xff to the tail end of the payload of the message"
        // (RFC 7692 §7.2.2). Where they do not end a block, the end of the message was cut off.
        let tail = Deflater.tail
        try inflate(tail.span, kind, inflater)
        guard inflater.isBetweenBlocks else { throw .compressedDataInvalid }
        guard kind == .binary || message?.text.isComplete == true else { throw .textNotUTF8 }
        deflate.endInflating()
        message = nil
        return .message(kind, lend(assembled.count))
    }

    /// Inflates to the end of `assembled`, a chunk at a time, so that invalid text and an excessive
    /// message length are reported where they begin and not after everything is inflated: a
    /// kibibyte can inflate to a mebibyte.
    private mutating func inflate(
        _ bytes: Span<UInt8>,
        _ kind: MessageKind,
        _ inflater: Inflater
    ) throws(WebSocketError) {
        guard var text = message?.text else { preconditionFailure("data outside a message") }
        var consumed = 0
        var status = Inflater.Status.hasMore
        while status == .hasMore {
            let start = assembled.count
            let room = makeRoom(for: bytes.count - consumed)
            assembled.append(addingCapacity: room) { output in
                status = inflater.inflate(bytes, consumed: &consumed, into: &output)
            }
            if kind == .text {
                let chunk = assembled.span.extracting(start..<assembled.count)
                guard text.accepts(chunk) else { throw .textNotUTF8 }
            }
            guard assembled.count <= limits.messageLengthMax else {
                throw .messageTooLong(length: assembled.count, limit: limits.messageLengthMax)
            }
        }
        guard status == .done else { throw .compressedDataInvalid }
        message?.text = text
    }

    /// Sees to it that there is memory in `assembled` for the next chunk; returns how many bytes.
    ///
    /// Never for more than one byte over the limit, which is enough to see that it is passed.
    private mutating func makeRoom(for compressedLength: Int) -> Int {
        let ceiling = limits.messageLengthMax + 1
        if assembled.count == assembled.capacity {
            // JSON is often a quarter of its length when compressed. Where that is too little, as
            // much again each time, as arrays grow, but not past the ceiling.
            let expected = min(max(4 * compressedLength, 1 << 10), 1 << 16)
            assembled.reserveCapacity(
                min(assembled.count + max(assembled.count, expected), ceiling)
            )
        }
        return max(0, min(assembled.capacity, ceiling) - assembled.count)
    }

    // MARK: Sending

    /// Appends a data frame, compressed or not.
    func appendData(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        isFinal: Bool,
        to output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) {
        let key = frameKey(maskingKey)
        if let deflate {
            // The first frame decides for its message.
            let deflates =
                opcode == .continuation
                ? deflate.isDeflating : deflate.pays(payload.count, isFinal: isFinal)
            if deflates,
                deflate.appendFrame(opcode, payload, isFinal: isFinal, maskingKey: key, to: &output)
            {
                return
            }
        }
        append(opcode, payload, isFinal: isFinal, maskingKey: key, to: &output)
    }
}
