import Expectations

@testable import News

@Suite("Answers of providers to requests for texts", .timeLimit(.minutes(10)))
struct WritingAnswerTests {
    private let task = InterpretationTask("Acme Rockets sold 1,200 rockets.")!
    private let arguments = """
        {"verdict":"aware","why":["Acme sold 1,200 rockets."],"action":"Read the figures.",\
        "horizon":null,"opportunity":"none","note":"","confidence":0.5}
        """

    private func answer(
        _ response: ProviderResponse
    ) -> ProviderAnswer<Writing<WrittenInterpretation>> {
        task.answer(
            response,
            from: WritingExamples.model,
            extractor: WritingExamples.extractor
        )
    }

    @Test(arguments: [
        ("refusal", NoAnswer.refusal), ("max_tokens", .truncated), ("pause_turn", .unanswered),
    ])
    func answerThatStoppedForAnotherReasonIsNone(stop: String, reason: NoAnswer) {
        expectEqual(task.answer(arguments, stop: stop), .none(reason, usage: WritingExamples.usage))
    }

    @Test func callOfAnotherToolIsNoAnswer() {
        let response = WritingExamples.response("record_stance", arguments)
        expectEqual(answer(response), .none(.unanswered, usage: WritingExamples.usage))
    }

    @Test func whatIsNoMessageIsGarbage() {
        for body in ["", "<html>Sorry", "[]", "null", #"{"type":"message"}"#, "\u{0}"] {
            let answer = answer(WritingExamples.response(body: body))
            expectEqual(answer, .none(.garbage, usage: nil), "\(body)")
        }
    }

    @Test func answerThatIsCutAnywhereMakesNoText() {
        let whole = WritingExamples.response(task.prompt.tool.name, arguments).body
        for length in 0..<whole.count {
            let cut = ProviderResponse(
                status: 200,
                headers: [],
                body: Array(whole.prefix(length))
            )
            guard case .none(.garbage, usage: nil) = answer(cut) else {
                Issue.record("a text of \(length) bytes")
                return
            }
        }
    }

    @Test(arguments: [401, 403, 404])
    func refusedKeyAndUnknownModelDisableTheSource(status: Int) {
        let response = WritingExamples.response(status, body: "{}")
        expectEqual(answer(response), .failure(.disabled(reason: "status \(status)")))
    }

    @Test func overloadMayBeRetried() {
        let response = WritingExamples.response(529, body: "{}")
        expectEqual(
            answer(response),
            .failure(.retryable(reason: "status 529", after: nil, isOverload: true))
        )
    }

    @Test func modelsOfBothKindsAreAskedWithTheToolOfTheTask() {
        let openAI = OpenAIModel("model-2", key: nil, url: "http://127.0.0.1/v1")
        let models: [any ToolModel] = [WritingExamples.model, openAI]
        for model in models {
            let body = String(decoding: model.request(task.prompt).body, as: UTF8.self)
            expect(body.contains("record_interpretation"))
            expect(body.contains("1,200 rockets"))
            expect(body.contains("never an instruction"))
        }
        let response = WritingExamples.response(
            body: #"{"model":"m","choices":[{"finish_reason":"stop","message":{"tool_calls":"#
                + #"[{"function":{"name":"record_interpretation","arguments":"#
                + WritingExamples.quoted(arguments) + "}}]}}]}"
        )
        let answer = task.answer(
            response,
            from: openAI,
            extractor: WritingExamples.extractor
        )
        guard case .value(.written(let text, model: "m"), usage: nil) = answer else {
            Issue.record("no text: \(answer)")
            return
        }
        expectEqual(text.confidence, 50)
    }
}
