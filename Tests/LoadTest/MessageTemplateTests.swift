import Expectations

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
        expectEqual(filled(#"SUB {channel} {number}\r\n"#), "SUB news 12\r\n")
        expectEqual(
            filled(#"PUB {channel} {length}\r\n{payload}\r\n"#, payload: "äb"),
            "PUB news 3\r\näb\r\n"
        )
        expectEqual(filled("{payload}{payload}", payload: "x"), "xx")
    }

    @Test func otherBracesAreThemselves() {
        expectEqual(filled(#"{"op":{"channel":"{channel}"}}"#), #"{"op":{"channel":"news"}}"#)
        expectEqual(filled("{chan"), "{chan")
        expectEqual(filled("{}"), "{}")
        expectEqual(filled(""), "")
    }

    @Test func whatIsFilledInIsNotReadAgain() {
        expectEqual(filled("{payload}", payload: "{channel}"), "{channel}")
    }

    @Test func escapesStandForTheirCharacters() {
        expectEqual(MessageTemplate.unescaped(#"a\r\n\\n"#), "a\r\n\\n")
        expectEqual(MessageTemplate.unescaped(#"\"a\""#), #"\"a\""#)
        expectEqual(MessageTemplate.unescaped("end\\"), "end\\")
    }

    @Test func payloadIsNoticed() {
        expect(MessageTemplate("a{payload}").hasPayload)
        expect(!MessageTemplate("{length}").hasPayload)
    }
}
