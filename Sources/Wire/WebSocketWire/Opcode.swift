/// The meaning of a frame's payload (RFC 6455 §5.2). Every other 4-bit number is reserved.
package enum Opcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case connectionClose = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether the frame is about the connection and not part of a message: "Control frames are
    /// identified by opcodes where the most significant bit of the opcode is 1" (RFC 6455 §5.5).
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The kind of a whole message (RFC 6455 §5.6).
package enum MessageKind: Sendable {
    /// UTF-8; the machine delivers no text message that is anything else.
    case text
    case binary

    /// The opcode of the message's first frame.
    package var opcode: Opcode {
        switch self {
        case .text: .text
        case .binary: .binary
        }
    }
}
