import Core
import Expectations

@Suite("Anthropic: answers in events", .timeLimit(.minutes(10)))
struct AnthropicStreamTests {
    private let start = #"""
        {"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":5,"output_tokens":1}}}
        """#
    private let begin = #"""
        {"type":"content_block_start","index":0,"content_block":\#
        {"type":"tool_use","name":"record_stance","input":{}}}
        """#
    private let end = #"{"type":"content_block_stop","index":0}"#
    private let delta =
        #"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#
    private let stop = #"{"type":"message_stop"}"#

    private func piece(_ text: String) -> String {
        let escaped = text.replacing("\"", with: "\\\"")
        return #"{"type":"content_block_delta","index":0,"delta":"#
            + "{\"type\":\"input_json_delta\",\"partial_json\":\"\(escaped)\"}}"
    }

    private var record: [String] {
        [piece(#"{"stance":"against","conf"#), piece(#"idence":1,"content":"No."}"#)]
    }

    private func answer(_ events: [String]) -> ProviderAnswer<Record> {
        let body = events.map { "data: \($0)\n\n" }.joined()
        return anthropic.record(
            from: response(200, ["Content-Type": "Text/Event-Stream"], body)
        )
    }

    private let usage = TokenUsage(inputTokens: 5, outputTokens: 9)
    private var expected: ProviderAnswer<Record> {
        .value(
            Record(stance: "against", content: "No.", model: "m-1"),
            usage: usage
        )
    }

    @Test func piecesAreReadAtTheEndOfTheirBlock() {
        expectEqual(answer([start, begin] + record + [end, delta, stop]), expected)
    }

    @Test func whatIsUnknownIsPassedOver() {
        let others = [
            #"{"type":"ping"}"#, #"{"type":"event_of_tomorrow","index":"a"}"#,
            #"{"type":"content_block_start","index":1,"content_block":{"type":"thinking"}}"#,
            #"{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta"}}"#,
            #"{"type":"content_block_delta","index":0,"delta":{"type":"delta_of_tomorrow"}}"#,
            #"{"type":"content_block_stop","index":1}"#,
        ]
        expectEqual(answer([start, begin] + others + record + [end, delta, stop]), expected)
    }

    @Test func inputWithoutPiecesIsTheOneOfItsBeginning() {
        let whole = begin.replacing(
            "\"input\":{}",
            with: #""input":{"stance":"against","confidence":1,"content":"No."}"#
        )
        expectEqual(answer([start, whole, end, delta, stop]), expected)
    }

    @Test func whatFollowsTheEndIsNotRead() {
        expectEqual(answer([start, begin] + record + [end, delta, stop, "{"]), expected)
    }

    @Test func errorCountsWhereverItStands() {
        let error = #"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#
        let whole = [start, begin] + record + [end, delta]
        for count in 0...whole.count {
            expectEqual(
                answer(whole.prefix(count) + [error, stop]),
                .failure(
                    .retryable(
                        reason: "status 500, overloaded_error",
                        after: nil,
                        isOverload: true
                    )
                ),
                "after \(count) events"
            )
        }
    }

    @Test func errorThatTellsNothingIsTriedAgain() {
        expectEqual(
            answer([start, #"{"type":"error"}"#]),
            .failure(.retryable(reason: "status 500", after: nil, isOverload: false))
        )
    }

    @Test func streamWithoutItsEndIsTruncated() {
        expectEqual(
            answer([start, begin] + record + [end, delta]),
            .none(.truncated, usage: usage)
        )
        expectEqual(
            answer([start]),
            .none(.truncated, usage: TokenUsage(inputTokens: 5, outputTokens: 1))
        )
    }

    @Test func stopReasonIsThatOfTheLastChange() {
        let refusal = delta.replacing("tool_use", with: "refusal")
        expectEqual(
            answer([start, begin] + record + [end, refusal, stop]),
            .none(.refusal, usage: usage)
        )
        expectEqual(
            answer([start, begin] + record + [end, stop]),
            .none(.garbage, usage: TokenUsage(inputTokens: 5, outputTokens: 1)),
            "none at all"
        )
    }

    @Test(arguments: [
        [], ["stop"], ["begin"], ["start", "start"], ["start", "begin", "begin"],
        ["start", "piece"], ["start", "end"], ["start", "begin", "delta", "stop"],
        ["start", "text"], ["start", "begin", "badPiece"], ["start", "noIndex"],
    ])
    func eventsThatDoNotBelongTogetherAreGarbage(names: [String]) {
        let events = [
            "start": start, "begin": begin, "end": end, "delta": delta, "stop": stop,
            "piece": piece("{}"), "text": "Hello", "noIndex": #"{"type":"content_block_stop"}"#,
            "badPiece":
                #"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta"}}"#,
        ]
        expectEqual(answer(names.compactMap { events[$0] }), .none(.garbage, usage: nil))
    }
}
