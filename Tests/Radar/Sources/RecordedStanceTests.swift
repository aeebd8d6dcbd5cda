import Expectations

@testable import Radar

@Suite("Stances that models record", .timeLimit(.minutes(10)))
struct RecordedStanceTests {
    private func answer(
        _ record: String,
        stop: String = "\"tool_use\"",
        model: String = "\"m-1\""
    ) -> ProviderAnswer<StanceSamples> {
        anthropic.stances(
            from: response(
                200,
                [:],
                #"{"type":"message","model":\#(model),"stop_reason":\#(stop),"#
                    + #""usage":{"input_tokens":5,"output_tokens":9},"content":"#
                    + #"[{"type":"tool_use","name":"record_stance","input":\#(record)}]}"#
            )
        )
    }

    private let usage = TokenUsage(inputTokens: 5, outputTokens: 9)
    private let record = #"{"stance":"for","confidence":0.5,"content":"Yes."}"#

    private func sample(_ record: String) -> StanceSample? {
        guard case .value(let stances, usage) = answer(record) else { return nil }
        return stances.samples.first
    }

    @Test(arguments: [(0.0, true), (1.0, true), (-0.001, false), (1.001, false)])
    func confidenceIsFromZeroToOne(confidence: Double, isRead: Bool) {
        let record = record.replacing("0.5", with: "\(confidence)")
        expectEqual(sample(record)?.confidence, (isRead ? confidence : nil))
    }

    @Test(arguments: [
        "1e999", "-1e999", "\"high\"", "\"1.5\"", "\"nan\"", "\"\"", "null", "true", "[0.5]",
    ])
    func confidenceThatIsNoNumberIsNotRead(confidence: String) {
        let record = record.replacing("0.5", with: confidence)
        expectEqual(answer(record), .none(.garbage, usage: usage))
    }

    @Test(arguments: ["\"0.5\"", "\" 0.50 \"", "\"5e-1\""])
    func confidenceMayBeATextThatHoldsANumber(confidence: String) {
        expectEqual(sample(record.replacing("0.5", with: confidence))?.confidence, 0.5)
    }

    @Test(arguments: ["For", "FOR", " for\\n"])
    func caseOfTheStanceAndSpaceAroundItDoNotCount(word: String) {
        expectEqual(sample(record.replacing("\"for\"", with: "\"\(word)\""))?.stance, .for)
        expectEqual(answer(#"{"stance":"No_Opinion"}"#), .none(.unanswered, usage: usage))
    }

    @Test func recordMayBeATextOrInACodeFence() {
        let text = record.replacing("\"", with: "\\\"")
        expectEqual(sample("\"\(text)\"")?.confidence, 0.5)
        expectEqual(sample("\"```json\\n\(text)\\n```\"")?.confidence, 0.5)
        expectEqual(answer("\"yes\""), .none(.garbage, usage: nil))
    }

    @Test(arguments: [#""""#, #"" \n\u0000\t ""#, "null", "1"])
    func opinionHasContent(content: String) {
        let record = record.replacing("\"Yes.\"", with: content)
        expectEqual(answer(record), .none(.garbage, usage: usage))
    }

    @Test func wayOutNeedsNothingElse() {
        expectEqual(answer(#"{"stance":"no_opinion"}"#), .none(.unanswered, usage: usage))
    }

    @Test func longContentIsCutAtACharacter() throws {
        let long = String(repeating: "ø", count: RadarLimits.contentBytesMax)
        let cut = try require(sample(record.replacing("Yes.", with: "x\(long)")))
        expectEqual(cut.content.utf8.count, RadarLimits.contentBytesMax - 1)
        expectEqual(cut.content.last, "ø")
    }

    @Test func controlCharactersAndSpaceAroundAreTakenOut() {
        let record = record.replacing("Yes.", with: #"\u0000 \u001bYes,\n\u0085but.\u2028 "#)
        expectEqual(sample(record)?.content, "Yes,\nbut.")
    }

    @Test func reasoningMayBeMissingOrNullOrEmpty() {
        let open = record.dropLast()
        expectEqual(sample(open + #","reasoning":null}"#)?.reasoning, .none)
        expectEqual(sample(open + #","reasoning":" "}"#)?.reasoning, .none)
        expectEqual(sample(open + #","reasoning":"Why."}"#)?.reasoning, "Why.")
        expectEqual(answer(open + #","reasoning":["Why."]}"#), .none(.garbage, usage: usage))
    }
}
