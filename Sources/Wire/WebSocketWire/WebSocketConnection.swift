// WebSocketWire: RFC 6455 from the opening to the closing handshake and RFC 7692 (compression), both
// roles, bytes to values and back, without I/O. Start here; then FrameReader, FrameHeader,
// ServerHandshake and MessageDeflate.

/// One end of a WebSocket connection after the opening handshake: bytes in, events and bytes out.
///
/// The states are those of `State`. The inputs are `receive` and `endOfStream` for the peer's
/// actions, and the `send` family (WebSocketConnection+Send.swift) for ours.
///
/// After each call the caller
/// 1. sends what was appended to `output`, in order with everything else it sends;
/// 2. acts on the event, while the payload's bytes are still there;
/// 3. calls `receive` again with the same input, until it returns nil; that last call also gives
///    back the memory of the last message, so that an idle connection holds none;
/// 4. closes the TCP connection when `shouldCloseTransport` is true and the output is sent. A
///    client whose connection is `closed` waits for the server to do it, for a limited time.
///
/// It has no deadline for pongs or for the peer's Close frame, no keep-alive pings and no queue. It
/// supports one extension, permessage-deflate (RFC 7692), if the opening handshake has agreed to
/// it: see WebSocketConnection+Deflate.swift and `MessageDeflate`.
///
/// The states are an ordinary enum and not a consumed one: they hold no resources, and the frame
/// and the message within a state change with every piece of input.
///
/// RFC 6455 §5 (frames and messages), §6 (sending and receiving), §7 (closing), §8 (errors);
/// RFC 7692 §6 and §7.2.
package struct WebSocketConnection: ~Copyable {
    package enum State: Sendable {
        /// Messages go both ways.
        /// - To `closing` by `sendClose`, to `closed` by the peer's Close frame, to `failed` by a
        ///   peer's error or the end of the stream.
        case open
        /// Our Close frame is sent and the peer's awaited; its messages are read and dropped.
        /// - To `closed` by the peer's Close frame, to `failed` by a peer's error or the end of
        ///   the stream.
        case closing
        /// Both Close frames are sent; whatever the peer sends is dropped. Final.
        case closed
        /// The peer broke the protocol, or its stream ended without a Close frame; whatever it
        /// sends is dropped. Final.
        case failed
    }

    /// A message whose first frame has begun and whose last one has not ended.
    /// The fields are in the order that packs them into 8 bytes.
    struct IncomingMessage {
        var fragmentCount: UInt32
        let kind: MessageKind
        var text = UTF8Validator()
    }

    package let role: Role
    package private(set) var state = State.open
    /// The kind of our message whose last fragment is not sent; nil between messages.
    var unfinishedSend: MessageKind?
    /// The limits of the peer's messages and frames. New limits apply from then on: data accepted
    /// before a smaller limit stay, and grow no further.
    package var limits: WebSocketLimits
    private var reader = FrameReader()
    /// Nil between messages.
    var message: IncomingMessage?
    /// The bytes at the end of `assembled` that the last event pointed to.
    private var lentLength: UInt32 = 0
    /// The bytes of messages and control frames that came in pieces; see `Payload.assembled`.
    ///
    /// A control frame in the middle of a message is collected behind the message's bytes. A
    /// compressed message is inflated to here.
    package internal(set) var assembled: [UInt8] = []
    /// Nil without permessage-deflate.
    let deflate: MessageDeflate?

    /// A connection without extensions.
    package init(role: Role, limits: WebSocketLimits = WebSocketLimits()) {
        self.role = role
        self.limits = limits
        deflate = nil
    }

    /// A connection whose opening handshake is done.
    ///
    /// - Parameters:
    ///   - parameters: The agreement of the handshake; nil for no compression.
    ///   - pool: The pool of the connection's loop.
    package init(
        role: Role,
        limits: WebSocketLimits = WebSocketLimits(),
        deflate parameters: DeflateParameters?,
        pool: DeflatePool
    ) {
        self.role = role
        self.limits = limits
        deflate = parameters.map { MessageDeflate(role: role, parameters: $0, pool: pool) }
    }

    /// Whether messages can be sent.
    package var isOpen: Bool { state == .open }

    /// Whether our Close frame waits for the peer's.
    package var isClosing: Bool { state == .closing }

    /// Whether nothing is received or sent any more.
    package var isClosed: Bool { state == .closed || state == .failed }

    /// Whether we must close the TCP connection after the output is sent.
    ///
    /// "The underlying TCP connection, in most normal cases, SHOULD be closed first by the server"
    /// (RFC 6455 §7.1.1), so that it holds the TIME_WAIT state and not the client. After a failure
    /// either end closes it at once.
    package var shouldCloseTransport: Bool {
        switch state {
        case .open, .closing: false
        case .closed: role == .server
        case .failed: true
        }
    }

    /// The bytes of an event of the last `receive`, copied.
    ///
    /// - Parameter input: The input of that call.
    package func bytes(of payload: Payload, in input: Span<UInt8>) -> [UInt8] {
        switch payload {
        case .input(let range): input.extracting(range).withUnsafeBufferPointer(Array.init)
        case .assembled(let range): Array(assembled[range])
        }
    }

    /// Whether a message of the peer has begun and not ended.
    package var isMidMessage: Bool { isOpen && message != nil }

    /// Whether the next byte of the peer may be part of a compressed message. If it is not, no byte up to the next
    /// event is.
    package func mayInflate(_ next: UInt8) -> Bool {
        guard let deflate else { return false }
        if deflate.isInflating { return true }
        guard !reader.isInPayload else { return false }
        return !reader.isBetweenFrames || next & FrameHeader.Bit.rsv1 != 0
    }

    /// The heap memory that unfinished input holds, in bytes: collected pieces, inflated, and the
    /// decompressor of a message that is under way. 0 between messages.
    package var heldInputBytes: Int {
        assembled.capacity + (deflate?.inflatingBytes ?? 0)
    }

    // MARK: Inputs

    /// Reads `input` from `consumed` on up to the next event; nil when all of it is consumed.
    ///
    /// - Parameters:
    ///   - input: The bytes from the peer. Payloads are unmasked in place, so pass each byte only
    ///     once.
    ///   - consumed: Advanced past the bytes read.
    ///   - output: Gets the bytes of the answers: a pong, a Close frame.
    ///   - maskingKey: A random number for each frame that a client answers with. RFC 6455 §5.3:
    ///     "The masking key needs to be unpredictable". A server needs none.
    package mutating func receive(
        _ input: inout MutableSpan<UInt8>,
        consumed: inout Int,
        output: inout [UInt8],
        maskingKey: () -> UInt32 = noMaskingKey
    ) -> WebSocketEvent? {
        precondition(consumed >= 0)
        precondition(consumed <= input.count)
        takeBackLentBytes()
        do throws(WebSocketError) {
            while !isClosed {
                if consumed == input.count, reader.isBetweenFrames { return nil }
                if let event = try shortMessage(&input, consumed: &consumed) { return event }
                if !reader.isInPayload {
                    guard let header = try reader.readHeader(input.span, consumed: &consumed)
                    else { return nil }
                    try check(header)
                    reader.beginPayload(header)
                }
                guard let piece = reader.readPayload(&input, consumed: &consumed) else {
                    return nil
                }
                let event =
                    piece.opcode.isControl
                    ? try acceptControl(piece, input.span, &output, maskingKey)
                    : try acceptData(piece, input.span)
                if let event { return event }
            }
        } catch {
            return fail(error, &output, maskingKey)
        }
        // "after receiving a control frame indicating the connection should be closed, a peer
        // discards any further data received" (RFC 6455 §1.4).
        consumed = input.count
        return nil
    }

    /// The message at `consumed`, if it is of the commonest kind: short, uncompressed, one masked frame
    /// that is all there. Everything else, and whatever is wrong, is left to the long way, which answers
    /// the same for these messages and takes longer.
    private mutating func shortMessage(
        _ input: inout MutableSpan<UInt8>,
        consumed: inout Int
    ) throws(WebSocketError) -> WebSocketEvent? {
        let start = consumed
        guard role == .server, state == .open, message == nil, reader.isBetweenFrames,
            input.count - start >= FrameHeader.shortMaskedLength,
            let kind = FrameHeader.kindOfWholeMessage(firstByte: input[start])
        else { return nil }
        let lengthField = input[start + 1]
        let length = Int(lengthField & FrameHeader.Bit.length)
        let first = start + FrameHeader.shortMaskedLength
        let range = first..<first + length
        guard lengthField & FrameHeader.Bit.mask != 0, length <= FrameHeader.LengthForm.inlineMax,
            range.upperBound <= input.count,
            length <= min(limits.frameLengthMax, limits.messageLengthMax)
        else { return nil }
        var key: UInt32 = 0
        for index in (start + 2)..<range.lowerBound { key = key << 8 | UInt32(input[index]) }
        mask(&input, range, key: key)
        consumed = range.upperBound
        if kind == .text, !isUTF8(input.span.extracting(range)) { throw .textNotUTF8 }
        return .message(kind, .input(range))
    }

    /// The peer's stream has ended. Returns an abnormal closure, unless the connection is closed.
    package mutating func endOfStream() -> WebSocketEvent? {
        switch state {
        case .open, .closing:
            end(.failed)
            return .closed(.abnormalClosure, reason: "")
        case .closed, .failed:
            return nil
        }
    }

    /// Our Close frame is in the output. The caller has checked that the connection is open.
    mutating func closeWasSent() {
        precondition(state == .open)
        state = .closing
        // The rest of a message under way is not needed.
        deflate?.endInflating()
        dropCollected()
    }

    // MARK: Payloads

    /// Takes a piece of a message; returns the message with its last piece.
    private mutating func acceptData(
        _ piece: FrameReader.Piece,
        _ input: Span<UInt8>
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard let kind = message?.kind else { preconditionFailure("data outside a message") }
        let endsMessage = piece.isLast && piece.isFinal
        guard isOpen else {
            // The bytes collected before our Close frame are not delivered.
            assembled = []
            if endsMessage { message = nil }
            return nil
        }
        if deflate?.isInflating == true {
            return try acceptDeflated(
                input.extracting(piece.range),
                kind,
                endsMessage: endsMessage
            )
        }
        if kind == .text {
            try checkText(input.extracting(piece.range), isLast: endsMessage)
        }
        if endsMessage {
            message = nil
            // An opcode of its own: the first frame. Whole: nothing was collected before.
            if piece.isWholeFrame && piece.opcode != .continuation {
                return .message(kind, .input(piece.range))
            }
        }
        collect(piece.range, input)
        return endsMessage ? .message(kind, lend(assembled.count)) : nil
    }

    /// RFC 6455 §8.1. Told at the first bad byte and not at the end of the message, which could be
    /// a mebibyte away.
    private mutating func checkText(
        _ bytes: Span<UInt8>,
        isLast: Bool
    ) throws(WebSocketError) {
        guard message?.text.accepts(bytes) == true else { throw .textNotUTF8 }
        guard !isLast || message?.text.isComplete == true else { throw .textNotUTF8 }
    }

    /// Takes a piece of a control frame; acts on the frame with its last piece (RFC 6455 §5.5).
    private mutating func acceptControl(
        _ piece: FrameReader.Piece,
        _ input: Span<UInt8>,
        _ output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) throws(WebSocketError) -> WebSocketEvent? {
        if !piece.isWholeFrame { collect(piece.range, input) }
        guard piece.isLast else { return nil }
        let payload: Payload =
            piece.isWholeFrame ? .input(piece.range) : lend(piece.frameLength)
        switch piece.opcode {
        case .connectionClose:
            return try acceptClose(payload, input, &output, maskingKey)
        case .ping, .pong:
            // "After sending a control frame indicating the connection should be closed, a peer
            // does not send any further data" (RFC 6455 §1.4). §5.5.2 asks for a pong until the
            // peer's Close frame arrives; the peer would drop it, or take it for an error.
            guard isOpen else {
                takeBackLentBytes()
                return nil
            }
            guard piece.opcode == .ping else { return .pong(payload) }
            switch payload {
            case .input(let range):
                append(.pong, input.extracting(range), to: &output, maskingKey)
            case .assembled(let range):
                append(.pong, assembled.span.extracting(range), to: &output, maskingKey)
            }
            return .ping(payload)
        case .continuation, .text, .binary:
            preconditionFailure("a data frame is not a control frame")
        }
    }

    /// "If an endpoint receives a Close frame and did not previously send a Close frame, the
    /// endpoint MUST send a Close frame in response." (RFC 6455 §5.5.1)
    private mutating func acceptClose(
        _ payload: Payload,
        _ input: Span<UInt8>,
        _ output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) throws(WebSocketError) -> WebSocketEvent {
        let frame =
            switch payload {
            case .input(let range): try CloseFrame(payload: input.extracting(range))
            case .assembled(let range): try CloseFrame(payload: assembled.span.extracting(range))
            }
        if isOpen { append(CloseFrame(code: frame.code), to: &output, maskingKey) }
        end(.closed)
        return .closed(frame.code ?? .noStatusReceived, reason: frame.reason)
    }

    // MARK: Ends

    /// "An endpoint MUST NOT continue to attempt to process data (including a responding Close
    /// frame) from the remote endpoint after being instructed to _Fail the WebSocket Connection_"
    /// (RFC 6455 §7.1.7).
    private mutating func fail(
        _ error: WebSocketError,
        _ output: inout [UInt8],
        _ maskingKey: () -> UInt32
    ) -> WebSocketEvent {
        if isOpen {
            let frame = CloseFrame(code: error.closeCode, reason: error.description)
            append(frame, to: &output, maskingKey)
        }
        end(.failed)
        return .failed(error)
    }

    private mutating func end(_ final: State) {
        state = final
        message = nil
        lentLength = 0
        assembled = []
        deflate?.end()
    }

    // MARK: Assembled bytes

    private mutating func collect(_ range: Range<Int>, _ input: Span<UInt8>) {
        input.extracting(range).withUnsafeBufferPointer { assembled.append(contentsOf: $0) }
    }

    /// Lets the caller see the last `length` bytes until the next call of `receive`.
    mutating func lend(_ length: Int) -> Payload {
        lentLength = UInt32(length)
        return .assembled(assembled.count - length..<assembled.count)
    }

    private mutating func takeBackLentBytes() {
        guard lentLength > 0 else { return }
        assembled.removeLast(Int(lentLength))
        lentLength = 0
        // Without this an idle connection would hold the memory of its longest message.
        if assembled.isEmpty { assembled = [] }
        // Postponed until now by lent bytes, or by a control frame in the middle of a message.
        if !isOpen { dropCollected() }
    }

    /// Discards the collected part of a message that will not be delivered. A control frame under
    /// way is kept, and so is the payload of the last event.
    private mutating func dropCollected() {
        guard lentLength == 0 else { return }
        assembled = Array(assembled.suffix(reader.unfinishedControlLength))
    }
}
