/// Any service that answers a GET with opinions in JSON, read by a mapping.
///
/// An item counts only if every field that the mapping names is present and valid; other items are
/// skipped and counted. `author`, `model` and `reasoning` may be missing.
package struct JSONSource: OpinionSource {
    package let name: String
    package let provider: String
    package let model: String
    package let trust: Double
    private let urlTemplate: String
    private let key: ProviderKey?
    private let mapping: JSONMapping

    /// The placeholder for the topic in the URL.
    package static let topicPlaceholder = "{topic}"

    /// - Parameters:
    ///   - model: of the opinions that name none.
    ///   - key: sent as a bearer token.
    ///   - url: with `{topic}` where the topic belongs. A key does not belong in it.
    package init(
        name: String,
        provider: String? = nil,
        model: String? = nil,
        key: ProviderKey? = nil,
        url: String,
        mapping: JSONMapping,
        trust: Double = 1
    ) {
        self.name = name
        self.provider = provider ?? name
        self.model = model ?? name
        self.key = key
        self.urlTemplate = url
        self.mapping = mapping
        self.trust = trust
    }

    /// Another URL or mapping is another question.
    package var promptVersion: String {
        let digest = sha256((urlTemplate + "\n" + mapping.signature).utf8)
        let shownBytes = 4
        return "json-" + digest.prefix(shownBytes).map(hexadecimal).joined()
    }

    package var tokensMax: Int { 0 }

    /// Its own: the items of one answer may be of many.
    package func seriesModel(of sample: StanceSample) -> String { model }

    package func stanceRequest(topic: String) -> ProviderRequest? {
        var headers = [HeaderField("accept", "application/json")]
        if let key {
            headers.append(HeaderField("authorization", "Bearer \(key.text)", isSecret: true))
        }
        let url = urlTemplate.replacing(Self.topicPlaceholder, with: percentEncoded(topic))
        return ProviderRequest(method: "GET", url: url, headers: headers, body: [])
    }

    package func stances(from response: ProviderResponse) -> ProviderAnswer<StanceSamples> {
        if let failure = ProviderFailure(response, notFoundDisables: false) {
            return .failure(failure)
        }
        guard let body = JSONObject.json(response.body), let text = try? JSONReader.value(of: body),
            let list = JSONMapping.value(at: mapping.items, in: text),
            let items = try? JSONReader.elements(of: list)
        else { return .none(.garbage, usage: Self.usage) }
        let samples = items.prefix(RadarLimits.opinionsPerAnswerMax).compactMap(sample)
        return .value(
            StanceSamples(samples, skippedCount: items.count - samples.count),
            usage: Self.usage
        )
    }

    private static let usage = TokenUsage(inputTokens: 0, outputTokens: 0)

    // MARK: One item

    private func sample(_ item: ArraySlice<UInt8>) -> StanceSample? {
        guard let stance = scalar(mapping.stance, item).flatMap(mapping.stance(of:)),
            let content = string(mapping.content, item).map(PlainText.of)
                .flatMap({ OutsideText.kept($0, bytesMax: RadarLimits.contentBytesMax) }),
            let confidence = confidence(item)
        else { return nil }
        let id = mapping.id.flatMap { scalar($0, item) }.flatMap { OutsideText.keptName($0) }
        guard mapping.id == nil || id != nil else { return nil }
        return StanceSample(
            externalID: id,
            author: mapping.author.flatMap { string($0, item) }.map(PlainText.of)
                .flatMap { OutsideText.keptName($0) } ?? name,
            model: mapping.model.flatMap { string($0, item) }.flatMap { OutsideText.keptName($0) }
                ?? model,
            content: content,
            stance: stance,
            confidence: confidence,
            reasoning: mapping.reasoning.flatMap { string($0, item) }.map(PlainText.of)
                .flatMap { OutsideText.kept($0, bytesMax: RadarLimits.reasoningBytesMax) }
        )
    }

    private func confidence(_ item: ArraySlice<UInt8>) -> Double? {
        guard let path = mapping.confidence else { return JSONMapping.unstatedConfidence }
        guard let number = JSONMapping.value(at: path, in: item).flatMap(JSONObject.number),
            (0...1).contains(number)
        else { return nil }
        return number
    }

    private func string(_ path: String, _ item: ArraySlice<UInt8>) -> String? {
        JSONMapping.value(at: path, in: item).flatMap(JSONReader.shownText)
    }

    /// A text, or a number or truth value as it is written.
    private func scalar(_ path: String, _ item: ArraySlice<UInt8>) -> String? {
        guard let value = JSONMapping.value(at: path, in: item), let first = value.first else {
            return nil
        }
        switch first {
        case UInt8(ascii: "\""): return JSONReader.string(value)
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "n"): return nil
        default: return String(decoding: value, as: UTF8.self)
        }
    }
}

/// Encodes all characters except the unreserved ones of RFC 3986 §2.3.
func percentEncoded(_ text: String) -> String {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
        if unreserved.contains(byte) {
            encoded.append(byte)
        } else {
            encoded.append(UInt8(ascii: "%"))
            encoded.append(contentsOf: hexadecimal(byte).uppercased().utf8)
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}

/// Two digits.
func hexadecimal(_ byte: UInt8) -> String {
    (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
}
