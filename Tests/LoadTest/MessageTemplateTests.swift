import Testing

@testable import varde_load

@Suite("Message template: what a raw protocol says", .timeLimit(.minutes(10)))
struct MessageTemplateTests {
    private func filled(_ template: String, payload: String = "") -> String {
        var bytes: [UInt8] = []
        MessageTemplate(template).append(
            channel: "news",
            number: 12,
            payload: Array(payload.utf8),
            to: &bytes
        )
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func placesAreFilledIn() {
        #expect(filled(#"SUB {channel} {number}\r\n"#) == "SUB news 12\r\n")
        #expect(
            filled(#"PUB {channel} {length}\r\n{payload}\r\n"#, payload: "äb")
                == "PUB news 3\r\näb\r\n"
        )
        #expect(filled("{payload}{payload}", payload: "x") == "xx")
    }

    @Test func otherBracesAreThemselves() {
        #expect(filled(#"{"op":{"channel":"{channel}"}}"#) == #"{"op":{"channel":"news"}}"#)
        #expect(filled("{chan") == "{chan")
        #expect(filled("{}") == "{}")
        #expect(filled("") == "")
    }

    @Test func whatIsFilledInIsNotReadAgain() {
        #expect(filled("{payload}", payload: "{channel}") == "{channel}")
    }

    @Test func escapesStandForTheirCharacters() {
        #expect(MessageTemplate.unescaped(#"a\r\n\\n"#) == "a\r\n\\n")
        #expect(MessageTemplate.unescaped(#"\"a\""#) == #"\"a\""#)
        #expect(MessageTemplate.unescaped("end\\") == "end\\")
    }

    @Test func payloadIsNoticed() {
        #expect(MessageTemplate("a{payload}").hasPayload)
        #expect(!MessageTemplate("{length}").hasPayload)
    }
}
