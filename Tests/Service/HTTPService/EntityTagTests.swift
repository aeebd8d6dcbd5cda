import Expectations
import Wire

@testable import Service

@Suite("RFC 9110 §8.8.3, entity tags", .timeLimit(.minutes(10)))
struct EntityTagTests {
    private let tag = EntityTag(of: Array("body".utf8))

    @Test func tagOfABodyIsQuotedAndChangesWithIt() {
        expectEqual(tag.text.count, 18)
        expect(tag.text.hasPrefix("\"") && tag.text.hasSuffix("\""))
        expectEqual(tag, EntityTag(of: Array("body".utf8)))
        expect(tag != EntityTag(of: Array("Body".utf8)))
    }

    @Test func clientWithTheTagKnowsTheAnswer() {
        for value in [tag.text, "W/" + tag.text, "*", "\"other\", " + tag.text] {
            expect(tag.isKnown(to: ["If-None-Match": value]), "\(value)")
        }
        for value in ["\"other\"", "", String(tag.text.dropLast())] {
            expect(!tag.isKnown(to: ["If-None-Match": value]), "\(value)")
        }
        expect(!tag.isKnown(to: HTTPHeaders()))
    }
}
