/// The summary of one revision of an article.
///
/// The permitted length of a summary depends on the publisher's text. Feeds often have a few
/// hundred characters, and paragraphs made of those would be invented.
package struct SummaryTask: WritingTask {
    /// The length that the model is asked for.
    package enum Length: CaseIterable, Sendable {
        /// At most two.
        case sentences
        /// Two or three, short ones.
        case paragraphs
    }

    /// Characters of a source text from which on a summary is asked for.
    package static let sourceLengthMin = 200
    /// Characters from which on the summary has paragraphs.
    package static let paragraphsSourceLengthMin = 600

    private static let paragraphBreak = "\n\n"
    static let sentencesMax = 2
    static let sentencesLengthMax = 450
    static let paragraphsMax = 3
    static let paragraphsLengthMax = 1800

    package let length: Length
    private let id: Int
    private let revision: Int
    private let source: String
    private let title: String
    private let text: String

    /// Nil for an article whose own text is short enough to be shown as it is.
    package init?(_ article: Article) {
        let text = SummaryTask.sourceText(of: article)
        guard text.count >= SummaryTask.sourceLengthMin,
            let kept = OutsideText.kept(text, bytesMax: WritingPrompt.sourceBytesMax)
        else { return nil }
        length = text.count < SummaryTask.paragraphsSourceLengthMin ? .sentences : .paragraphs
        id = article.id
        revision = article.revision
        source = article.source.title
        title = article.title
        self.text = kept
    }

    /// Whether an article has so few bytes that it has no task.
    package static func isShort(_ article: Article) -> Bool {
        article.summary.utf8.count + paragraphBreak.utf8.count + article.content.utf8.count
            < SummaryTask.sourceLengthMin
    }

    /// The publisher's own text: the content, and the summary unless the content begins with it.
    private static func sourceText(of article: Article) -> String {
        guard !article.content.isEmpty else { return article.summary }
        guard !article.summary.isEmpty, !article.content.hasPrefix(article.summary) else {
            return article.content
        }
        return article.summary + paragraphBreak + article.content
    }

    // MARK: The question

    package static var kind: WritingKind { .summary }

    package var key: [UInt8] { SummaryTask.key(article: id, revision: revision) }

    /// The key of an article's task, without the cost of making the task.
    package static func key(of article: Article) -> [UInt8] {
        key(article: article.id, revision: article.revision)
    }

    private static func key(article id: Int, revision: Int) -> [UInt8] {
        sha256("summary \(id) \(revision)".utf8)
    }

    /// Whether a change only of digits changes a number that the summary has. That of a counter, such
    /// as the count of comments, does not.
    package static func isOutdated(
        _ summary: String,
        from former: Article,
        to article: Article
    ) -> Bool {
        let summarised = Set(NumberValue.numbers(in: summary))
        return [\Article.title, \.summary, \.content].contains { text in
            let numbers = NumberValue.numbers(in: former[keyPath: text])
            let changed = NumberValue.numbers(in: article[keyPath: text])
            guard numbers.count == changed.count else { return true }
            return zip(numbers, changed).contains { $0 != $1 && summarised.contains($0) }
        }
    }

    package var subject: WritingSubject { .article(id: id) }

    package var prompt: ToolPrompt {
        SummaryTask.prompt.about(SummaryTask.task(length)) { json in
            json.field("publisher", source)
            json.field("title", title)
            json.field("text", text)
        }
    }

    static func task(_ length: Length) -> String {
        switch length {
        case .sentences: "Record a summary of the article in at most two sentences."
        case .paragraphs:
            """
            Record a summary of the article in two or three short paragraphs, with an empty line \
            between them.
            """
        }
    }

    static let prompt = WritingPrompt(
        version: "summary-1",
        system: """
            You summarise one news article for readers who have not seen it.
            \(WritingPrompt.rules)
            Write in the language of the article. Call record_summary once. If the material is no \
            article, such as an error page or a list of links, record an empty summary.
            """,
        tool: ToolPrompt.Tool(
            name: "record_summary",
            description: "Records the summary of the article. To be called exactly once.",
            schema: """
                {"type":"object","properties":{\
                "summary":{"type":"string","description":"Plain text, or empty."}\
                },"required":["summary"],"additionalProperties":false}
                """
        ),
        outputTokensMax: 1024
    )

    // MARK: The answer

    package static func text(_ arguments: JSONObject) -> Result<String, NoAnswer> {
        guard let summary = arguments.string("summary") else { return .failure(.garbage) }
        // Over its limit in any length, so that `fault` finds it.
        let bytesMax = ProviderLimits.answerBytesMax
        guard let kept = OutsideText.kept(summary, bytesMax: bytesMax) else {
            return .failure(.unanswered)
        }
        let paragraphs = kept.split(whereSeparator: \.isNewline).compactMap { line in
            OutsideText.kept(String(line), bytesMax: bytesMax)
        }
        return .success(paragraphs.joined(separator: "\n\n"))
    }

    package static func write(_ text: String, to json: inout JSONWriter) {
        json.field("summary", text)
    }

    package func fault(in summary: String, extractor: TickerExtractor) -> WritingFault? {
        guard isShort(summary), summary.count <= text.count else { return .tooLong }
        return WritingFault.find(
            in: [summary],
            inputs: [title, text, source],
            extractor: extractor
        )
    }

    private func isShort(_ summary: String) -> Bool {
        switch length {
        case .sentences:
            summary.count <= SummaryTask.sentencesLengthMax
                && sentenceCount(of: summary) <= SummaryTask.sentencesMax
        case .paragraphs:
            summary.count <= SummaryTask.paragraphsLengthMax
                && summary.split(separator: "\n\n").count <= SummaryTask.paragraphsMax
        }
    }
}

/// Ends at full stops, exclamation and question marks before a space or the end. Those of short
/// forms such as `U.S.` and `Inc.` end no sentence.
func sentenceCount(of text: String) -> Int {
    var count = 0
    var hasWords = false
    var index = text.startIndex
    while index < text.endIndex {
        let character = text[index]
        let next = text.index(after: index)
        let isEnd = next == text.endIndex || text[next].isWhitespace
        switch character {
        case ".", "!", "?", "…":
            if isEnd, hasWords, !TextInterpretation.isAbbreviation(text[..<index]) {
                count += 1
                hasWords = false
            }
        // They have no space after them.
        case "。", "！", "？":
            count += hasWords ? 1 : 0
            hasWords = false
        default:
            hasWords = hasWords || character.isLetter || character.isNumber
        }
        index = next
    }
    return hasWords ? count + 1 : count
}
