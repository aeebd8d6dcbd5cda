/// The parts of an answer of the Messages API that are used, whether it came as one object or in
/// events.
struct AnthropicMessage {
    /// The dated name.
    var model: String?
    var stopReason: String?
    /// The calls of tools in their order; blocks of other types are not kept.
    var calls: [Call] = []
    var usage: TokenUsage?

    struct Call {
        let name: String?
        let input: JSONObject
    }

    /// The result of reading a body with status 200.
    enum Reading {
        case message(AnthropicMessage)
        /// An error, by which even a begun stream may end.
        case error(ProviderErrorObject?)
        /// A stream that ends before its end.
        case truncated(usage: TokenUsage?)
        case garbage
    }

    static func read(_ response: ProviderResponse) -> Reading {
        if response.isEventStream {
            guard let text = JSONObject.text(response.body) else { return .garbage }
            var stream = AnthropicStream()
            return stream.read(text)
        }
        guard let body = JSONObject(body: response.body) else { return .garbage }
        switch body.string("type") {
        case "message": return AnthropicMessage(body).map { .message($0) } ?? .garbage
        case "error": return .error(ProviderErrorObject(body))
        default: return .garbage
        }
    }

    private init?(_ body: JSONObject) {
        guard let content = body.elements("content") else { return nil }
        self.init(head: body)
        for element in content {
            guard let block = JSONObject(element), let type = block.string("type") else {
                return nil
            }
            guard type == "tool_use" else { continue }
            guard let input = block["input"].flatMap(JSONObject.nested) else { return nil }
            calls.append(Call(name: block.string("name"), input: input))
        }
    }

    /// Reads the parts that an answer and the beginning of a stream have in common.
    init(head: JSONObject) {
        model = head.string("model")
        stopReason = head.string("stop_reason")
        usage = head.object("usage").flatMap { AnthropicMessage.usage($0) }
    }

    /// Tokens read from or written to the provider's cache are not among `input_tokens`.
    static func usage(_ usage: JSONObject) -> TokenUsage? {
        guard let input = usage.count("input_tokens"), let output = usage.count("output_tokens")
        else { return nil }
        let cached =
            (usage.count("cache_creation_input_tokens") ?? 0)
            + (usage.count("cache_read_input_tokens") ?? 0)
        return TokenUsage(inputTokens: input + cached, outputTokens: output)
    }
}
