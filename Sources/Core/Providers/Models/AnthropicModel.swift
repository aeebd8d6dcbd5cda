/// A model behind Anthropic's Messages API, which is made to answer by calling a tool.
package struct AnthropicModel: ToolModel {
    package let name: String
    private let url: String
    private let key: ProviderKey

    package static let defaultURL = "https://api.anthropic.com"

    /// - Parameter url: without `/v1/messages`.
    package init(_ name: String, key: ProviderKey, url: String = AnthropicModel.defaultURL) {
        self.name = name
        self.key = key
        self.url = withoutTrailingSlash(url)
    }

    // MARK: The request

    package func request(_ prompt: ToolPrompt) -> ProviderRequest {
        var json = JSONWriter()
        json.object {
            $0.field("model", name)
            $0.field("max_tokens", prompt.outputTokensMax)
            $0.field("system", prompt.system)
            $0.array("messages") {
                $0.object {
                    $0.field("role", "user")
                    $0.field("content", prompt.question)
                }
            }
            $0.array("tools") {
                $0.object {
                    $0.field("name", prompt.tool.name)
                    $0.field("description", prompt.tool.description)
                    $0.raw("input_schema", prompt.tool.schema.utf8)
                }
            }
            $0.object("tool_choice") {
                $0.field("type", "tool")
                $0.field("name", prompt.tool.name)
                $0.field("disable_parallel_tool_use", true)
            }
        }
        return ProviderRequest(
            method: "POST",
            url: url + "/v1/messages",
            headers: [
                HeaderField("x-api-key", key.text, isSecret: true),
                HeaderField("anthropic-version", "2023-06-01"),
                HeaderField("content-type", "application/json"),
                HeaderField("accept", "application/json"),
            ],
            body: json.bytes
        )
    }

    // MARK: The answer

    package func answer<Value: Sendable & Equatable>(
        _ response: ProviderResponse,
        calling tool: String,
        _ decode: (JSONObject, _ model: String) -> Result<Value, NoAnswer>
    ) -> ProviderAnswer<Value> {
        if let failure = ProviderFailure(response, notFoundDisables: true) {
            return .failure(failure)
        }
        switch AnthropicMessage.read(response) {
        case .garbage: return .none(.garbage, usage: nil)
        case .truncated(let usage): return .none(.truncated, usage: usage)
        case .error(let error): return .failure(ProviderFailure(hidden: error, in: response))
        case .message(let message):
            let model = message.model.flatMap { OutsideText.keptName($0) } ?? name
            switch message.input(of: tool).flatMap({ decode($0, model) }) {
            case .success(let value): return .value(value, usage: message.usage)
            case .failure(let none): return .none(none, usage: message.usage)
            }
        }
    }
}

extension AnthropicMessage {
    /// The input of the one call that was asked for, if the model stopped because it was done.
    fileprivate func input(of tool: String) -> Result<JSONObject, NoAnswer> {
        switch stopReason {
        case "refusal": return .failure(.refusal)
        case "max_tokens", "model_context_window_exceeded": return .failure(.truncated)
        case "tool_use", "end_turn", "stop_sequence": break
        // A model that pauses has not answered.
        case .some: return .failure(.unanswered)
        case nil: return .failure(.garbage)
        }
        let inputs = calls.filter { $0.name == tool }.map(\.input)
        guard let input = inputs.first else { return .failure(.unanswered) }
        // Two records contradict or repeat each other.
        guard inputs.count == 1 else { return .failure(.garbage) }
        return .success(input)
    }
}

func withoutTrailingSlash(_ url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
}
