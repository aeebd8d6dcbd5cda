import Expectations

@testable import ClientWire

@Suite("Frames, cut into messages", .timeLimit(.minutes(10)))
struct ClientEncodingTests {
    private func messages(_ frame: [UInt8], _ encoding: ClientEncoding) -> [CutMessage] {
        var rest = frame[...]
        var messages: [CutMessage] = []
        while !rest.isEmpty { messages.append(encoding.cutMessage(&rest)) }
        return messages
    }

    private func message(_ bytes: [UInt8]) -> CutMessage { .message(bytes[...]) }

    @Test func subprotocolNamesTheEncodingAndNoneIsJSON() {
        expectEqual(ClientEncoding(subprotocol: "centrifuge-json"), .json)
        expectEqual(ClientEncoding(subprotocol: "centrifuge-protobuf"), .protobuf)
        expectEqual(ClientEncoding(subprotocol: nil), .json)
        expectNil(ClientEncoding(subprotocol: "mqtt"))
    }

    @Test func linesAreMessagesOfJSON() {
        let frame = Array("{}\n \r\n\n{\"id\":1}\n".utf8)
        expectEqual(
            messages(frame, .json),
            [
                message(Array("{}".utf8)), .blank, .blank, message(Array("{\"id\":1}".utf8)),
            ]
        )
        expect(ClientEncoding.json.hasNoMessage([]))
        expect(ClientEncoding.json.hasNoMessage(Array(" \t\r\n".utf8)[...]))
        expect(!ClientEncoding.json.hasNoMessage(frame[...]))
    }

    @Test func lengthsDivideMessagesOfProtobuf() {
        expectEqual(
            messages([2, 8, 1, 0, 1, 0xFF], .protobuf),
            [
                message([8, 1]), message([]), message([0xFF]),
            ]
        )
        expect(ClientEncoding.protobuf.hasNoMessage([]))
        expect(!ClientEncoding.protobuf.hasNoMessage([0]))
    }

    @Test(arguments: [0, 1, 0x7F, 0x80, 300, 0x3FFF, 0x4000, 0x1F_FFFF, 0x20_0000])
    func lengthOfEverySizeIsReadAsWritten(length: Int) {
        var frame: [UInt8] = []
        appendVarint(UInt64(length), to: &frame)
        let header = frame.count
        frame += [UInt8](repeating: 1, count: length)
        expectEqual(messages(frame, .protobuf), [message(Array(frame[header...]))])
        if length > 0 {
            expectEqual(messages(Array(frame.dropLast()), .protobuf), [.broken])
        }
    }

    @Test(arguments: [
        [0x80], [0xFF, 0xFF], [1], [UInt8](repeating: 0x80, count: 10) + [0],
        [UInt8](repeating: 0xFF, count: 9) + [2], [UInt8](repeating: 0xFF, count: 9) + [1],
        [UInt8](repeating: 0xFF, count: 10), [UInt8](repeating: 0xFF, count: 100),
    ])
    func lengthThatIsNoneIsBroken(frame: [UInt8]) {
        expectEqual(messages(frame, .protobuf), [.broken])
        expectEqual(messages([0] + frame, .protobuf), [message([]), .broken])
    }

    @Test(arguments: [0, 1, 0x7F, 0x80, UInt64(UInt32.max), .max])
    func varintHasSevenBitsInEachByte(number: UInt64) {
        var bytes: [UInt8] = []
        appendVarint(number, to: &bytes)
        expect((1...10).contains(bytes.count))
        let bits = max(1, 64 - number.leadingZeroBitCount)
        expectEqual(bytes.count, (bits + 6) / 7)
    }

    @Test func framesThatWaitTogetherReadAsTheyDoAlone() {
        for encoding in ClientEncoding.allCases {
            let frames =
                encoding == .json ? [Array("{}".utf8), Array("1\n2".utf8)] : [[1, 5], [0, 1, 6]]
            var joined: [UInt8] = []
            for frame in frames { encoding.append(frame[...], to: &joined) }
            expectEqual(messages(joined, encoding), frames.flatMap { messages($0, encoding) })
        }
    }

    /// The second half would complete the first.
    @Test func brokenMessageStaysBrokenWhateverFollows() {
        for rest in [[UInt8](repeating: 0, count: 9), [6, 7], [0x80, 0], []] {
            var joined: [UInt8] = []
            ClientEncoding.protobuf.append([1, 4, 3, 5], to: &joined)
            ClientEncoding.protobuf.append(rest[...], to: &joined)
            expectEqual(messages(joined, .protobuf), [message([4]), .broken], "\(rest)")
        }
    }
}
