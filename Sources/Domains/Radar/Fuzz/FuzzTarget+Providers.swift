// RadarFuzz: the handling of arbitrary bytes from sources of opinions.

import FuzzKit
import Radar

extension FuzzTarget {
    /// One for each way in which a source of opinions answers.
    package static let radarTargets = [
        FuzzTarget("provider-anthropic", lengthMax: 4096, dictionary: "provider") {
            try checkAI(anthropic, $0, type: "application/json")
        },
        FuzzTarget("provider-anthropic-stream", lengthMax: 4096, dictionary: "provider") {
            try checkAI(anthropic, $0, type: "text/event-stream")
        },
        FuzzTarget("provider-openai", lengthMax: 4096, dictionary: "provider") {
            try checkAI(openAI, $0, type: "application/json")
        },
        FuzzTarget("provider-json", lengthMax: 4096, dictionary: "provider") {
            for mapping in mappings { try checkMapped(mapping, $0) }
        },
        FuzzTarget("provider-events", lengthMax: 1024, dictionary: "provider") {
            try checkEvents($0)
        },
    ]
}

private let anthropic = ModelSource(name: "a", model: AnthropicModel("m", key: ProviderKey("k")))
private let openAI = ModelSource(name: "o", model: OpenAIModel("m", key: nil))
private let mappings = [
    JSONMapping(),
    JSONMapping(
        items: "rows.list",
        stance: "v.0",
        content: "text",
        id: "id",
        confidence: "sure",
        author: "by.name",
        model: "by.kind",
        reasoning: "why"
    ),
]

/// With any status: an opinion and an interpretation within their limits, none, or a failure whose
/// reason can be shown. Whatever holds an opinion is whole: without its last byte it holds none.
private func checkAI(_ source: some OpinionSource, _ bytes: [UInt8], type: String) throws {
    for status in [200, 400, 429] {
        let response = response(status, type, bytes)
        let answer = source.stances(from: response)
        try expect(source.stances(from: response) == answer, "twice is not the same")
        switch answer {
        case .value(let stances, _):
            try expect(status == 200, "an opinion with status \(status)")
            try expect(stances.samples.count == 1, "\(stances.samples.count) opinions")
            try stances.samples.forEach(check)
            try checkCut(source, bytes, type)
        case .none: break
        case .failure(let failure): try checkDescription(failure.reason)
        }
        switch source.interpretation(from: response) {
        case .value(let value, _): try check(value)
        case .none: break
        case .failure(let failure): try checkDescription(failure.reason)
        }
    }
}

private func response(_ status: Int, _ type: String, _ body: [UInt8]) -> ProviderResponse {
    ProviderResponse(status: status, headers: [HeaderField("content-type", type)], body: body)
}

/// A stream may go on after its end, and space may follow an object; nothing else is redundant.
private func checkCut(
    _ source: some OpinionSource,
    _ bytes: [UInt8],
    _ type: String
) throws {
    try expect(String(validating: bytes, as: UTF8.self) != nil, "an opinion that is not UTF-8")
    guard type == "application/json", let end = bytes.lastIndex(of: UInt8(ascii: "}")) else {
        return
    }
    try expect((try? JSONReader.value(of: bytes[...])) != nil, "an opinion that is no JSON")
    let cut = response(200, type, Array(bytes[..<end]))
    guard case .none(.garbage, _) = source.stances(from: cut) else {
        throw Violation(description: "an opinion from an answer that was cut")
    }
}

private func check(_ sample: StanceSample) throws {
    try expect((0...1).contains(sample.confidence), "confidence \(sample.confidence)")
    try checkText(sample.content, bytesMax: RadarLimits.contentBytesMax)
    if let reasoning = sample.reasoning {
        try checkText(reasoning, bytesMax: RadarLimits.reasoningBytesMax)
    }
    for name in [sample.author, sample.model, sample.externalID ?? "none"] {
        try expect(!name.isEmpty, "an empty name")
        try expect(name.count <= RadarLimits.nameLengthMax, "a name of \(name.count) characters")
    }
}

private func check(_ interpretation: Interpretation) throws {
    try checkText(interpretation.text, bytesMax: RadarLimits.contentBytesMax)
    try expect(
        Interpretation.categories.contains(interpretation.category),
        "category \(interpretation.category)"
    )
    try expect(Set(interpretation.tags).count == interpretation.tags.count, "a tag twice")
    try expect(interpretation.tags.count <= 5, "\(interpretation.tags.count) tags")
}

private func checkText(_ text: String, bytesMax: Int) throws {
    try expect((1...bytesMax).contains(text.utf8.count), "a text of \(text.utf8.count) bytes")
    let controls = text.unicodeScalars.filter { $0.properties.generalCategory == .control }
    try expect(controls.allSatisfy { "\n\t".unicodeScalars.contains($0) }, "control characters")
}

/// Opinions within their limits, and every other item counted.
private func checkMapped(_ mapping: JSONMapping, _ bytes: [UInt8]) throws {
    let source = JSONSource(name: "j", url: "http://127.0.0.1/{topic}", mapping: mapping)
    guard case .value(let stances, _) = source.stances(from: response(200, "a/b", bytes)) else {
        return
    }
    try expect((try? JSONReader.value(of: bytes[...])) != nil, "opinions that are no JSON")
    try expect(
        stances.samples.count <= RadarLimits.opinionsPerAnswerMax,
        "\(stances.samples.count) opinions"
    )
    try expect(stances.skippedCount >= 0, "\(stances.skippedCount) skipped")
    try stances.samples.forEach(check)
}

/// Compares with a simpler reader, and checks that the events of a beginning are the first ones of
/// the whole.
private func checkEvents(_ bytes: [UInt8]) throws {
    let events = ServerSentEvent.events(of: bytes[...])
    try expect(events.map(\.data) == plainEvents(bytes), "a plainer reader finds others")
    let half = ServerSentEvent.events(of: bytes[..<(bytes.count / 2)])
    try expect(events.starts(with: half), "a beginning has other events")
}

/// Normalises all line ends first, and reads one line after the other.
private func plainEvents(_ bytes: [UInt8]) -> [[UInt8]] {
    var text: [UInt8] = []
    var previous: UInt8?
    for byte in bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...] {
        if byte != 0x0A || previous != 0x0D { text.append(byte == 0x0D ? 0x0A : byte) }
        previous = byte
    }
    var events: [[UInt8]] = []
    var lines: [[UInt8]] = []
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
        if line.isEmpty, !lines.isEmpty {
            events.append(Array(lines.joined(separator: [0x0A])))
            lines = []
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard name.elementsEqual("data".utf8) else { continue }
        let value = line.dropFirst(name.count + 1)
        lines.append(Array(value.first == 0x20 ? value.dropFirst() : value))
    }
    return events
}
