import Wire

/// Frames written and read byte by byte, after RFC 6455 §5.2 and without the module under test.
package struct RawCodec: WireCodec, Sendable {
    /// Which end this is: a client masks, and hears frames that are not masked.
    private let role: Role
    /// Which byte of the masking key applies next, for payloads said in parts.
    private var maskOffset = 0
    private var unread: [UInt8] = []
    /// The message whose last fragment has not come.
    private var message: (opcode: UInt8, payload: [UInt8])?

    /// Any key does, as its four bytes are different ones.
    private static let maskingKey: [UInt8] = [0x9A, 0x1F, 0x63, 0xC4]

    package init(role: Role) {
        self.role = role
    }

    // MARK: Saying

    package mutating func say(_ frame: Frame, output: inout [UInt8]) {
        let length = frame.payload.count + frame.withheld
        let maskBit: UInt8 = role == .client ? 0x80 : 0
        output.append((frame.isFinal ? 0x80 : 0) | frame.reservedBits << 4 | frame.opcode)
        switch length {
        case ..<126:
            output.append(maskBit | UInt8(length))
        case ..<65536:
            output.append(maskBit | 126)
            appendNumber(length, byteCount: 2, to: &output)
        default:
            output.append(maskBit | 127)
            appendNumber(length, byteCount: 8, to: &output)
        }
        if role == .client { output += Self.maskingKey }
        maskOffset = 0
        sayRest(frame.payload, output: &output)
    }

    package mutating func sayRest(_ bytes: [UInt8], output: inout [UInt8]) {
        let start = output.count
        output += bytes
        guard role == .client else { return }
        let offset = maskOffset
        maskOffset += bytes.count
        // Through a pointer, for the sake of builds that optimise nothing.
        output.withUnsafeMutableBytes { buffer in
            let payload = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
            var word: UInt64 = 0
            for index in 0..<8 {
                let byte = Self.maskingKey[(offset + index) & 3]
                word |= UInt64(byte) << UInt64(8 * index)
            }
            var index = 0
            while index + 8 <= payload.count {
                let chunk = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                payload.storeBytes(
                    of: chunk ^ UInt64(littleEndian: word),
                    toByteOffset: index,
                    as: UInt64.self
                )
                index += 8
            }
            while index < payload.count {
                payload[index] ^= Self.maskingKey[(offset + index) & 3]
                index += 1
            }
        }
    }

    private func appendNumber(_ number: Int, byteCount: Int, to output: inout [UInt8]) {
        for index in 0..<byteCount {
            output.append(UInt8(truncatingIfNeeded: number >> (8 * (byteCount - 1 - index))))
        }
    }

    // MARK: Hearing

    package mutating func hear(_ bytes: [UInt8], output: inout [UInt8]) -> [Heard] {
        unread += bytes
        var heard: [Heard] = []
        var start = 0
        while let (frame, end) = nextFrame(at: start) {
            start = end
            if let event = read(frame) { heard.append(event) }
        }
        unread.removeFirst(start)
        return heard
    }

    private struct ReadFrame {
        var opcode: UInt8
        var isFinal: Bool
        var payload: [UInt8]
        var offence: String?
    }

    /// The frame at `start` and where it ends; nil when it is not all there.
    private func nextFrame(at start: Int) -> (ReadFrame, Int)? {
        guard unread.count >= start + 2 else { return nil }
        let (first, second) = (unread[start], unread[start + 1])
        let lengthSize = [126: 2, 127: 8][second & 0x7F] ?? 0
        let isMasked = second & 0x80 != 0
        let payloadStart = start + 2 + lengthSize + (isMasked ? 4 : 0)
        guard unread.count >= payloadStart else { return nil }
        var length = Int(second & 0x7F)
        if lengthSize > 0 {
            length = unread[start + 2..<start + 2 + lengthSize].reduce(0) { $0 << 8 | Int($1) }
        }
        guard unread.count >= payloadStart + length else { return nil }
        var payload = Array(unread[payloadStart..<payloadStart + length])
        if isMasked {
            let key = Array(unread[payloadStart - 4..<payloadStart])
            payload.withUnsafeMutableBufferPointer { bytes in
                for index in bytes.indices { bytes[index] ^= key[index & 3] }
            }
        }
        var frame = ReadFrame(opcode: first & 0x0F, isFinal: first & 0x80 != 0, payload: payload)
        frame.offence = offence(first, isMasked: isMasked, length, lengthSize: lengthSize)
        return (frame, payloadStart + length)
    }

    private func offence(
        _ first: UInt8,
        isMasked: Bool,
        _ length: Int,
        lengthSize: Int
    ) -> String? {
        if first & 0x70 != 0 { return "a reserved bit is set" }
        if isMasked != (role == .server) { return isMasked ? "masked" : "not masked" }
        let minimalSize = length < 126 ? 0 : length < 65536 ? 2 : 8
        if lengthSize != minimalSize { return "length of \(length) in \(lengthSize) bytes" }
        if first & 0x08 != 0, first & 0x80 == 0 || length > 125 { return "bad control frame" }
        return nil
    }

    private mutating func read(_ frame: ReadFrame) -> Heard? {
        if let offence = frame.offence { return .offence(offence) }
        switch frame.opcode {
        case Frame.closeOpcode:
            guard frame.payload.count >= 2 else {
                return frame.payload.isEmpty ? .close(nil) : .offence("half a close code")
            }
            return .close(UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1]))
        case Frame.pingOpcode: return .ping
        case Frame.pongOpcode: return .answer(.pong(frame.payload))
        case Frame.textOpcode, Frame.binaryOpcode:
            guard message == nil else { return .offence("message inside a message") }
            return collect(frame, opcode: frame.opcode, before: [])
        case Frame.continuationOpcode:
            guard let (opcode, before) = message else { return .offence("stray continuation") }
            return collect(frame, opcode: opcode, before: before)
        default: return .offence("opcode \(frame.opcode)")
        }
    }

    private mutating func collect(
        _ frame: ReadFrame,
        opcode: UInt8,
        before: [UInt8]
    ) -> Heard? {
        let payload = before.isEmpty ? frame.payload : before + frame.payload
        message = frame.isFinal ? nil : (opcode, payload)
        guard frame.isFinal else { return nil }
        return .answer(opcode == Frame.textOpcode ? .text(payload) : .binary(payload))
    }
}
