import Expectations

@testable import varde_load

@Suite("Stamp: how a message of the run is recognised", .timeLimit(.minutes(10)))
struct StampTests {
    private let stamp = Stamp(run: 0xDEAD_BEEF)

    private func payload(_ sequence: UInt32, length: Int = 32) -> [UInt8] {
        var bytes: [UInt8] = []
        stamp.appendPayload(sequence: sequence, length: length, to: &bytes)
        return bytes
    }

    private func sequences(in bytes: [UInt8]) -> [UInt32] {
        bytes.withUnsafeBytes { bytes in
            var position = 0
            var found: [UInt32] = []
            while let sequence = stamp.next(in: bytes, from: &position) { found.append(sequence) }
            return found
        }
    }

    @Test(arguments: [Stamp.payloadLengthMin, Stamp.payloadLengthMin + 1, 128, 5000])
    func payloadHasTheLengthAskedForAndIsAString(length: Int) {
        let bytes = payload(7, length: length)
        expectEqual(bytes.count, length)
        expectEqual(bytes.first, UInt8(ascii: "\""))
        expectEqual(bytes.last, UInt8(ascii: "\""))
        expect(!bytes.dropFirst().dropLast().contains(UInt8(ascii: "\"")))
    }

    @Test(arguments: [0, 1, 0x0000_00FF, 0x1234_ABCD, UInt32.max])
    func sequenceNumberComesBack(sequence: UInt32) {
        expectEqual(sequences(in: payload(sequence)), [sequence])
    }

    @Test func everyStampOfAFrameIsFoundInOrder() {
        let frame = payload(3) + Array("}\n{vl vl00".utf8) + payload(4) + payload(9)
        expectEqual(sequences(in: frame), [3, 4, 9])
    }

    @Test func stampsOfOtherRunsAreNotOurs() {
        var foreign: [UInt8] = []
        Stamp(run: 0xDEAD_BEEE).appendPayload(sequence: 1, length: 40, to: &foreign)
        expectEqual(sequences(in: foreign), [])
    }

    @Test func stampThatIsCutOrDamagedIsNone() {
        let whole = payload(5, length: Stamp.payloadLengthMin)
        for length in 0..<whole.count - 1 {
            expectEqual(sequences(in: Array(whole[..<length])), [], "\(length) bytes")
        }
        var damaged = whole
        damaged[Stamp.length] = UInt8(ascii: "g")
        expectEqual(sequences(in: damaged), [])
        expectEqual(sequences(in: damaged + whole), [5])
    }
}

@Suite("Byte search", .timeLimit(.minutes(10)))
struct ByteSearchTests {
    private func index(of needle: String, in text: String, from position: Int = 0) -> Int? {
        Array(text.utf8).withUnsafeBytes {
            $0.firstIndex(of: Array(needle.utf8), from: position)
        }
    }

    @Test func firstOccurrenceIsFound() {
        expectEqual(index(of: "ab", in: "aab ab"), 1)
        expectEqual(index(of: "ab", in: "aab ab", from: 2), 4)
        expectEqual(index(of: "aab ab", in: "aab ab"), 0)
    }

    @Test func whatIsNotThereIsNil() {
        expectNil(index(of: "abc", in: "ab"))
        expectNil(index(of: "ab", in: "aaaa"))
        expectNil(index(of: "ab", in: "ab", from: 1))
        expectNil(index(of: "a", in: ""))
    }
}
