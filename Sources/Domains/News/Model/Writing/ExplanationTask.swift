/// The explanation of a story for the holders of one company.
package struct ExplanationTask: WritingTask {
    /// The limits of the fields, in characters.
    static let headlineLengthMax = 160
    static let impactLengthMax = 500
    static let actionLengthMax = 250
    static let contextLengthMax = 700
    /// Articles of the story whose texts are sent.
    package static let textsMax = 5
    package static let textBytesMax = 2000

    private let story: ExplainedStory
    private let ticker: Ticker

    /// - Parameter ticker: the company that the reader holds.
    package init(_ story: ExplainedStory, for ticker: Ticker) {
        self.story = story
        self.ticker = ticker
    }

    /// Not stored: lists need the key of a task and nothing else of it.
    private var texts: [String] {
        story.texts.prefix(ExplanationTask.textsMax).compactMap {
            OutsideText.kept($0, bytesMax: ExplanationTask.textBytesMax)
        }
    }

    // MARK: The question

    package static var kind: WritingKind { .explanation }

    package var key: [UInt8] {
        let version = ExplanationTask.prompt.version
        return sha256("\(version) \(story.storyID) \(story.revision) \(ticker)".utf8)
    }

    package var subject: WritingSubject { .story(id: story.storyID) }

    package var prompt: ToolPrompt {
        ExplanationTask.prompt.about(
            "Record what the story means for a reader who holds \(ticker)."
        ) { json in
            json.field("holding", ticker.text)
            json.field("title", story.title)
            json.textArray("articles", texts)
            json.textArray("facts", facts)
        }
    }

    /// Found by the hub, in its own words.
    private var facts: [String] {
        var facts = story.reasons
        if story.opportunity.kind != .none { facts.append(story.opportunity.note) }
        if let horizon = story.horizon { facts.append("Matters in the \(horizon.rawValue) term") }
        return facts
    }

    static let prompt = WritingPrompt(
        version: "explanation-1",
        system: """
            You explain to a private investor why a news story matters for one company that the \
            investor holds.
            \(WritingPrompt.rules)
            Call record_explanation once. The action is something to read, to follow or to \
            understand, never a trade. State your confidence honestly, from 0 for a guess to 1 for \
            certainty. Write in English. If the story has nothing to do with the company, record an \
            empty headline.
            """,
        tool: ToolPrompt.Tool(
            name: "record_explanation",
            description: "Records the explanation. To be called exactly once.",
            schema: """
                {"type":"object","properties":{\
                "headline":{"type":"string","description":"One line of at most 100 characters."},\
                "impact":{"type":"string","description":"What it means for the company, in one or two sentences."},\
                "action":{"type":"string","description":"What to read, follow or understand, in one short sentence."},\
                "context":{"type":"string","description":"What happened, in at most three sentences."},\
                "confidence":{"type":"number","description":"From 0 to 1."}\
                },"required":["headline","impact","action","context","confidence"],\
                "additionalProperties":false}
                """
        ),
        outputTokensMax: 1024
    )

    // MARK: The answer

    package static func text(
        _ arguments: JSONObject
    ) -> Result<PersonalSignalView.Explanation, NoAnswer> {
        guard let headline = arguments.line("headline", headlineLengthMax),
            let impact = arguments.line("impact", impactLengthMax),
            let action = arguments.line("action", actionLengthMax),
            let context = arguments.line("context", contextLengthMax),
            let confidence = arguments.number("confidence"), (0...1).contains(confidence)
        else { return .failure(.garbage) }
        guard !headline.isEmpty else { return .failure(.unanswered) }
        guard !impact.isEmpty, !action.isEmpty, !context.isEmpty else { return .failure(.garbage) }
        let explanation = PersonalSignalView.Explanation(
            headline: headline,
            impact: impact,
            action: action,
            context: context,
            confidence: confidence
        )
        return .success(explanation)
    }

    package static func write(_ text: PersonalSignalView.Explanation, to json: inout JSONWriter) {
        json.field("headline", text.headline)
        json.field("impact", text.impact)
        json.field("action", text.action)
        json.field("context", text.context)
        json.field("confidence", text.confidence)
    }

    package func fault(
        in text: PersonalSignalView.Explanation,
        extractor: TickerExtractor
    ) -> WritingFault? {
        guard text.headline.count <= ExplanationTask.headlineLengthMax,
            text.impact.count <= ExplanationTask.impactLengthMax,
            text.action.count <= ExplanationTask.actionLengthMax,
            text.context.count <= ExplanationTask.contextLengthMax
        else { return .tooLong }
        return WritingFault.find(
            in: [text.headline, text.impact, text.action, text.context],
            inputs: [story.title] + texts + facts,
            tickers: [ticker],
            extractor: extractor
        )
    }
}

extension JSONObject {
    /// A text on one line; empty if it has no characters, and nil if the field is no text. One that
    /// is longer than `lengthMax` characters has at least one character more.
    func line(_ name: String, _ lengthMax: Int) -> String? {
        string(name).map { OutsideText.keptName($0, lengthMax: lengthMax + 1) ?? "" }
    }
}
