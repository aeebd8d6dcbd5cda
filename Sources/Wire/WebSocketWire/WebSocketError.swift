/// A peer's violation of the protocol or of a limit. The connection fails with `closeCode`.
package enum WebSocketError: Error, Hashable, Sendable {
    /// RSV1, RSV2 or RSV3 is set where no extension gave it a meaning (RFC 6455 §5.2).
    case reservedBitSet
    /// The opcode is not one of the six that are defined (RFC 6455 §5.2).
    case reservedOpcode(UInt8)
    /// A length that fewer bytes could have encoded (RFC 6455 §5.2).
    case payloadLengthNotMinimal(Int)
    /// A length with its most significant bit set (RFC 6455 §5.2).
    case payloadLengthOverflow
    /// A client sent a frame without a masking key (RFC 6455 §5.1).
    case frameNotMasked
    /// A server sent a frame with a masking key (RFC 6455 §5.1).
    case frameMasked
    /// A control frame without FIN (RFC 6455 §5.5).
    case controlFrameFragmented
    /// A control frame with a payload of more than 125 bytes (RFC 6455 §5.5).
    case controlFrameTooLong
    /// A continuation frame outside a message (RFC 6455 §5.4).
    case continuationWithoutStart
    /// A text or binary frame inside another message (RFC 6455 §5.4).
    case messageInterrupted
    /// A Close frame with a payload of one byte, half a code (RFC 6455 §5.5.1).
    case closeCodeTruncated
    /// A Close frame with a code that may not be sent (RFC 6455 §7.4).
    case closeCodeInvalid(CloseCode)
    /// A close reason that is not UTF-8 (RFC 6455 §5.5.1).
    case closeReasonNotUTF8
    /// A text message that is not UTF-8 (RFC 6455 §8.1).
    case textNotUTF8
    /// A compressed message that is not DEFLATE data, or refers to bytes before the window (RFC
    /// 7692 §7.2.2).
    case compressedDataInvalid
    /// A frame longer than `WebSocketLimits.frameLengthMax`.
    case frameTooLong(length: Int, limit: Int)
    /// A message longer than `WebSocketLimits.messageLengthMax`, as far as it is known.
    case messageTooLong(length: Int, limit: Int)
    /// A message of more frames than `WebSocketLimits.fragmentsPerMessageMax`.
    case tooManyFragments(limit: Int)

    /// The code of the Close frame for the peer (RFC 6455 §7.4.1).
    package var closeCode: CloseCode {
        switch self {
        case .reservedBitSet, .reservedOpcode, .payloadLengthNotMinimal, .payloadLengthOverflow,
            .frameNotMasked, .frameMasked, .controlFrameFragmented, .controlFrameTooLong,
            .continuationWithoutStart, .messageInterrupted, .closeCodeTruncated, .closeCodeInvalid:
            .protocolError
        // 1007 is for data "not consistent with the type of the message"; RFC 7692 names no code,
        // and nothing is wrong with the frames, which is the meaning of 1002.
        case .closeReasonNotUTF8, .textNotUTF8, .compressedDataInvalid:
            .invalidFramePayloadData
        case .frameTooLong, .messageTooLong, .tooManyFragments:
            .messageTooBig
        }
    }
}

extension WebSocketError: CustomStringConvertible {
    /// The error and the value seen; also the reason in the Close frame, so 123 bytes at most.
    package var description: String {
        switch self {
        case .reservedBitSet: "reserved bit set without an extension"
        case .reservedOpcode(let opcode): "opcode \(opcode) is reserved"
        case .payloadLengthNotMinimal(let length): "payload length \(length) not minimally encoded"
        case .payloadLengthOverflow: "payload length over 63 bits"
        case .frameNotMasked: "client frame not masked"
        case .frameMasked: "server frame masked"
        case .controlFrameFragmented: "control frame fragmented"
        case .controlFrameTooLong: "control frame payload over 125 bytes"
        case .continuationWithoutStart: "continuation frame outside a message"
        case .messageInterrupted: "data frame inside another message"
        case .closeCodeTruncated: "close frame payload of 1 byte"
        case .closeCodeInvalid(let code): "close code \(code) may not be sent"
        case .closeReasonNotUTF8: "close reason not utf-8"
        case .textNotUTF8: "text message not utf-8"
        case .compressedDataInvalid: "compressed message invalid"
        case .frameTooLong(let length, let limit): "frame length \(length) over limit \(limit)"
        case .messageTooLong(let length, let limit): "message length \(length) over limit \(limit)"
        case .tooManyFragments(let limit): "message fragments over limit \(limit)"
        }
    }
}

/// A call that the connection does not allow. Nothing was written and nothing changed.
package enum WebSocketSendError: Error, Hashable, Sendable {
    /// We sent a Close frame, or the connection is closed: "The application MUST NOT send any more
    /// data frames after sending a Close frame" (RFC 6455 §5.5.1).
    case connectionNotOpen
    /// A fragmented message is unfinished, and this is not another fragment of it.
    case messageUnfinished
    /// A ping or pong payload of this many bytes, more than 125.
    case controlPayloadTooLong(Int)
    /// The code stands for something that is never sent (`CloseCode.isSendable`).
    case closeCodeNotSendable(CloseCode)
}

extension WebSocketSendError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connectionNotOpen: "connection is not open"
        case .messageUnfinished: "another message is unfinished"
        case .controlPayloadTooLong(let length): "control payload length \(length) over limit 125"
        case .closeCodeNotSendable(let code): "close code \(code) may not be sent"
        }
    }
}
