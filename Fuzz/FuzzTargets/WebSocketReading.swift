import FuzzKit
import Wire

/// An event together with its bytes.
enum WebSocketTold: Equatable {
    case message(MessageKind, [UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case closed(CloseCode, reason: String)
    case failed(WebSocketError)

    var isEnd: Bool {
        switch self {
        case .closed, .failed: true
        case .message, .ping, .pong: false
        }
    }
}

/// What a connection made of a stream, and what it answered.
struct WebSocketReading: Equatable {
    var told: [WebSocketTold] = []
    var output: [UInt8] = []

    /// Gives `connection` one input as a shell does, until it returns nil, and holds what it tells
    /// and keeps against the limits.
    mutating func receive(
        _ input: [UInt8],
        by connection: inout WebSocketConnection,
        limits: WebSocketLimits
    ) throws(Violation) {
        var input = input
        let count = input.count
        var span = input.mutableSpan
        var consumed = 0
        while let event = connection.receive(
            &span,
            consumed: &consumed,
            output: &output,
            maskingKey: { fuzzMaskingKey }
        ) {
            let entry: WebSocketTold =
                switch event {
                case .message(let kind, let payload):
                    .message(kind, connection.bytes(of: payload, in: span.span))
                case .ping(let payload): .ping(connection.bytes(of: payload, in: span.span))
                case .pong(let payload): .pong(connection.bytes(of: payload, in: span.span))
                case .closed(let code, let reason): .closed(code, reason: reason)
                case .failed(let error): .failed(error)
                }
            try check(entry, limits: limits)
            told.append(entry)
        }
        try expect(consumed == count, "nil at \(consumed) of \(count)")
        // A control frame is collected behind the message that it interrupts.
        let heldMax = limits.messageLengthMax + 125
        try expect(
            connection.assembled.count <= heldMax,
            "\(connection.assembled.count) bytes held"
        )
    }

    private func check(_ entry: WebSocketTold, limits: WebSocketLimits) throws(Violation) {
        try expect(told.last?.isEnd != true, "\(entry) after the end")
        switch entry {
        case .message(let kind, let bytes):
            try expect(bytes.count <= limits.messageLengthMax, "message of \(bytes.count) bytes")
            let isText = String(validating: bytes, as: UTF8.self) != nil
            try expect(kind == .binary || isText, "text that is not UTF-8")
        case .ping(let bytes), .pong(let bytes):
            try expect(bytes.count <= 125, "control frame of \(bytes.count) bytes")
        case .closed(let code, let reason):
            try expect(code.isSendable || code == .noStatusReceived, "close code \(code)")
            try expect(reason.utf8.count <= 123, "close reason of \(reason.utf8.count) bytes")
        case .failed(let error):
            let codes: [CloseCode] = [.protocolError, .invalidFramePayloadData, .messageTooBig]
            try expect(codes.contains(error.closeCode), "close code \(error.closeCode)")
            try checkDescription(error.description)
        }
    }
}

/// Every client here uses the one key: an input has to do the same each time.
let fuzzMaskingKey: UInt32 = 0x37FA_213D

extension Role {
    var peer: Role {
        switch self {
        case .server: .client
        case .client: .server
        }
    }
}
