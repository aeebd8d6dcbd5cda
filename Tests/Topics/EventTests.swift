import Expectations
import Topics

@Suite("CloudEvents 1.0, structured JSON", .timeLimit(.minutes(10)))
struct EventTests {
    private let event = Event(
        id: "018f",
        type: "aurora.alert.raised",
        source: "/aurora",
        subject: "tromso",
        time: Timestamp(milliseconds: 1_766_314_800_123),
        data: Array(#"{"score":72}"#.utf8)
    )

    @Test func attributesStandInTheirOrderAndDataIsEmbedded() {
        let text = String(decoding: event.cloudEvent(), as: UTF8.self)
        expectEqual(
            text,
            #"{"specversion":"1.0","id":"018f","source":"/aurora","#
                + #""type":"aurora.alert.raised","subject":"tromso","#
                + #""time":"2025-12-21T11:00:00.123Z","datacontenttype":"application/json","#
                + #""data":{"score":72}}"#
        )
    }

    @Test func missingSubjectIsLeftOut() {
        var event = event
        event.subject = nil
        let text = String(decoding: event.cloudEvent(), as: UTF8.self)
        expect(!text.contains("subject"))
    }

    @Test func quotesInAttributesAreEscaped() {
        var event = event
        event.subject = #"a "b" \"#
        let text = String(decoding: event.cloudEvent(), as: UTF8.self)
        expect(text.contains(#""subject":"a \"b\" \\","#))
    }
}

@Suite("RFC 9562 §5.7, UUID version 7", .timeLimit(.minutes(10)))
struct UUIDv7Tests {
    private let zeros = [UInt8](repeating: 0, count: uuidRandomLength)
    private let ones = [UInt8](repeating: 0xFF, count: uuidRandomLength)

    /// The example of RFC 9562, appendix A.6.
    @Test func exampleOfTheRFC() {
        let uuid = uuidVersion7(
            wall: Timestamp(milliseconds: 0x017F_22E2_79B0),
            random: [0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
        )
        expectEqual(uuid, "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test func versionAndVariantStandWhateverIsRandom() {
        let time = Timestamp(milliseconds: 1)
        expectEqual(uuidVersion7(wall: time, random: zeros), "00000000-0001-7000-8000-000000000000")
        expectEqual(uuidVersion7(wall: time, random: ones), "00000000-0001-7fff-bfff-ffffffffffff")
    }

    @Test func textSortsByTime() {
        let texts = [0, 1, 255, 256, 1_766_314_800_123, 1_766_314_800_124].map {
            uuidVersion7(wall: Timestamp(milliseconds: $0), random: $0 % 2 == 0 ? ones : zeros)
        }
        expectEqual(texts, texts.sorted())
    }

    @Test func timeBefore1970CountsAsZero() {
        let uuid = uuidVersion7(wall: Timestamp(milliseconds: -1), random: zeros)
        expect(uuid.hasPrefix("00000000-0000-7"))
    }
}
