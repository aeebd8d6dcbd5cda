/// The masking key of a server, which has none: a call that is made is a client's and traps.
package func noMaskingKey() -> UInt32 {
    preconditionFailure("a client has to give a masking key for every frame")
}

extension WebSocketConnection {
    /// Appends a message, or a fragment of one (RFC 6455 §5.4 and §6.1).
    ///
    /// - Parameters:
    ///   - kind: The same for all fragments of a message.
    ///   - payload: Text is sent as it is; that it is UTF-8 is the caller's promise.
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
        // An extension that transforms messages deflates the payload here and sets RSV1.
        let opcode = unfinishedSend == nil ? kind.opcode : .continuation
        append(opcode, payload, isFinal: isFinal, to: &output, maskingKey)
        unfinishedSend = isFinal ? nil : kind
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

    /// Appends a pong that nobody asked for, a one-way heartbeat (RFC 6455 §5.5.3). Pings are
    /// answered by `receive`.
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
        let key: UInt32? =
            switch role {
            case .server: nil
            case .client: maskingKey()
            }
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
