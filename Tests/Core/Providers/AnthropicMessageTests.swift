import Expectations

@testable import Core

@Suite("Anthropic: answers in one object", .timeLimit(.minutes(10)))
struct AnthropicMessageTests {
    private func answer(
        stop: String = "\"tool_use\"",
        model: String = "\"m-1\""
    ) -> ProviderAnswer<Record> {
        anthropic.record(
            from: response(
                200,
                [:],
                #"{"type":"message","model":\#(model),"stop_reason":\#(stop),"#
                    + #""usage":{"input_tokens":5,"output_tokens":9},"content":"#
                    + #"[{"type":"tool_use","name":"record_stance","#
                    + #""input":{"stance":"for","content":"Yes."}}]}"#
            )
        )
    }

    private let usage = TokenUsage(inputTokens: 5, outputTokens: 9)

    @Test(arguments: ["tool_use", "end_turn", "stop_sequence"])
    func modelThatIsDoneHasAnswered(reason: String) {
        guard case .value(let record, _) = answer(stop: "\"\(reason)\"") else {
            Issue.record("no answer after \(reason)")
            return
        }
        expectEqual(record.stance, "for")
    }

    @Test(arguments: [
        ("\"refusal\"", NoAnswer.refusal), ("\"max_tokens\"", .truncated),
        ("\"model_context_window_exceeded\"", .truncated), ("\"pause_turn\"", .unanswered),
        ("\"reason_of_tomorrow\"", .unanswered), ("null", .garbage), ("7", .garbage),
    ])
    func modelThatStoppedForAnotherReasonHasNot(reason: String, none: NoAnswer) {
        expectEqual(answer(stop: reason), .none(none, usage: usage))
    }

    @Test(arguments: [
        ("\"m-2\"", "m-2"), ("null", "m-asked"), ("\"\"", "m-asked"),
    ])
    func modelIsTheOneThatAnsweredElseTheOneAsked(answered: String, model: String) {
        guard case .value(let record, _) = answer(model: answered) else {
            Issue.record("no answer of \(answered)")
            return
        }
        expectEqual(record.model, model)
    }

    @Test(arguments: [
        #"{"type":"message"}"#, #"{"type":"message","content":{}}"#, "[]", "7", "null", "",
        #"{"type":"message","content":[1]}"#, #"{"type":"message","content":[{"type":1}]}"#,
        #"{"type":"message","content":[{"type":"tool_use","input":[]}]}"#,
        #"{"content":[]}"#, #"{"type":"completion","content":[]}"#,
    ])
    func bodyThatIsNoMessageIsGarbage(body: String) {
        expectEqual(anthropic.record(from: response(200, [:], body)), .none(.garbage, usage: nil))
    }

    @Test func usageThatCannotBeIsNotBelieved() {
        for count in ["-1", "1.5", "\"5\"", "99999999999999999999", "1000000001"] {
            let text = #"{"input_tokens":\#(count),"output_tokens":1}"#
            expectNil(
                JSONObject(Array(text.utf8)[...]).flatMap { AnthropicMessage.usage($0) },
                "\(count)"
            )
        }
    }

    @Test func deepNestingIsRefused() {
        let deep = String(repeating: "[", count: 100_000)
        expectEqual(anthropic.record(from: response(200, [:], deep)), .none(.garbage, usage: nil))
    }
}
