/// The parts of a frame before its payload (RFC 6455 §5.2).
///
/// `decode` refuses headers that no extension and neither role could make valid.
/// `WebSocketConnection` checks the rules that depend on the role, on extensions and on the frames
/// before.
package struct FrameHeader: Hashable, Sendable {
    /// FIN: whether this is the last fragment of its message.
    package var isFinal: Bool
    package var rsv1: Bool
    package var rsv2: Bool
    package var rsv3: Bool
    package var opcode: Opcode
    /// The masking key with its first byte on the wire as the most significant one; nil when the
    /// MASK bit is clear.
    package var maskingKey: UInt32?
    /// In bytes, 63 bits at most.
    package var payloadLength: Int

    package init(
        opcode: Opcode,
        isFinal: Bool = true,
        rsv1: Bool = false,
        rsv2: Bool = false,
        rsv3: Bool = false,
        maskingKey: UInt32? = nil,
        payloadLength: Int
    ) {
        precondition(payloadLength >= 0)
        self.isFinal = isFinal
        self.rsv1 = rsv1
        self.rsv2 = rsv2
        self.rsv3 = rsv3
        self.opcode = opcode
        self.maskingKey = maskingKey
        self.payloadLength = payloadLength
    }

    package var isMasked: Bool { maskingKey != nil }

    package var hasReservedBit: Bool { rsv1 || rsv2 || rsv3 }

    /// "All control frames MUST have a payload length of 125 bytes or less and MUST NOT be
    /// fragmented" (RFC 6455 §5.5).
    package static let controlPayloadLengthMax = 125

    /// Room for the longest header: 2 bytes, a 64-bit length and a masking key.
    typealias Encoded = InlineArray<14, UInt8>

    /// The length of a payload and the number of bytes that encode it.
    enum LengthForm {
        /// The maximum payload length that the second byte of the header itself contains.
        static let inlineMax = 125
        /// In place of a length: the length follows in 16 bits.
        static let marker16: UInt8 = 126
        /// In place of a length: the length follows in 64 bits.
        static let marker64: UInt8 = 127
        static let length16Max = 0xFFFF
    }

    /// The length of a masked header whose second byte contains the payload's length.
    static let shortMaskedLength = 6

    /// The kind of an unfragmented, uncompressed message, by its first byte; nil for any other frame.
    static func kindOfWholeMessage(firstByte: UInt8) -> MessageKind? {
        switch firstByte {
        case Bit.fin | Opcode.text.rawValue: .text
        case Bit.fin | Opcode.binary.rawValue: .binary
        default: nil
        }
    }

    /// The bits of the first two bytes.
    enum Bit {
        static let fin: UInt8 = 0x80
        static let rsv1: UInt8 = 0x40
        static let rsv2: UInt8 = 0x20
        static let rsv3: UInt8 = 0x10
        static let opcode: UInt8 = 0x0F
        static let mask: UInt8 = 0x80
        static let length: UInt8 = 0x7F
    }
}
