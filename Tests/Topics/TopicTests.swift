import Expectations
import Topics

@Suite("Topic names", .timeLimit(.minutes(10)))
struct TopicTests {
    @Test(arguments: ["a", "aurora:tromso", "news:ticker:BRK.B", "!#$%&'()*+-./:<=>?@[]^_`{|}~"])
    func visibleASCIIIsATopic(name: String) throws {
        let topic = try Topic(name)
        expectEqual(topic.name, name)
        expectEqual(topic.description, name)
    }

    @Test func everyOtherByteIsRefusedWithItsPlace() {
        let allowed = Set(0x21...0x7E).subtracting([0x22, 0x2C, 0x3B, 0x5C])
        for value in 0..<0x80 {
            let name = "ab" + String(Unicode.Scalar(UInt8(value)))
            if allowed.contains(value) {
                #expect(throws: Never.self) { try Topic(name) }
            } else {
                let error = TopicError.forbiddenByte(UInt8(value), index: 2)
                #expect(throws: error) { try Topic(name) }
            }
        }
        #expect(throws: TopicError.forbiddenByte(0xC3, index: 0)) { try Topic("ø") }
    }

    @Test func lengthIsOneTo255Bytes() throws {
        #expect(throws: TopicError.empty) { try Topic("") }
        try expectEqual(Topic(String(repeating: "a", count: 255)).name.utf8.count, 255)
        #expect(throws: TopicError.tooLong(length: 256)) {
            try Topic(String(repeating: "a", count: 256))
        }
    }

    @Test(arguments: [
        ("aurora:tromso", "aurora"), ("aurora:tromso:alerts", "aurora"), ("plain", "plain"),
        (":x", ""),
    ])
    func namespaceEndsAtTheFirstColon(name: String, namespace: String) {
        expect(Topic(trusted: name).namespace == namespace)
    }

    @Test func errorsSayWhatWasSeen() {
        expectEqual(TopicError.empty.description, "topic is empty")
        expectEqual(TopicError.tooLong(length: 256).description, "topic length 256 over limit 255")
        let forbidden = TopicError.forbiddenByte(0x20, index: 3)
        expectEqual(forbidden.description, "topic has the forbidden byte 0x20 at index 3")
    }

    @Test func badLiteralTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Topic(trusted: "two words")
        }
    }
}
