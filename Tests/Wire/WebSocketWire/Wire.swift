import Wire

/// Frames byte by byte, written without the module's own encoder so that the two can disagree.
enum Wire {
    /// The masking key of RFC 6455 §5.7; every client in these tests uses it.
    static let maskingKey: UInt32 = 0x37FA_213D
    static let maskingKeyBytes: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// First bytes of a frame: FIN and the opcode.
    static let text: UInt8 = 0x81
    static let binary: UInt8 = 0x82
    static let close: UInt8 = 0x88
    static let ping: UInt8 = 0x89
    static let pong: UInt8 = 0x8A
    static let continuation: UInt8 = 0x80
    /// The same without FIN.
    static let textStart: UInt8 = 0x01
    static let binaryStart: UInt8 = 0x02
    static let continuationMiddle: UInt8 = 0x00

    /// A frame with the given first byte, masked when a client sends it.
    static func frame(
        _ first: UInt8,
        _ payload: [UInt8] = [],
        from sender: Role
    ) -> [UInt8] {
        header(first, length: payload.count, from: sender) + masked(payload, from: sender)
    }

    static func frame(_ first: UInt8, _ payload: String, from sender: Role) -> [UInt8] {
        frame(first, Array(payload.utf8), from: sender)
    }

    /// The header alone, with the shortest form of the length.
    static func header(_ first: UInt8, length: Int, from sender: Role) -> [UInt8] {
        let isMasked = sender == .client
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        var bytes = [first]
        if length < 126 {
            bytes.append(maskBit | UInt8(length))
        } else if length < 65536 {
            bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        } else {
            bytes.append(maskBit | 127)
            bytes += (0..<8).map { UInt8(length >> (56 - 8 * $0) & 0xFF) }
        }
        return isMasked ? bytes + maskingKeyBytes : bytes
    }

    static func masked(_ payload: [UInt8], from sender: Role) -> [UInt8] {
        guard sender == .client else { return payload }
        return payload.enumerated().map { $1 ^ maskingKeyBytes[$0 % 4] }
    }

    static func close(
        _ code: UInt16,
        _ reason: String = "",
        from sender: Role
    ) -> [UInt8] {
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
        return frame(close, payload, from: sender)
    }

    /// The Close frame of an end that fails the connection for `error`.
    static func close(for error: WebSocketError, from sender: Role) -> [UInt8] {
        close(error.closeCode.rawValue, error.description, from: sender)
    }
}

extension Role {
    static let both: [Role] = [.server, .client]

    var peer: Role {
        switch self {
        case .server: .client
        case .client: .server
        }
    }
}

extension WebSocketConnection {
    /// Sends bytes, as a client with the key of these tests.
    mutating func send(
        _ kind: MessageKind,
        _ bytes: [UInt8],
        isFinal: Bool = true,
        output: inout [UInt8]
    ) throws(WebSocketSendError) {
        try send(kind, bytes.span, isFinal: isFinal, output: &output) { Wire.maskingKey }
    }

    /// `sendClose` with that key.
    mutating func startClosing(
        _ code: CloseCode? = .normalClosure,
        reason: String = "",
        output: inout [UInt8]
    ) throws(WebSocketSendError) {
        try sendClose(code, reason: reason, output: &output) { Wire.maskingKey }
    }
}
