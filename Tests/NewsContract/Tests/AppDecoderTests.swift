import Expectations
import NewsContractApp

@Suite("The apps' decoders", .timeLimit(.minutes(10)))
struct AppDecoderTests {
    private func group(createdAt: String) -> String {
        """
        {"id":1,"group_title":"","impact_level":"High","scope":"GLOBAL","primary_ticker":null,
        "article_count":1,"created_at":\(createdAt)}
        """
    }

    private func decodes(_ json: String) -> Bool {
        (try? AppDecoder.aggregator(StoryGroup.self, from: Array(json.utf8))) != nil
    }

    @Test func dateInWholeSecondsIsDecoded() {
        expect(decodes(group(createdAt: #""2026-01-02T10:00:00Z""#)))
    }

    @Test(arguments: [
        "2026-01-02T10:00:00.000Z", "2026-01-02T10:00:00+00:00", "2026-01-02T10:00:00",
        "2026-01-02", "2026-13-02T10:00:00Z", "",
    ])
    func otherDatesAreRefusedHoweverDeep(date: String) {
        expect(!decodes(group(createdAt: #""\#(date)""#)))
        let nested = #"{"a":[{"b":{"published_at":"\#(date)"}}]}"#
        #expect(throws: AppRefusal.self) {
            try AppDecoder.stories(
                [String: [[String: [String: String]]]].self,
                from: Array(nested.utf8)
            )
        }
    }

    @Test(arguments: ["null", "1767348000"])
    func nullAndNumberAreNoDateOfAGroup(value: String) {
        expect(!decodes(group(createdAt: value)))
    }

    @Test func keyThatIsMissingOrNullIsRefusedWhereTheTypeIsNotOptional() {
        let whole = group(createdAt: #""2026-01-02T10:00:00Z""#)
        expect(!decodes(whole.replacing(#""id":1,"#, with: "")))
        expect(!decodes(whole.replacing(#""High""#, with: "null")))
        expect(!decodes(whole.replacing(#""article_count":1"#, with: #""article_count":1.5"#)))
        expect(decodes(whole.replacing(#""primary_ticker":null,"#, with: "")))
    }
}
