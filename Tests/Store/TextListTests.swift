import Expectations
import StoreTesting

@testable import Store

@Suite("Lists of texts in a column", .timeLimit(.minutes(10)))
struct TextListTests {
    @Test(arguments: [
        [], [nil], [[]], [[1]], [nil, [], [1, 2, 3], nil],
        // One byte of length holds 126 bytes of text, two bytes hold 16,382.
        [[UInt8](repeating: 1, count: 126)], [[UInt8](repeating: 1, count: 127)],
        [[UInt8](repeating: 2, count: 16_382)], [[UInt8](repeating: 2, count: 16_383), [7]],
    ])
    func whatGoesInComesOut(_ texts: [[UInt8]?]) {
        let list = TextList(texts)
        expectEqual(TextList(bytes: list.bytes), list)
    }

    @Test func lengthTakesAByteForSevenBits() {
        expectEqual(TextList([[9, 9]]).bytes, [3, 9, 9])
        expectEqual(TextList([nil, []]).bytes, [0, 1])
        expectEqual(TextList([[UInt8](repeating: 0, count: 127)]).bytes.prefix(2), [0x80, 0x01])
    }

    @Test(
        arguments: [
            [2], [0x80], [5, 1, 2, 3], [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            [0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        ] as [[UInt8]]
    )
    func bytesOfNoListAreRefused(_ bytes: [UInt8]) {
        expectNil(TextList(bytes: bytes))
    }

    @Test func cutListIsRefusedOrShorter() {
        let list = TextList([[1, 2, 3], nil, [4, 5]])
        for length in 0..<list.bytes.count {
            let cut = TextList(bytes: Array(list.bytes.prefix(length)))
            expect((cut?.texts.count ?? 0) < list.texts.count)
        }
    }

    @Test func tagsAreInOrderOfTheirKeys() {
        let list = TextList(tags: ["b": "2", "a": "", "ø": "✓"])
        expectEqual(list.texts, [[97], [], [98], [50], [0xC3, 0xB8], [0xE2, 0x9C, 0x93]])
        expectEqual(list.tags, ["a": "", "b": "2", "ø": "✓"])
    }

    @Test func listsOfOtherShapesAreNoTagsAndNoInfo() {
        expectNil(TextList([[97]]).tags)
        expectNil(TextList([[97], nil]).tags)
        expectNil(TextList([[97], [98], nil]).info)
        expectNil(TextList([nil, [98], nil, nil]).info)
    }

    @Test(arguments: [
        ClientInfo(user: "", client: "c"),
        ClientInfo(user: "ada", client: "c", connectionInfo: Array(#"{"a":1}"#.utf8)),
        ClientInfo(user: "ada", client: "c", connectionInfo: [], topicInfo: [0xFF]),
    ])
    func infoComesBackUnchanged(_ info: ClientInfo) throws {
        let list = try require(TextList(bytes: TextList(info: info).bytes))
        expectEqual(list.info, info)
    }
}
