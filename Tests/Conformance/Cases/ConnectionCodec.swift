import Wire

/// A `WebSocketConnection` that says what a case tells it to.
///
/// What is legal goes through the connection. What it refuses to say is written raw: an end that
/// never offends can still be talked into a case that does.
package struct ConnectionCodec: WireCodec, ~Copyable {
    private var connection: WebSocketConnection
    private var raw: RawCodec
    private var keys = MaskingKeys()

    /// - Parameter deflate: What the opening handshake agreed on.
    package init(role: Role, limits: WebSocketLimits, deflate: DeflateParameters? = nil) {
        connection = WebSocketConnection(
            role: role,
            limits: limits,
            deflate: deflate,
            pool: DeflatePool(settings: .everyMessage)
        )
        raw = RawCodec(role: role)
    }

    // MARK: Saying

    package mutating func say(_ frame: Frame, output: inout [UInt8]) {
        if !saysLegally(frame, output: &output) { raw.say(frame, output: &output) }
    }

    package mutating func sayRest(_ bytes: [UInt8], output: inout [UInt8]) {
        raw.sayRest(bytes, output: &output)
    }

    /// Says the frame through the connection; false if it has no way to say it.
    private mutating func saysLegally(_ frame: Frame, output: inout [UInt8]) -> Bool {
        guard frame.reservedBits == 0, frame.withheld == 0 else { return false }
        do throws(WebSocketSendError) {
            switch frame.opcode {
            case Frame.textOpcode, Frame.binaryOpcode:
                guard sending == nil else { return false }
                try send(frame, frame.opcode == Frame.textOpcode ? .text : .binary, &output)
            case Frame.continuationOpcode:
                guard let sending else { return false }
                try send(frame, sending, &output)
            case Frame.pingOpcode where frame.isFinal:
                try connection.sendPing(frame.payload.span, output: &output) { keys.next() }
            case Frame.pongOpcode where frame.isFinal:
                try connection.sendPong(frame.payload.span, output: &output) { keys.next() }
            case Frame.closeOpcode where frame.isFinal:
                return try saysClose(frame.payload, &output)
            default: return false
            }
            return true
        } catch {
            return false
        }
    }

    /// The kind of the message under way.
    private var sending: MessageKind?

    private mutating func send(
        _ frame: Frame,
        _ kind: MessageKind,
        _ output: inout [UInt8]
    ) throws(WebSocketSendError) {
        try connection.send(
            kind,
            frame.payload.span,
            isFinal: frame.isFinal,
            output: &output
        ) { keys.next() }
        sending = frame.isFinal ? nil : kind
    }

    private mutating func saysClose(
        _ payload: [UInt8],
        _ output: inout [UInt8]
    ) throws(WebSocketSendError) -> Bool {
        guard payload.count != 1, payload.count <= 125 else { return false }
        guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
            return false
        }
        let code: CloseCode? =
            payload.isEmpty
            ? nil : CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        try connection.sendClose(code, reason: reason, output: &output) { keys.next() }
        return true
    }

    // MARK: Hearing

    package mutating func hear(_ bytes: [UInt8], output: inout [UInt8]) -> [Heard] {
        var bytes = bytes
        var input = bytes.mutableSpan
        var consumed = 0
        var heard: [Heard] = []
        while let event = connection.receive(
            &input,
            consumed: &consumed,
            output: &output,
            maskingKey: { keys.next() }
        ) {
            switch event {
            case .message(let kind, let payload):
                let bytes = connection.bytes(of: payload, in: input.span)
                heard.append(.answer(kind == .text ? .text(bytes) : .binary(bytes)))
            case .ping: heard.append(.ping)
            case .pong(let payload):
                heard.append(.answer(.pong(connection.bytes(of: payload, in: input.span))))
            case .closed(let code, _):
                heard.append(.close(code == .noStatusReceived ? nil : code.rawValue))
            case .failed(let error): heard.append(.offence("\(error)"))
            }
        }
        return heard
    }
}

/// Masking keys that are different for each frame and the same in each run.
struct MaskingKeys {
    private var state: UInt32 = 0

    mutating func next() -> UInt32 {
        // Steps by an odd number come to every key, none of them twice.
        state &+= 0x9E37_79B9
        return state
    }
}
