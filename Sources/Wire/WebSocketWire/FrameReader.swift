/// Cuts a stream of bytes into frame headers and pieces of payload, wherever the stream is cut.
///
/// The caller reads a header, checks it, calls `beginPayload`, and reads pieces until one is the
/// frame's last. The reader holds no heap memory and is independent of roles and messages.
struct FrameReader: Sendable {
    private enum Position {
        /// Between frames, or inside a header. Left for `payload` by `beginPayload`.
        case header(HeaderStart)
        /// Inside a payload. Left for `header` with the payload's last byte.
        case payload(Frame)
    }

    /// The bytes of a header whose end has not arrived; none between frames.
    private struct HeaderStart {
        var bytes = FrameHeader.Encoded(repeating: 0)
        var count: UInt8 = 0
    }

    private struct Frame {
        var opcode: Opcode
        var isFinal: Bool
        /// The key for the next byte; 0 when the frame is not masked.
        var maskingKey: UInt32
        var length: UInt32
        var remaining: UInt32
    }

    /// Consecutive bytes of one frame's payload, unmasked.
    struct Piece {
        var opcode: Opcode
        /// FIN of the frame.
        var isFinal: Bool
        /// Where the bytes are in the input.
        var range: Range<Int>
        /// The length of the whole payload.
        var frameLength: Int
        /// Whether the payload ends with this piece.
        var isLast: Bool

        var isWholeFrame: Bool { range.count == frameLength }
    }

    private var position = Position.header(HeaderStart())

    /// Whether `readPayload` has to be called next, and not `readHeader`.
    var isInPayload: Bool {
        switch position {
        case .header: false
        case .payload: true
        }
    }

    /// Whether the next byte is the first one of a header.
    var isBetweenFrames: Bool {
        switch position {
        case .header(let start): start.count == 0
        case .payload: false
        }
    }

    /// Bytes of a control frame's payload that were read, where the frame has not ended; 0 elsewhere.
    var unfinishedControlLength: Int {
        guard case .payload(let frame) = position, frame.opcode.isControl else { return 0 }
        return Int(frame.length - frame.remaining)
    }

    /// Reads the next header from `consumed` on and advances it; nil when more bytes are needed,
    /// and then everything is consumed.
    mutating func readHeader(
        _ input: Span<UInt8>,
        consumed: inout Int
    ) throws(WebSocketError) -> FrameHeader? {
        guard case .header(var start) = position else {
            preconditionFailure("the payload of the last frame is unread")
        }
        if start.count == 0 {
            let rest = input.extracting(consumed..<input.count)
            if let (header, length) = try FrameHeader.decode(rest) {
                consumed += length
                return header
            }
        }
        while consumed < input.count {
            start.bytes[Int(start.count)] = input[consumed]
            start.count += 1
            consumed += 1
            let bytes = start.bytes.span.extracting(0..<Int(start.count))
            if let (header, _) = try FrameHeader.decode(bytes) {
                position = .header(HeaderStart())
                return header
            }
        }
        position = .header(start)
        return nil
    }

    /// Continues with the payload of `header`, whose length the caller has checked against its
    /// limit.
    mutating func beginPayload(_ header: FrameHeader) {
        let length = UInt32(header.payloadLength)
        position = .payload(
            Frame(
                opcode: header.opcode,
                isFinal: header.isFinal,
                maskingKey: header.maskingKey ?? 0,
                length: length,
                remaining: length
            )
        )
    }

    /// Unmasks as much of the payload as there is and advances `consumed` past it; nil when there
    /// is nothing. An empty payload is one empty piece.
    mutating func readPayload(
        _ input: inout MutableSpan<UInt8>,
        consumed: inout Int
    ) -> Piece? {
        guard case .payload(var frame) = position else {
            preconditionFailure("the header of the next frame is unread")
        }
        let count = min(Int(frame.remaining), input.count - consumed)
        guard count > 0 || frame.remaining == 0 else { return nil }
        let range = consumed..<consumed + count
        mask(&input, range, key: frame.maskingKey)
        consumed = range.upperBound
        frame.maskingKey = advanced(frame.maskingKey, by: count)
        frame.remaining -= UInt32(count)
        position = frame.remaining == 0 ? .header(HeaderStart()) : .payload(frame)
        return Piece(
            opcode: frame.opcode,
            isFinal: frame.isFinal,
            range: range,
            frameLength: Int(frame.length),
            isLast: frame.remaining == 0
        )
    }
}
