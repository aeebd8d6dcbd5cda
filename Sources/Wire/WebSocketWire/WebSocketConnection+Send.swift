/// The masking key of a server, which has none: a call that is made is a client's and traps.
package func noMaskingKey() -> UInt32 {
    preconditionFailure("a client has to give a masking key for every frame")
}

extension WebSocketConnection {
    /// Appends a message, or a fragment of one (RFC 6455 §5.4 and §6.1), compressed if that was
    /// agreed to and pays.
    ///
    /// - Parameters:
    ///   - kind: The same for all fragments of a message.
    ///   - payload: Text is sent unchanged; the caller guarantees that it is UTF-8.
    ///   - isFinal: False when more fragments of this message follow. Pings, pongs and the Close
    ///     frame may be sent between them.
    ///   - maskingKey: Called once by a client, see `receive`.
    package mutating func send(
        _ kind: MessageKind,
        _ payload: Span<UInt8>,
        isFinal: Bool = true,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        guard isOpen else { throw .connectionNotOpen }
        guard unfinishedSend == nil || unfinishedSend == kind else { throw .messageUnfinished }
        let opcode = unfinishedSend == nil ? kind.opcode : .continuation
        appendData(opcode, payload, isFinal: isFinal, to: &output, maskingKey)
        unfinishedSend = isFinal ? nil : kind
    }

    /// Appends the message that `receive` returned last, as an echo server does.
    ///
    /// - Parameter input: The input of that call.
    package mutating func sendBack(
        _ kind: MessageKind,
        _ payload: Payload,
        in input: Span<UInt8>,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        switch payload {
        case .input(let range):
            let bytes = input.extracting(range)
            try send(kind, bytes, output: &output, maskingKey: maskingKey)
        case .assembled(let range):
            // Held here as well, because a span of it would hold on to the whole connection.
            let assembled = assembled
            let bytes = assembled.span.extracting(range)
            try send(kind, bytes, output: &output, maskingKey: maskingKey)
        }
    }

    /// Appends a whole text message.
    package mutating func send(
        text: String,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        guard isOpen else { throw .connectionNotOpen }
        guard unfinishedSend == nil else { throw .messageUnfinished }
        try send(.text, text.utf8Span.span, output: &output, maskingKey: maskingKey)
    }

    /// Appends a ping with a payload of 125 bytes at most (RFC 6455 §5.5.2).
    package mutating func sendPing(
        _ payload: Span<UInt8>,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        try sendControl(.ping, payload, &output, maskingKey)
    }

    /// Appends an unsolicited pong, a one-way heartbeat (RFC 6455 §5.5.3). Pings are answered by
    /// `receive`.
    package mutating func sendPong(
        _ payload: Span<UInt8>,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        try sendControl(.pong, payload, &output, maskingKey)
    }

    /// Appends our Close frame and starts the closing handshake (RFC 6455 §7.1.2).
    ///
    /// - Parameters:
    ///   - code: Nil for a Close frame without code and reason.
    ///   - reason: Cut to the 123 bytes that fit, between two scalars.
    package mutating func sendClose(
        _ code: CloseCode?,
        reason: String = "",
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) throws(WebSocketSendError) {
        guard isOpen else { throw .connectionNotOpen }
        if let code, !code.isSendable { throw .closeCodeNotSendable(code) }
        append(CloseFrame(code: code, reason: reason), to: &output, maskingKey)
        closeWasSent()
    }

    private mutating func sendControl(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        _ output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) throws(WebSocketSendError) {
        guard isOpen else { throw .connectionNotOpen }
        guard payload.count <= FrameHeader.controlPayloadLengthMax else {
            throw .controlPayloadTooLong(payload.count)
        }
        append(opcode, payload, to: &output, maskingKey)
    }

    func append(
        _ frame: CloseFrame,
        to output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) {
        append(.connectionClose, frame.payload.span, to: &output, maskingKey)
    }

    /// Appends one frame, masked as the role demands (RFC 6455 §5.1).
    func append(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        isFinal: Bool = true,
        to output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) {
        let key = frameKey(maskingKey)
        append(opcode, payload, isFinal: isFinal, maskingKey: key, to: &output)
    }

    /// The key of the next frame; nil for a server.
    func frameKey(_ maskingKey: () -> UInt32) -> UInt32? {
        switch role {
        case .server: nil
        case .client: maskingKey()
        }
    }

    func append(
        _ opcode: Opcode,
        _ payload: Span<UInt8>,
        isFinal: Bool,
        maskingKey key: UInt32?,
        to output: inout [UInt8]
    ) {
        let header = FrameHeader(
            opcode: opcode,
            isFinal: isFinal,
            maskingKey: key,
            payloadLength: payload.count
        )
        header.append(to: &output)
        let start = output.count
        payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        if let key {
            var bytes = output.mutableSpan
            mask(&bytes, start..<bytes.count, key: key)
        }
    }
}
