/// The limits on the memory and work that a peer can cause (RFC 6455 §10.4).
///
/// Held by every connection, so the numbers are stored in 32 bits each.
package struct WebSocketLimits: Hashable, Sendable {
    private let storedMessageLengthMax: UInt32
    private let storedFrameLengthMax: UInt32
    private let storedFragmentsPerMessageMax: UInt32

    /// The most payload bytes of one message, all its fragments together; of a compressed message
    /// inflated.
    package var messageLengthMax: Int { Int(storedMessageLengthMax) }
    /// The most payload bytes of one data frame as it is sent, so of a compressed message
    /// compressed; a control frame has 125 at most in any case.
    package var frameLengthMax: Int { Int(storedFrameLengthMax) }
    /// The same for a frame of a compressed message: incompressible data get longer, by five bytes
    /// for each block, and zlib's smallest blocks are 128 bytes long.
    package var compressedFrameLengthMax: Int { frameLengthMax + frameLengthMax / 16 + 64 }
    /// The most frames of one message. Without it, empty fragments could keep a message open
    /// indefinitely.
    package var fragmentsPerMessageMax: Int { Int(storedFragmentsPerMessageMax) }

    /// The maximum possible length of a message here; its counter has 32 bits.
    package static let messageLengthCeiling = 1 << 30

    /// These limits with messages, and so their frames, of at most `length` bytes.
    package func capped(messageLength length: Int) -> WebSocketLimits {
        WebSocketLimits(
            messageLengthMax: min(messageLengthMax, length),
            frameLengthMax: min(frameLengthMax, length),
            fragmentsPerMessageMax: fragmentsPerMessageMax
        )
    }

    /// - Parameters:
    ///   - messageLengthMax: In bytes; 1 MiB by default.
    ///   - frameLengthMax: In bytes; nil for the limit of a message.
    ///   - fragmentsPerMessageMax: 65,536 allows a message of 4 MiB in fragments of 64 bytes.
    package init(
        messageLengthMax: Int = 1 << 20,
        frameLengthMax: Int? = nil,
        fragmentsPerMessageMax: Int = 1 << 16
    ) {
        let frameLengthMax = frameLengthMax ?? messageLengthMax
        precondition((1...Self.messageLengthCeiling).contains(messageLengthMax))
        precondition((1...messageLengthMax).contains(frameLengthMax))
        precondition((1...Int(UInt32.max)).contains(fragmentsPerMessageMax))
        storedMessageLengthMax = UInt32(messageLengthMax)
        storedFrameLengthMax = UInt32(frameLengthMax)
        storedFragmentsPerMessageMax = UInt32(fragmentsPerMessageMax)
    }
}
