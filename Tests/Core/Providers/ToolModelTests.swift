import Core
import Expectations

@Suite("Models that answer by calling a tool", .timeLimit(.minutes(10)))
struct ToolModelTests {
    private let prompt = ToolPrompt(
        version: "colour-1",
        system: "You are asked for a colour.",
        question: #"Name the colour of "grønt gress"."#,
        outsideBytes: "grønt gress".utf8.count,
        tool: ToolPrompt.Tool(
            name: "record_colour",
            description: "Records a colour.",
            schema: #"{"type":"object"}"#
        ),
        outputTokensMax: 64
    )

    private func body(_ model: some ToolModel) throws -> JSONObject {
        try require(JSONObject(body: model.request(prompt).body))
    }

    // MARK: Requests

    @Test func anthropicReceivesThePromptAndTheForcedTool() throws {
        expectEqual(anthropic.request(prompt).url, "https://api.anthropic.com/v1/messages")
        let body = try body(anthropic)
        expectEqual(body.string("model"), "m-asked")
        expectEqual(body.count("max_tokens"), 64)
        expectEqual(body.string("system"), prompt.system)
        let message = try require(body.elements("messages")?.first.flatMap { JSONObject($0) })
        expectEqual(message.string("content"), prompt.question)
        let tool = try require(body.elements("tools")?.first.flatMap { JSONObject($0) })
        expectEqual(tool.string("name"), "record_colour")
        expectEqual(tool.object("input_schema")?.string("type"), "object")
        expectEqual(body.object("tool_choice")?.string("name"), "record_colour")
    }

    @Test func openAIReceivesThePromptAndTheForcedFunction() throws {
        expectEqual(openAI.request(prompt).url, "https://api.openai.com/v1/chat/completions")
        let body = try body(openAI)
        expectEqual(body.string("model"), "m-asked")
        expectEqual(body.count("max_completion_tokens"), 64)
        let messages = try require(body.elements("messages")?.compactMap { JSONObject($0) })
        expectEqual(messages.map { $0.string("content") }, [prompt.system, prompt.question])
        let tool = try require(body.elements("tools")?.first.flatMap { JSONObject($0) })
        expectEqual(tool.object("function")?.object("parameters")?.string("type"), "object")
        let choice = body.object("tool_choice")?.object("function")
        expectEqual(choice?.string("name"), "record_colour")
    }

    @Test func slashAtTheEndOfAURLIsNotDoubled() {
        let key = ProviderKey("k")
        for model in [
            AnthropicModel("m", key: key, url: "http://127.0.0.1:9/"),
            OpenAIModel("m", key: key, url: "http://127.0.0.1:9/"),
        ] as [any ToolModel] {
            expect(!model.request(prompt).url.dropFirst("http://".count).contains("//"))
        }
    }

    // MARK: Cost

    @Test func textFromOutsideCostsATokenForEveryByte() {
        let length = 27
        let longer = ToolPrompt(
            version: prompt.version,
            system: prompt.system,
            question: prompt.question + String(repeating: "語", count: length),
            outsideBytes: prompt.outsideBytes + 3 * length,
            tool: prompt.tool,
            outputTokensMax: prompt.outputTokensMax
        )
        expectEqual(longer.tokensMax, prompt.tokensMax + 3 * length)
    }

    @Test func costHasRoomForTheAnswerAndTheProvidersOwnText() {
        let ours = prompt.texts.joined().utf8.count - prompt.outsideBytes
        expectEqual(prompt.tokensMax, ours / 3 + prompt.outsideBytes + 600 + 64)
    }

    // MARK: Answers

    /// An answer of each API with these calls.
    private func answers(_ calls: [(tool: String, arguments: String)]) -> [ProviderAnswer<Record>] {
        let blocks = calls.map {
            #"{"type":"tool_use","name":"\#($0.tool)","input":\#($0.arguments)}"#
        }
        let message =
            #"{"type":"message","model":"m-1","stop_reason":"tool_use","usage":"#
            + #"{"input_tokens":5,"output_tokens":9},"content":"#
            + #"[\#(blocks.joined(separator: ","))]}"#
        let functions = calls.map {
            let text = $0.arguments.replacing("\"", with: "\\\"")
            return #"{"function":{"name":"\#($0.tool)","arguments":"\#(text)"}}"#
        }
        let completion =
            #"{"model":"m-1","usage":{"prompt_tokens":5,"completion_tokens":9},"choices":"#
            + #"[{"finish_reason":"stop","message":{"tool_calls":"#
            + #"[\#(functions.joined(separator: ","))]}}]}"#
        return [
            anthropic.record(from: response(200, [:], message)),
            openAI.record(from: response(200, [:], completion)),
        ]
    }

    private let usage = TokenUsage(inputTokens: 5, outputTokens: 9)
    private let yes = #"{"stance":"for","content":"Yes."}"#

    @Test func argumentsOfTheToolAreDecodedWithTheNameOfTheModel() {
        let record = Record(stance: "for", content: "Yes.", model: "m-1")
        for answer in answers([("other", "{}"), ("record_stance", yes)]) {
            expectEqual(answer, .value(record, usage: usage))
        }
    }

    @Test func decoderSaysWhyThereIsNoValue() {
        for answer in answers([("record_stance", #"{"stance":"none"}"#)]) {
            expectEqual(answer, .none(.unanswered, usage: usage))
        }
        for answer in answers([("record_stance", #"{"stance":"for"}"#)]) {
            expectEqual(answer, .none(.garbage, usage: usage))
        }
    }

    @Test func modelThatCallsAnotherToolHasNotAnswered() {
        for answer in answers([("other", yes)]) + answers([]) {
            expectEqual(answer, .none(.unanswered, usage: usage))
        }
    }

    @Test func twoCallsOfTheToolAreGarbage() {
        for answer in answers([("record_stance", yes), ("record_stance", yes)]) {
            expectEqual(answer, .none(.garbage, usage: usage))
        }
    }

    @Test(arguments: [
        (401, ProviderFailure.disabled(reason: "status 401")),
        (404, .disabled(reason: "status 404")),
        (400, .permanent(reason: "status 400")),
        (500, .retryable(reason: "status 500", after: nil, isOverload: false)),
    ])
    func statusIsAFailureOfEitherModel(status: Int, failure: ProviderFailure) {
        expectEqual(anthropic.record(from: response(status)), .failure(failure))
        expectEqual(openAI.record(from: response(status)), .failure(failure))
    }
}
