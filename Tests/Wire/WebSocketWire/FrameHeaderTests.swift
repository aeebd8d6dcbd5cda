import Expectations

@testable import Wire

@Suite("RFC 6455 §5.2, base framing", .timeLimit(.minutes(10)))
struct FrameHeaderTests {
    /// Lengths at both sides of each change of form, and the bytes that tell them.
    static let lengths: [(length: Int, bytes: [UInt8])] = [
        (0, [0]),
        (1, [1]),
        (125, [125]),
        (126, [126, 0x00, 0x7E]),
        (65535, [126, 0xFF, 0xFF]),
        (65536, [127, 0, 0, 0, 0, 0, 1, 0, 0]),
        (Int.max, [127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]

    private func decode(
        _ bytes: some Sequence<UInt8>
    ) throws(WebSocketError) -> (header: FrameHeader, length: Int)? {
        let bytes = Array(bytes)
        return try FrameHeader.decode(bytes.span)
    }

    @Test(arguments: lengths)
    func headerIsDecodedFromItsLastByteOn(length: Int, bytes: [UInt8]) throws {
        let encoded = [Wire.binary] + bytes
        for count in 0..<encoded.count {
            try expectNil(decode(encoded[..<count]), "\(count) bytes")
        }
        let decoded = try require(decode(encoded + [0xEE]))
        expectEqual(decoded.header, FrameHeader(opcode: .binary, payloadLength: length))
        expectEqual(decoded.length, encoded.count)
    }

    @Test(arguments: lengths)
    func headerIsEncodedInTheShortestForm(length: Int, bytes: [UInt8]) {
        let header = FrameHeader(opcode: .binary, payloadLength: length)
        var output: [UInt8] = [0xEE]
        header.append(to: &output)
        expectEqual(output, [0xEE, Wire.binary] + bytes)
        expectEqual(header.encodedLength, bytes.count + 1)
    }

    @Test(arguments: lengths)
    func maskedHeaderCarriesTheKeyAfterTheLength(length: Int, bytes: [UInt8]) throws {
        let header = FrameHeader(
            opcode: .text,
            maskingKey: Wire.maskingKey,
            payloadLength: length
        )
        var output: [UInt8] = []
        header.append(to: &output)
        expectEqual(output[1], bytes[0] | 0x80)
        expectEqual(output.suffix(4), Wire.maskingKeyBytes[...])
        expectEqual(output.count, header.encodedLength)
        for count in 0..<output.count {
            try expectNil(decode(output[..<count]), "\(count) bytes")
        }
        try expectEqual(decode(output)?.header, header)
    }

    @Test
    func everyBitIsEncodedAndDecoded() throws {
        let opcodes: [Opcode] = [.continuation, .text, .binary, .connectionClose, .ping, .pong]
        for opcode in opcodes {
            for bits in UInt8(0)..<16 where !opcode.isControl || bits & 8 != 0 {
                let header = FrameHeader(
                    opcode: opcode,
                    isFinal: bits & 8 != 0,
                    rsv1: bits & 4 != 0,
                    rsv2: bits & 2 != 0,
                    rsv3: bits & 1 != 0,
                    payloadLength: 5
                )
                var output: [UInt8] = []
                header.append(to: &output)
                expectEqual(output, [bits << 4 | opcode.rawValue, 5])
                try expectEqual(decode(output)?.header, header)
                expectEqual(header.hasReservedBit, (bits & 7 != 0))
            }
        }
    }

    @Test(arguments: lengths)
    func unmaskedHeaderForFanOutIsTheSame(length: Int, bytes: [UInt8]) {
        var output: [UInt8] = []
        FrameHeader.appendUnmasked(opcode: .text, payloadLength: length, to: &output)
        expectEqual(output, [Wire.text] + bytes)
    }

    @Test(arguments: lengths)
    func headerIsWrittenIntoPreparedMemory(length: Int, bytes: [UInt8]) {
        let header = FrameHeader(opcode: .binary, payloadLength: length)
        let output = [UInt8](capacity: header.encodedLength) { header.append(to: &$0) }
        expectEqual(output, [Wire.binary] + bytes)
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8], Role.both)
    func endFailsConnectionOnReservedOpcode(opcode: UInt8, role: Role) {
        let frame = Wire.frame(0x80 | opcode, "x", from: role.peer)
        expectFailure(.reservedOpcode(opcode), on: frame, as: role)
    }

    @Test(arguments: [0x40, 0x20, 0x10, 0x70] as [UInt8], Role.both)
    func endFailsConnectionOnReservedBit(bits: UInt8, role: Role) {
        for first in [Wire.text, Wire.binary, Wire.ping, Wire.pong, Wire.close] {
            let frame = Wire.frame(first | bits, from: role.peer)
            expectFailure(.reservedBitSet, on: frame, as: role)
        }
    }

    @Test(arguments: Role.both)
    func endFailsConnectionOnReservedBitInContinuation(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "a", from: role.peer)
            + Wire.frame(Wire.continuation | 0x40, "b", from: role.peer)
        expectFailure(.reservedBitSet, on: frames, as: role)
    }

    @Test(arguments: [0, 1, 125], Role.both)
    func endFailsConnectionOn16BitLengthThatFitsIn7(length: UInt8, role: Role) {
        let maskBit: UInt8 = role == .server ? 0x80 : 0
        let header = [Wire.binary, maskBit | 126, 0, length]
        expectFailure(.payloadLengthNotMinimal(Int(length)), on: header, as: role)
    }

    @Test(arguments: [0, 125, 126, 65535] as [Int], Role.both)
    func endFailsConnectionOn64BitLengthThatFitsIn16(length: Int, role: Role) {
        let maskBit: UInt8 = role == .server ? 0x80 : 0
        let tail = [UInt8(length >> 8), UInt8(length & 0xFF)]
        let header = [Wire.binary, maskBit | 127, 0, 0, 0, 0, 0, 0] + tail
        expectFailure(.payloadLengthNotMinimal(length), on: header, as: role)
    }

    @Test(arguments: [0x80, 0xFF] as [UInt8], Role.both)
    func endFailsConnectionOn64BitLengthWithItsTopBit(top: UInt8, role: Role) {
        let maskBit: UInt8 = role == .server ? 0x80 : 0
        let header = [Wire.binary, maskBit | 127, top, 0, 0, 0, 0, 1, 0, 0]
        expectFailure(.payloadLengthOverflow, on: header, as: role)
    }

    @Test(arguments: [0, 1, 125, 126, 65535, 65536], Role.both)
    func endReceivesMessageOfLengthAroundEachForm(length: Int, role: Role) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let frame = Wire.frame(Wire.binary, payload, from: role.peer)
        // Long inputs are split at fewer places, but a byte at a time all the same.
        expectEqual(receive(frame, as: role).events, [.binary(payload)])
    }
}
