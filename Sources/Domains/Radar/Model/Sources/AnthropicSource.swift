import JSONText

/// A model behind Anthropic's Messages API, which is made to answer by calling a tool.
package struct AnthropicSource: OpinionSource {
    package let name: String
    package let provider: String
    package let model: String
    package let trust: Double
    private let url: String
    private let key: ProviderKey

    package static let defaultURL = "https://api.anthropic.com"

    /// - Parameter url: without `/v1/messages`.
    package init(
        name: String,
        provider: String = "anthropic",
        model: String,
        key: ProviderKey,
        url: String = AnthropicSource.defaultURL,
        trust: Double = 1
    ) {
        self.name = name
        self.provider = provider
        self.model = model
        self.key = key
        self.url = withoutTrailingSlash(url)
        self.trust = trust
    }

    package var promptVersion: String { Prompt.stance.version }
    package var tokensMax: Int { max(Prompt.stance.tokensMax, Prompt.interpretation.tokensMax) }

    package func stanceRequest(topic: String) -> ProviderRequest? {
        request(.stance, topic: topic)
    }

    package func interpretationRequest(topic: String) -> ProviderRequest? {
        request(.interpretation, topic: topic)
    }

    package func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples> {
        answer(response, calling: Prompt.stance.tool.name) { input, model in
            StanceSample.recorded(input, author: name, model: model).map { StanceSamples([$0]) }
        }
    }

    package func interpretation(
        from response: ProviderResponse
    ) -> ProviderAnswer<Interpretation> {
        answer(response, calling: Prompt.interpretation.tool.name) { input, _ in
            Interpretation.recorded(input, source: name)
        }
    }

    // MARK: The request

    private func request(_ prompt: Prompt, topic: String) -> ProviderRequest {
        var json = JSONWriter()
        json.object {
            $0.field("model", model)
            $0.field("max_tokens", Prompt.outputTokensMax)
            $0.field("system", prompt.system)
            $0.array("messages") {
                $0.object {
                    $0.field("role", "user")
                    $0.field("content", prompt.question(topic: topic))
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

    private func answer<Value>(
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
            let model = message.model.flatMap { OutsideText.keptName($0) } ?? model
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
        // Two records contradict each other, or say one thing twice.
        guard inputs.count == 1 else { return .failure(.garbage) }
        return .success(input)
    }
}

func withoutTrailingSlash(_ url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
}
