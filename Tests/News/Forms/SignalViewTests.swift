import Expectations
import News

@Suite("Signals as /v1 shows them", .timeLimit(.minutes(10)))
struct SignalViewTests {
    @Test func signalHasTheThirteenKeysOfTheDocumentInItsOrder() {
        expectEqual(text(NewsExamples.signal.json()), NewsExamples.signalText)
    }

    @Test func pageHasTheCursorOrNull() {
        let page = SignalPage(items: [NewsExamples.signal], nextCursor: nil)
        expectEqual(
            text(page.json()),
            #"{"items":[\#(NewsExamples.signalText)],"next_cursor":null}"#
        )
        expectEqual(
            text(SignalPage(items: [], nextCursor: "abc").json()),
            #"{"items":[],"next_cursor":"abc"}"#
        )
    }

    @Test func atMostThreeReasonsAreWritten() {
        var signal = NewsExamples.signal
        signal.why = ["a", "b", "c", "d"]
        expect(text(signal.json()).contains(#""why":["a","b","c"],"#))
    }

    @Test(arguments: [(-1, 0), (0, 0), (100, 100), (101, 100)])
    func scoresStayWithinTheirBounds(score: Int, shown: Int) {
        var signal = NewsExamples.signal
        signal.confidence = score
        signal.importance = score
        let end = #""confidence":\#(shown),"importance_score":\#(shown)}"#
        expect(text(signal.json()).hasSuffix(end))
    }

    @Test func horizonAndOpportunityAreTheWordsOfTheDocument() {
        var signal = NewsExamples.signal
        signal.horizon = .long
        signal.opportunity = .negative
        signal.opportunityNote = #"the words "misses", "cuts""#
        let part = """
            "horizon":"long","opportunity_type":"negative",\
            "opportunity_note":"the words \\"misses\\"
            """
        expect(text(signal.json()).contains(part))
        expectEqual(SignalJudgement.Verdict.allCases.map(\.rawValue), ["aware", "ignore"])
        expectEqual(Horizon.allCases.map(\.rawValue), ["short", "medium", "long"])
        expectEqual(Opportunity.Kind.allCases.map(\.rawValue), ["none", "positive", "negative"])
    }
}
