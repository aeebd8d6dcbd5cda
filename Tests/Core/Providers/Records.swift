import Core

/// The answer of a model in these tests: the arguments of its call of `record_stance`.
struct Record: Sendable, Equatable {
    var stance: String
    var content: String
    var model: String
}

let anthropic = AnthropicModel("m-asked", key: ProviderKey("k"))
let openAI = OpenAIModel("m-asked", key: ProviderKey("k"))

extension ToolModel {
    /// Reads a record. A record without a content is garbage; the stance `none` is no answer.
    func record(from response: ProviderResponse) -> ProviderAnswer<Record> {
        answer(response, calling: "record_stance") { arguments, model in
            guard arguments.string("stance") != "none" else { return .failure(.unanswered) }
            guard let stance = arguments.string("stance"),
                let content = arguments.string("content")
            else { return .failure(.garbage) }
            return .success(Record(stance: stance, content: content, model: model))
        }
    }
}

func response(
    _ status: Int = 200,
    _ headers: [String: String] = [:],
    _ body: String = ""
) -> ProviderResponse {
    ProviderResponse(
        status: status,
        headers: headers.map { HeaderField($0.key, $0.value) },
        body: Array(body.utf8)
    )
}
