// The input that a model recorded with a tool, checked here: models and clones do not always
// conform to a tool's schema.

extension StanceSample {
    /// The stance in a tool's input, or why there is none.
    static func recorded(
        _ input: JSONObject,
        author: String,
        model: String
    ) -> Result<StanceSample, NoAnswer> {
        let word = input.string("stance")?.plainWord
        if word == Prompt.noOpinionWord { return .failure(.unanswered) }
        guard let stance = word.flatMap({ Stance(rawValue: $0) }),
            let confidence = input.number("confidence"), (0...1).contains(confidence),
            let content = input.string("content")
                .flatMap({ OutsideText.kept($0, bytesMax: RadarLimits.contentBytesMax) }),
            input.isNull("reasoning") || input.string("reasoning") != nil
        else { return .failure(.garbage) }
        let sample = StanceSample(
            author: author,
            model: model,
            content: content,
            stance: stance,
            confidence: confidence,
            reasoning: input.string("reasoning")
                .flatMap { OutsideText.kept($0, bytesMax: RadarLimits.reasoningBytesMax) }
        )
        return .success(sample)
    }
}

extension Interpretation {
    /// The interpretation from a tool's input, if that has the requested form.
    static func recorded(
        _ input: JSONObject,
        source: String
    ) -> Result<Interpretation, NoAnswer> {
        guard
            let text = input.string("text")
                .flatMap({ OutsideText.kept($0, bytesMax: RadarLimits.contentBytesMax) }),
            let category = input.string("category")?.plainWord,
            Interpretation.categories.contains(category),
            input.isNull("subCategory") || input.string("subCategory") != nil,
            let sentiment = input.string("sentiment").flatMap({ Sentiment(rawValue: $0.plainWord) }
            ),
            let tags = input.elements("tags").flatMap(Interpretation.tags)
        else { return .failure(.garbage) }
        let interpretation = Interpretation(
            text: text,
            category: category,
            subCategory: input.string("subCategory").flatMap { OutsideText.keptName($0) },
            tags: tags,
            sentiment: sentiment,
            source: source
        )
        return .success(interpretation)
    }

    /// Lower case, each once; nil when one is not a text.
    private static func tags(_ elements: [ArraySlice<UInt8>]) -> [String]? {
        var tags: [String] = []
        for element in elements {
            guard let text = JSONReader.shownText(element) else { return nil }
            guard let tag = OutsideText.keptName(text.lowercased(), lengthMax: tagLengthMax),
                !tags.contains(tag), tags.count < tagsMax
            else { continue }
            tags.append(tag)
        }
        return tags
    }

    /// The categories of a topic. A model must choose one of them, as the lexical fallback does.
    package static let categories = [
        "politics", "economy", "work", "technology", "science", "health", "environment",
        "education", "society", "culture", "sport", "other",
    ]
    static let tagsMax = 5
    /// In characters.
    static let tagLengthMax = 40
}
