/// Assembles the events of a streamed answer into a message.
///
/// Streams are not requested, but some proxies answer with one. The whole body is read at once. A
/// tool's input comes in pieces that mean nothing before the end of their block, and the message
/// means nothing before `message_stop`. Events and blocks of unknown types are skipped.
struct AnthropicStream {
    private var message: AnthropicMessage?
    /// Blocks that have begun and not ended, by their index.
    private var open: [Int: Block] = [:]

    private enum Block {
        case other
        case call(name: String?, input: JSONObject?, pieces: [UInt8])
    }

    /// The step that follows one event.
    private enum Step {
        case next, end, garbage
        case error(ProviderErrorObject?)
    }

    /// Reads a whole body; to be called once.
    mutating func read(_ body: ArraySlice<UInt8>) -> AnthropicMessage.Reading {
        for event in ServerSentEvent.events(of: body) {
            guard let data = JSONObject(event.data[...]), let type = data.string("type") else {
                return .garbage
            }
            switch take(type, data) {
            case .next: continue
            case .garbage: return .garbage
            case .error(let error): return .error(error)
            case .end:
                guard let message, open.isEmpty else { return .garbage }
                return .message(message)
            }
        }
        return message.map { .truncated(usage: $0.usage) } ?? .garbage
    }

    private mutating func take(_ type: String, _ data: JSONObject) -> Step {
        switch type {
        case "message_start":
            guard message == nil, let head = data.object("message") else { return .garbage }
            message = AnthropicMessage(head: head)
            return .next
        case "content_block_start": return begin(data)
        case "content_block_delta": return append(data)
        case "content_block_stop": return finish(data)
        case "message_delta": return change(data)
        case "message_stop": return .end
        case "error": return .error(ProviderErrorObject(data))
        default: return .next
        }
    }

    private mutating func begin(_ data: JSONObject) -> Step {
        guard let index = data.count("index"), open[index] == nil,
            let block = data.object("content_block"), let type = block.string("type")
        else { return .garbage }
        open[index] =
            type == "tool_use"
            ? .call(name: block.string("name"), input: block.object("input"), pieces: [])
            : .other
        return .next
    }

    private mutating func append(_ data: JSONObject) -> Step {
        guard let index = data.count("index"), let block = open[index],
            let delta = data.object("delta")
        else { return .garbage }
        guard case .call(let name, let input, var pieces) = block else { return .next }
        guard delta.string("type") == "input_json_delta" else { return .next }
        guard let piece = delta.string("partial_json") else { return .garbage }
        // Without this the array would be copied for each piece.
        open[index] = .other
        pieces.append(contentsOf: piece.utf8)
        open[index] = .call(name: name, input: input, pieces: pieces)
        return .next
    }

    private mutating func finish(_ data: JSONObject) -> Step {
        guard let index = data.count("index"), let block = open.removeValue(forKey: index) else {
            return .garbage
        }
        guard case .call(let name, let input, let pieces) = block else { return .next }
        guard let input = pieces.isEmpty ? input : JSONObject(pieces[...]) else { return .garbage }
        message?.calls.append(AnthropicMessage.Call(name: name, input: input))
        return .next
    }

    /// The counts of output tokens are those so far, not those since the last event.
    private mutating func change(_ data: JSONObject) -> Step {
        guard let delta = data.object("delta") else { return .garbage }
        if let reason = delta.string("stop_reason") { message?.stopReason = reason }
        if let output = data.object("usage")?.count("output_tokens"), let usage = message?.usage {
            message?.usage = TokenUsage(inputTokens: usage.inputTokens, outputTokens: output)
        }
        return .next
    }
}
