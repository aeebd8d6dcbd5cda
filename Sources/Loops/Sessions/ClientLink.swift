import ClientWire
import Reactor
import Wire

/// The input of a client's machine.
enum ClientFrame {
    case message(MessageKind, length: Int, [UInt8])
    case ping
    case pong
    case closed
    case failed(WebSocketError)
}

/// A response whose body carries the hub's messages. Its client sends commands in other requests.
struct ClientStream {
    let framing: ClientStreamFraming
    /// False after the last message is sent. Final.
    private(set) var isOpen = true

    init(_ framing: ClientStreamFraming) { self.framing = framing }

    mutating func send(_ message: [UInt8], output: inout [UInt8]) {
        if isOpen { framing.append(message, to: &output) }
    }

    /// - Parameter code: the code that the client receives; nil for none.
    mutating func end(_ code: DisconnectCode?, output: inout [UInt8]) {
        if let code { send(CentrifugePush.disconnect(code, encoding: .json), output: &output) }
        isOpen = false
    }
}

/// The carrier of a client's messages: a WebSocket, or a stream.
///
/// A stream has no frames and no closing handshake. Its last message has the code, and then the
/// connection is closed.
struct ClientLink: ~Copyable {
    // Exactly one of them is set. An enum would move the WebSocket out and back at each call.
    private var webSocket: ServedWebSocket?
    private var stream: ClientStream?

    init(_ connection: consuming WebSocketConnection) {
        webSocket = ServedWebSocket(connection)
    }

    init(_ framing: ClientStreamFraming) {
        webSocket = nil
        stream = ClientStream(framing)
    }

    // MARK: State

    var isOpen: Bool {
        switch webSocket {
        case .some(let webSocket): webSocket.isOpen
        case .none: stream?.isOpen ?? false
        }
    }

    var heldInputBytes: Int {
        switch webSocket {
        case .some(let webSocket): webSocket.heldInputBytes
        case .none: 0
        }
    }

    var isMidMessage: Bool {
        switch webSocket {
        case .some(let webSocket): webSocket.isMidMessage
        case .none: false
        }
    }

    func mayInflate(_ next: UInt8) -> Bool {
        switch webSocket {
        case .some(let webSocket): webSocket.connection.mayInflate(next)
        case .none: false
        }
    }

    func hasLimits(_ limits: WebSocketLimits) -> Bool {
        switch webSocket {
        case .some(let webSocket): webSocket.connection.limits == limits
        case .none: true
        }
    }

    mutating func setLimits(_ limits: WebSocketLimits) { webSocket?.connection.limits = limits }

    mutating func progress(
        now: MonotonicInstant,
        _ policy: WebSocketPolicy
    ) -> ServedWebSocket.Progress {
        webSocket?.progress(now: now, policy) ?? (isOpen ? .open : .closed)
    }

    // MARK: The peer

    /// Reads up to the next frame. The input of a stream is the commands of one request.
    mutating func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        compressedPieceMax: Int,
        _ step: inout ClientStep,
        output: inout [UInt8]
    ) -> ClientFrame? {
        guard stream == nil else {
            step.consumed = bytes.count
            return bytes.isEmpty ? nil : .message(.text, length: bytes.count, Array(bytes))
        }
        return webSocket?.receive(bytes, compressedPieceMax, &step, output: &output) ?? nil
    }

    mutating func receiveEndOfStream() { _ = webSocket?.connection.endOfStream() }

    mutating func refusesControlFrames(
        now: MonotonicInstant,
        _ policy: WebSocketPolicy,
        output: inout [UInt8]
    ) -> Bool {
        webSocket?.refusesControlFrames(now: now, policy, output: &output) ?? false
    }

    // MARK: Messages of the hub

    mutating func send(_ kind: MessageKind, _ message: [UInt8], output: inout [UInt8]) {
        webSocket?.send(kind, message, output: &output)
        stream?.send(message, output: &output)
    }

    mutating func ping(output: inout [UInt8]) { webSocket?.ping(output: &output) }

    // MARK: The end

    /// Ends with a code of the client protocol.
    mutating func end(_ code: DisconnectCode, output: inout [UInt8]) {
        webSocket?.close(CloseCode(rawValue: code.code), code.reason, output: &output)
        stream?.end(code, output: &output)
    }

    /// Ends with a code of RFC 6455 §7.4.1. A stream cannot send that code.
    mutating func fail(_ code: CloseCode, _ reason: String, output: inout [UInt8]) {
        webSocket?.close(code, reason, output: &output)
        stream?.end(nil, output: &output)
    }
}

extension ServedWebSocket {
    fileprivate mutating func receive(
        _ bytes: UnsafeMutableBufferPointer<UInt8>,
        _ compressedPieceMax: Int,
        _ step: inout ClientStep,
        output: inout [UInt8]
    ) -> ClientFrame? {
        var piece = bytes
        if let first = bytes.first, connection.mayInflate(first) {
            step.isCompressed = true
            piece = UnsafeMutableBufferPointer(rebasing: bytes.prefix(compressedPieceMax))
        }
        let inflated = connection.inflatedLength ?? 0
        var input = piece.mutableSpan
        let event = connection.receive(&input, consumed: &step.consumed, output: &output)
        switch event {
        case .message(let kind, let payload):
            let length = payload.length
            if step.isCompressed { step.inflated = length - inflated }
            let bytes = connection.bytes(of: payload, in: input.span)
            return .message(kind, length: length, bytes)
        case .ping: return .ping
        case .pong: return .pong
        case .closed: return .closed
        case .failed(let error): return .failed(error)
        case nil:
            let length = connection.inflatedLength ?? inflated
            if step.isCompressed { step.inflated = length - inflated }
            return nil
        }
    }
}
