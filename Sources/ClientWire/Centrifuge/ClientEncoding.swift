/// The encoding of the messages of the Centrifuge client protocol, the same for a whole connection.
///
/// - `json`: text frames; messages are JSON objects, separated by line feeds.
/// - `protobuf`: binary frames; each message follows its length, a varint. The messages:
///   Protobuf/centrifuge.proto.
package enum ClientEncoding: Hashable, Sendable, CaseIterable {
    case json
    case protobuf

    /// The name of the encoding in a WebSocket's opening handshake (RFC 6455 §1.9).
    package var subprotocol: String {
        switch self {
        case .json: "centrifuge-json"
        case .protobuf: "centrifuge-protobuf"
        }
    }

    /// The encoding of a WebSocket that agreed to a subprotocol, or to none. Nil for one of another
    /// protocol.
    package init?(subprotocol: String?) {
        let encoding = subprotocol.map { name in
            ClientEncoding.allCases.first { $0.subprotocol == name }
        }
        guard let encoding = encoding ?? .json else { return nil }
        self = encoding
    }
}

/// One message cut off the front of a frame.
enum CutMessage: Equatable {
    case message(ArraySlice<UInt8>)
    /// Only white space, which is harmless between JSON messages.
    case blank
    /// The rest is not a message: its length is not a varint, or exceeds the frame.
    case broken
}

extension ClientEncoding {
    /// Cuts the next message off `rest`, which is not empty.
    func cutMessage(_ rest: inout ArraySlice<UInt8>) -> CutMessage {
        precondition(!rest.isEmpty)
        switch self {
        case .json:
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            return isBlank(line) ? .blank : .message(line)
        case .protobuf:
            guard let length = takeVarint(&rest), length <= UInt64(rest.count) else {
                rest = rest[rest.endIndex...]
                return .broken
            }
            let message = rest.prefix(Int(length))
            rest = rest[message.endIndex...]
            return .message(message)
        }
    }

    /// Whether there is no message in a frame at all, not even an empty one.
    func hasNoMessage(_ frame: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .json: isBlank(frame)
        case .protobuf: frame.isEmpty
        }
    }

    /// Appends a frame to others, so that its messages are split as they would be in that frame by
    /// itself.
    func append(_ frame: ArraySlice<UInt8>, to frames: inout [UInt8]) {
        switch self {
        case .json:
            if !frames.isEmpty { frames.append(UInt8(ascii: "\n")) }
            frames += frame
        case .protobuf:
            var rest = frame
            while !rest.isEmpty {
                let whole = rest
                guard cutMessage(&rest) == .broken else { continue }
                // The next bytes must not complete the broken message, so it is replaced by a
                // length that stays broken.
                frames += frame[..<whole.startIndex]
                frames += [UInt8](repeating: 0xFF, count: varintLengthMax)
                return
            }
            frames += frame
        }
    }
}

/// Whether a line has only white space of RFC 8259 §2: trailing line feeds are harmless.
private func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
    line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
}

/// Of 64 bits, 7 in a byte.
private let varintLengthMax = 10

/// Removes a varint: 7 bits in each byte, the lowest first, with the top bit set in each byte
/// except the last. Nil if it does not end or does not fit into 64 bits.
private func takeVarint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
        guard let byte = bytes.popFirst() else { return nil }
        let bits = UInt64(byte & 0x7F)
        guard (bits << shift) >> shift == bits else { return nil }
        value |= bits << shift
        if byte & 0x80 == 0 { return value }
    }
    return nil
}

/// Appends a number as a varint.
func appendVarint(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    bytes.append(UInt8(rest))
}
