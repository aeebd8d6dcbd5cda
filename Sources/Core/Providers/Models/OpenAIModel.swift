/// A model behind OpenAI's chat completions or one of their many clones, which is made to answer by
/// calling a function.
package struct OpenAIModel: ToolModel {
    package let name: String
    private let url: String
    private let key: ProviderKey?

    package static let defaultURL = "https://api.openai.com/v1"

    /// - Parameters:
    ///   - key: nil for a server that requires none, such as one on the same machine.
    ///   - url: without `/chat/completions`.
    package init(_ name: String, key: ProviderKey?, url: String = OpenAIModel.defaultURL) {
        self.name = name
        self.key = key
        self.url = withoutTrailingSlash(url)
    }

    // MARK: The request

    /// OpenAI's later models refuse the older name, most clones know no other.
    private var outputTokensField: String {
        url == OpenAIModel.defaultURL ? "max_completion_tokens" : "max_tokens"
    }

    package func request(_ prompt: ToolPrompt) -> ProviderRequest {
        var json = JSONWriter()
        json.object {
            $0.field("model", name)
            $0.field(outputTokensField, prompt.outputTokensMax)
            $0.array("messages") {
                $0.message(role: "system", prompt.system)
                $0.message(role: "user", prompt.question)
            }
            $0.array("tools") {
                $0.object {
                    $0.field("type", "function")
                    $0.object("function") {
                        $0.field("name", prompt.tool.name)
                        $0.field("description", prompt.tool.description)
                        $0.raw("parameters", prompt.tool.schema.utf8)
                    }
                }
            }
            $0.object("tool_choice") {
                $0.field("type", "function")
                $0.object("function") { $0.field("name", prompt.tool.name) }
            }
        }
        var headers = [
            HeaderField("content-type", "application/json"),
            HeaderField("accept", "application/json"),
        ]
        if let key {
            headers.append(HeaderField("authorization", "Bearer \(key.text)", isSecret: true))
        }
        return ProviderRequest(
            method: "POST",
            url: url + "/chat/completions",
            headers: headers,
            body: json.bytes
        )
    }

    // MARK: The answer

    package func answer<Value: Sendable & Equatable>(
        _ response: ProviderResponse,
        calling function: String,
        _ decode: (JSONObject, _ model: String) -> Result<Value, NoAnswer>
    ) -> ProviderAnswer<Value> {
        let body = JSONObject(body: response.body)
        let error = body.flatMap { ProviderErrorObject($0) }
        // A filter in front of the model refuses the question with an error.
        if response.status == 400, error?.isOf("content_filter") == true {
            return .none(.filtered, usage: TokenUsage(inputTokens: 0, outputTokens: 0))
        }
        if let failure = ProviderFailure(response, notFoundDisables: true) {
            return .failure(failure)
        }
        if let error { return .failure(ProviderFailure(hidden: error, in: response)) }
        guard let body else { return .none(.garbage, usage: nil) }
        let usage = ChatCompletion.usage(body)
        let model = body.string("model").flatMap { OutsideText.keptName($0) } ?? name
        switch ChatCompletion.arguments(body, of: function).flatMap({ decode($0, model) }) {
        case .success(let value): return .value(value, usage: usage)
        case .failure(let none): return .none(none, usage: usage)
        }
    }
}

/// Reads the parts of a chat completion.
private enum ChatCompletion {
    /// The arguments of the requested call, which must occur exactly once.
    ///
    /// They are JSON in a string, or an object with some clones. A call counts whatever its finish
    /// reason, of which clones have their own, except for an answer that was cut or withheld.
    static func arguments(
        _ body: JSONObject,
        of function: String
    ) -> Result<JSONObject, NoAnswer> {
        guard let choice = body.elements("choices")?.first.flatMap({ JSONObject($0) }),
            let message = choice.object("message")
        else { return .failure(.garbage) }
        guard message.isBlank("refusal") else { return .failure(.refusal) }
        switch choice.string("finish_reason") {
        case "length": return .failure(.truncated)
        case "content_filter": return .failure(.filtered)
        default: break
        }
        guard message.isNull("tool_calls") || message.elements("tool_calls") != nil else {
            return .failure(.garbage)
        }
        // `function_call` is the form from before `tool_calls`.
        let functions =
            (message.elements("tool_calls") ?? []).compactMap { JSONObject($0)?.object("function") }
            + [message.object("function_call")].compactMap { $0 }
        let called = functions.filter { $0.string("name") == function }
        guard let call = called.first else { return .failure(.unanswered) }
        guard called.count == 1, let arguments = call["arguments"].flatMap(JSONObject.nested) else {
            return .failure(.garbage)
        }
        return .success(arguments)
    }

    /// Nil for the clones that report no usage.
    static func usage(_ body: JSONObject) -> TokenUsage? {
        guard let usage = body.object("usage"), let input = usage.count("prompt_tokens"),
            let output = usage.count("completion_tokens")
        else { return nil }
        return TokenUsage(inputTokens: input, outputTokens: output)
    }
}

extension JSONWriter {
    fileprivate mutating func message(role: String, _ content: String) {
        object {
            $0.field("role", role)
            $0.field("content", content)
        }
    }
}
