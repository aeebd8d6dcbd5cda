extension FrameHeader {
    /// The number of bytes that the header takes on the wire, 2 to 14.
    package var encodedLength: Int {
        let lengthBytes =
            switch payloadLength {
            case ...LengthForm.inlineMax: 0
            case ...LengthForm.length16Max: 2
            default: 8
            }
        return 2 + lengthBytes + (isMasked ? 4 : 0)
    }

    /// Appends the header; the payload, masked with `maskingKey`, has to follow.
    package func append(to output: inout [UInt8]) {
        // Most frames of a server: four bytes at most, without the detour over a buffer.
        if maskingKey == nil, payloadLength <= LengthForm.length16Max {
            output.append(firstByte)
            if payloadLength <= LengthForm.inlineMax {
                output.append(UInt8(truncatingIfNeeded: payloadLength))
            } else {
                output.append(LengthForm.marker16)
                output.append(UInt8(truncatingIfNeeded: payloadLength >> 8))
                output.append(UInt8(truncatingIfNeeded: payloadLength))
            }
            return
        }
        let encoded = encoded()
        for index in 0..<encoded.count { output.append(encoded.bytes[index]) }
    }

    /// Appends the header to a buffer with room for `encodedLength` bytes.
    package func append(to output: inout OutputSpan<UInt8>) {
        let encoded = encoded()
        for index in 0..<encoded.count { output.append(encoded.bytes[index]) }
    }

    /// Writes the header over the bytes from `start` on, of which there are enough.
    func write(to output: inout [UInt8], at start: Int) {
        let encoded = encoded()
        for index in 0..<encoded.count { output[start + index] = encoded.bytes[index] }
    }

    /// Appends the header of an unfragmented frame without a mask, as a server sends it: for
    /// messages that are encoded once and shared by many connections.
    package static func appendUnmasked(
        opcode: Opcode,
        payloadLength: Int,
        to output: inout [UInt8]
    ) {
        FrameHeader(opcode: opcode, payloadLength: payloadLength).append(to: &output)
    }

    private var firstByte: UInt8 {
        opcode.rawValue | (isFinal ? Bit.fin : 0) | (rsv1 ? Bit.rsv1 : 0)
            | (rsv2 ? Bit.rsv2 : 0) | (rsv3 ? Bit.rsv3 : 0)
    }

    private func encoded() -> (bytes: Encoded, count: Int) {
        assert(!opcode.isControl || payloadLength <= Self.controlPayloadLengthMax)
        var bytes = Encoded(repeating: 0)
        bytes[0] = firstByte
        var count = 2
        func put(_ number: UInt64, _ byteCount: Int) {
            for index in 0..<byteCount {
                let shift = 8 * (byteCount - 1 - index)
                bytes[count + index] = UInt8(truncatingIfNeeded: number >> UInt64(shift))
            }
            count += byteCount
        }
        switch payloadLength {
        case ...LengthForm.inlineMax:
            bytes[1] = UInt8(payloadLength)
        case ...LengthForm.length16Max:
            bytes[1] = LengthForm.marker16
            put(UInt64(payloadLength), 2)
        default:
            bytes[1] = LengthForm.marker64
            put(UInt64(payloadLength), 8)
        }
        if let maskingKey {
            bytes[1] |= Bit.mask
            put(UInt64(maskingKey), 4)
        }
        return (bytes, count)
    }
}
