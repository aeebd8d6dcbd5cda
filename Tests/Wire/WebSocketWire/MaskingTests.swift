import Expectations

@testable import Wire

@Suite("RFC 6455 §5.3, masking", .timeLimit(.minutes(10)))
struct MaskingTests {
    @Test
    func everyRangeAndAlignmentIsMaskedAsTheFormulaSays() {
        let key: UInt32 = 0x0102_FF80
        let keyBytes: [UInt8] = [0x01, 0x02, 0xFF, 0x80]
        let original = (0..<110).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
        for lower in 0..<9 {
            for upper in lower...original.count {
                var expected = original
                // "j = i MOD 4; transformed-octet-i = original-octet-i XOR masking-key-octet-j"
                for index in lower..<upper { expected[index] ^= keyBytes[(index - lower) % 4] }
                var bytes = original
                var span = bytes.mutableSpan
                mask(&span, lower..<upper, key: key)
                expectEqual(bytes, expected, "\(lower)..<\(upper)")
            }
        }
    }

    @Test
    func keyAdvancesWithTheBytesBeforeAPiece() {
        expectEqual(advanced(0x0102_0304, by: 0), 0x0102_0304)
        expectEqual(advanced(0x0102_0304, by: 1), 0x0203_0401)
        expectEqual(advanced(0x0102_0304, by: 2), 0x0304_0102)
        expectEqual(advanced(0x0102_0304, by: 3), 0x0401_0203)
        expectEqual(advanced(0x0102_0304, by: 65536), 0x0102_0304)
        expectEqual(advanced(0x0102_0304, by: 65537), 0x0203_0401)
    }

    @Test
    func serverFailsConnectionOnUnmaskedFrame() {
        for first in [Wire.text, Wire.binary, Wire.ping, Wire.pong, Wire.close] {
            expectFailure(
                .frameNotMasked,
                on: Wire.frame(first, from: .server),
                as: .server
            )
        }
    }

    @Test
    func clientFailsConnectionOnMaskedFrame() {
        for first in [Wire.text, Wire.binary, Wire.ping, Wire.pong, Wire.close] {
            expectFailure(.frameMasked, on: Wire.frame(first, from: .client), as: .client)
        }
    }

    @Test
    func serverUnmasksFrameWithKeyOfZeros() {
        let frame: [UInt8] = [Wire.text, 0x82, 0, 0, 0, 0, 0x68, 0x69]
        expectEqual(receive(frame, as: .server).events, [.text("hi")])
    }

    @Test
    func serverUnmasksInPlaceOnlyThePayloadItRead() {
        var connection = WebSocketConnection(role: .server)
        let next = Wire.frame(Wire.binary, [9, 9], from: .client)
        var bytes = Wire.frame(Wire.binary, [1, 2, 3], from: .client) + next
        var input = bytes.mutableSpan
        var consumed = 0
        var output: [UInt8] = []
        let event = connection.receive(&input, consumed: &consumed, output: &output)
        expectEqual(event, .message(.binary, .input(6..<9)))
        expectEqual(consumed, 9)
        expectEqual(bytes[6..<9], [1, 2, 3])
        expectEqual(Array(bytes[9...]), next)
    }
}
