import Expectations

@testable import News

@Suite("Interpretations of pasted texts", .timeLimit(.minutes(10)))
struct InterpretationTaskTests {
    private let task = InterpretationTask("Acme Rockets sold 1,200 rockets, a record.")!
    private let good = """
        {"verdict":"aware","why":["Acme sold 1,200 rockets","It is a record"],\
        "action":"Read the figures","horizon":"short","opportunity":"positive",\
        "note":"A record of sales","confidence":0.625}
        """

    @Test func interpretationIsRead() {
        expectEqual(
            task.written(good),
            WrittenInterpretation(
                verdict: .aware,
                why: ["Acme sold 1,200 rockets", "It is a record"],
                action: "Read the figures",
                horizon: .short,
                opportunity: .positive,
                opportunityNote: "A record of sales",
                confidence: 63
            )
        )
    }

    @Test func keyStandsForTheText() {
        expect(InterpretationTask("Another text")?.key != task.key)
        expectEqual(InterpretationTask("a")?.key, InterpretationTask("a")?.key)
        expectEqual(task.key.count, 32)
    }

    /// The cut text is equal, the key is not.
    @Test func keyCoversThePartThatIsNotSent() throws {
        let long = String(repeating: "x", count: WritingPrompt.sourceBytesMax)
        let one = try require(InterpretationTask(long + "1"))
        let other = try require(InterpretationTask(long + "2"))
        expectEqual(one.prompt, other.prompt)
        expect(one.key != other.key)
    }

    @Test(arguments: ["", " \n\t", "\u{0}\u{1B}"])
    func textWithoutCharactersIsNotAsked(text: String) {
        expectNil(InterpretationTask(text))
    }

    @Test func onlyTheFirstThreeReasonsAreKept() {
        let four = good.replacing(#""It is a record""#, with: #""b"," ","c","d""#)
        expectEqual(task.written(four)?.why, ["Acme sold 1,200 rockets", "b", "c"])
    }

    @Test func horizonMayBeNullOrMissing() {
        expectEqual(task.written(good.replacing("\"short\"", with: "null"))?.horizon, .none)
        let missing = good.replacing("\"horizon\":\"short\",", with: "")
        expectEqual(task.written(missing)?.horizon, .none)
    }

    @Test func noteIsEmptyWithoutAnOpportunity() {
        let none = good.replacing("positive", with: "none")
        expectEqual(task.written(none)?.opportunityNote, "")
    }

    @Test(arguments: [
        ("\"aware\"", "\"buy\""), ("\"aware\"", "null"), ("\"positive\"", "\"great\""),
        ("\"A record of sales\"", "\"\""), ("\"A record of sales\"", "7"),
        ("\"short\"", "\"soon\""), ("\"short\"", "1"), ("\"Read the figures\"", "\" \""),
        ("[\"Acme sold 1,200 rockets\",\"It is a record\"]", "[]"),
        ("[\"Acme sold 1,200 rockets\",\"It is a record\"]", "\"It is a record\""),
        ("\"It is a record\"", "[\"nested\"]"), ("0.625", "2"), ("0.625", "-1"),
        ("0.625", "\"high\""),
    ])
    func argumentsOfAnotherFormAreGarbage(text: String, other: String) {
        expect(good.contains(text))
        expectEqual(
            task.answer(good.replacing(text, with: other)),
            .none(.garbage, usage: WritingExamples.usage)
        )
    }

    @Test(arguments: [
        ("1,200", "1,300", WritingFault.number), ("Acme sold", "Microsoft sold", .ticker),
        ("Read the figures", "Buy the shares", .advice),
        ("A record of sales", "See [here](x)", .link),
        ("It is a record", String(repeating: "x", count: 201), .tooLong),
        ("Read the figures", String(repeating: "x", count: 251), .tooLong),
        ("A record of sales", String(repeating: "x", count: 301), .tooLong),
    ])
    func unfaithfulInterpretationIsDropped(text: String, other: String, fault: WritingFault) {
        expectEqual(task.fault(good.replacing(text, with: other)), fault)
    }

    @Test func storedInterpretationIsReadBack() throws {
        let text = try require(task.written(good))
        let stored = InterpretationTask.json(text)
        expectEqual(InterpretationTask.text(stored: stored), text)
        for percent in 0...100 {
            var other = text
            other.confidence = percent
            let stored = InterpretationTask.json(other)
            expectEqual(InterpretationTask.text(stored: stored), other)
        }
    }

    @Test func interpretationByWordsHasTheSameForm() {
        let lexical = TextInterpretation(
            "Apple announces new product line with innovative features",
            extractor: TickerExtractor()
        )
        let text = WrittenInterpretation(lexical)
        expectEqual(text.verdict, .aware)
        expectEqual(text.why, lexical.why)
        expectEqual(text.opportunityNote, lexical.opportunity.note)
        expectEqual(text.confidence, lexical.confidence)
    }
}
