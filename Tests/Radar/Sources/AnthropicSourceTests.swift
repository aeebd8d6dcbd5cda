import Testing

@testable import Providers
@testable import Radar

@Suite("Anthropic: answers in one object", .timeLimit(.minutes(10)))
struct AnthropicSourceTests {
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

    @Test(arguments: ["tool_use", "end_turn", "stop_sequence"])
    func modelThatIsDoneHasAnswered(reason: String) {
        guard case .value(let stances, _) = answer(record, stop: "\"\(reason)\"") else {
            Issue.record("no opinion after \(reason)")
            return
        }
        #expect(stances.samples.map(\.stance) == [.for])
    }

    @Test(arguments: [
        ("\"refusal\"", NoAnswer.refusal), ("\"max_tokens\"", .truncated),
        ("\"model_context_window_exceeded\"", .truncated), ("\"pause_turn\"", .unanswered),
        ("\"reason_of_tomorrow\"", .unanswered), ("null", .garbage), ("7", .garbage),
    ])
    func modelThatStoppedForAnotherReasonHasNot(reason: String, none: NoAnswer) {
        #expect(answer(record, stop: reason) == .none(none, usage: usage))
    }

    @Test(arguments: [(0.0, true), (1.0, true), (-0.001, false), (1.001, false)])
    func confidenceIsFromZeroToOne(confidence: Double, isRead: Bool) {
        let record = record.replacing("0.5", with: "\(confidence)")
        #expect(sample(record)?.confidence == (isRead ? confidence : nil))
    }

    @Test(arguments: ["1e999", "-1e999", "\"0.5\"", "null", "true", "[0.5]"])
    func confidenceThatIsNoNumberIsNotRead(confidence: String) {
        let record = record.replacing("0.5", with: confidence)
        #expect(answer(record) == .none(.garbage, usage: usage))
    }

    @Test(arguments: [#""""#, #"" \n\u0000\t ""#, "null", "1"])
    func opinionHasContent(content: String) {
        let record = record.replacing("\"Yes.\"", with: content)
        #expect(answer(record) == .none(.garbage, usage: usage))
    }

    @Test func wayOutNeedsNothingElse() {
        #expect(answer(#"{"stance":"no_opinion"}"#) == .none(.unanswered, usage: usage))
    }

    @Test func longContentIsCutAtACharacter() throws {
        let long = String(repeating: "ø", count: RadarLimits.contentBytesMax)
        let cut = try #require(sample(record.replacing("Yes.", with: "x\(long)")))
        #expect(cut.content.utf8.count == RadarLimits.contentBytesMax - 1)
        #expect(cut.content.last == "ø")
    }

    @Test func controlCharactersAndSpaceAroundAreTakenOut() {
        let record = record.replacing("Yes.", with: #"\u0000 \u001bYes,\n\u0085but.\u2028 "#)
        #expect(sample(record)?.content == "Yes,\nbut.")
    }

    @Test func reasoningMayBeMissingOrNullOrEmpty() {
        let open = record.dropLast()
        #expect(sample(open + #","reasoning":null}"#)?.reasoning == .none)
        #expect(sample(open + #","reasoning":" "}"#)?.reasoning == .none)
        #expect(sample(open + #","reasoning":"Why."}"#)?.reasoning == "Why.")
        #expect(answer(open + #","reasoning":["Why."]}"#) == .none(.garbage, usage: usage))
    }

    @Test(arguments: [
        ("\"m-2\"", "m-2"), ("null", "claude-sonnet-4-5"), ("\"\"", "claude-sonnet-4-5"),
    ])
    func modelIsTheOneThatAnsweredElseTheOneAsked(answered: String, model: String) {
        guard case .value(let stances, _) = answer(record, model: answered) else {
            Issue.record("no opinion of \(answered)")
            return
        }
        #expect(stances.samples.map(\.model) == [model])
    }

    @Test(arguments: [
        #"{"type":"message"}"#, #"{"type":"message","content":{}}"#, "[]", "7", "null", "",
        #"{"type":"message","content":[1]}"#, #"{"type":"message","content":[{"type":1}]}"#,
        #"{"type":"message","content":[{"type":"tool_use","input":[]}]}"#,
        #"{"content":[]}"#, #"{"type":"completion","content":[]}"#,
    ])
    func bodyThatIsNoMessageIsGarbage(body: String) {
        #expect(
            anthropic.stances(from: response(200, [:], body)) == .none(.garbage, usage: nil)
        )
    }

    @Test func usageThatCannotBeIsNotBelieved() {
        for count in ["-1", "1.5", "\"5\"", "99999999999999999999", "1000000001"] {
            let text = #"{"input_tokens":\#(count),"output_tokens":1}"#
            #expect(
                JSONObject(Array(text.utf8)[...]).flatMap { AnthropicMessage.usage($0) } == nil,
                "\(count)"
            )
        }
    }

    @Test func deepNestingIsRefused() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(
            anthropic.stances(from: response(200, [:], deep)) == .none(.garbage, usage: nil)
        )
    }
}
