@testable import News

/// What the tests of written texts share: a model whose answers are made here.
enum WritingExamples {
    static let model = AnthropicModel("model-1", key: ProviderKey("key"))
    static let usage = TokenUsage(inputTokens: 30, outputTokens: 20)
    static let extractor = TickerExtractor(
        table: CompanyTable("AAPL=apple inc;MSFT=microsoft;ACME=acme rockets;")
    )

    /// An answer of the Messages API that calls a tool with these arguments.
    static func response(
        _ tool: String,
        _ arguments: String,
        stop: String = "tool_use"
    ) -> ProviderResponse {
        response(
            body: #"{"type":"message","model":"model-1-dated","stop_reason":"\#(stop)","#
                + #""usage":{"input_tokens":30,"output_tokens":20},"content":"#
                + #"[{"type":"tool_use","name":"\#(tool)","input":\#(arguments)}]}"#
        )
    }

    static func response(_ status: Int = 200, body: String) -> ProviderResponse {
        ProviderResponse(status: status, headers: [], body: Array(body.utf8))
    }

    /// A JSON string.
    static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    static func article(summary: String = "", content: String = "", title: String = "Acme news")
        -> Article
    {
        Article(
            id: 7,
            url: "https://news.example.org/1",
            source: ArticleSource(name: "fed", title: "The Publisher"),
            title: title,
            summary: summary,
            content: content,
            publishedAt: Timestamp(milliseconds: 0),
            firstSeenAt: Timestamp(milliseconds: 0),
            revision: 3
        )
    }

    /// Over 200 characters: a summary has sentences.
    static let shortArticle = article(content: opening + String(repeating: sentence, count: 4))
    /// Over 600 characters: a summary has paragraphs.
    static let longArticle = article(content: opening + String(repeating: sentence, count: 40))

    private static let opening = """
        Acme Rockets sold 1,200 rockets in 2025, 12 percent more than a year before.
        """
    private static let sentence = " The company builds them in Bodø and sells them abroad."

    static let story = ExplainedStory(
        storyID: 12,
        revision: 4,
        title: "Acme Rockets beats estimates",
        texts: ["Acme Rockets beats estimates — Profit rose 12 percent to $3 billion."],
        reasons: ["5 publishers in 3 hours", "About earnings"],
        relevance: .earnings,
        opportunity: Opportunity(title: "Acme Rockets beats estimates"),
        horizon: .short,
        tickers: [ticker]
    )
    static let ticker = Ticker("ACME")!
}

extension WritingTask {
    /// What becomes of a call of the task's tool with these arguments.
    func answer(_ arguments: String, stop: String = "tool_use") -> ProviderAnswer<Writing<Text>> {
        answer(
            WritingExamples.response(prompt.tool.name, arguments, stop: stop),
            from: WritingExamples.model,
            extractor: WritingExamples.extractor
        )
    }

    /// The text of such a call, if it may be shown.
    func written(_ arguments: String) -> Text? {
        guard
            case .value(.written(let text, "model-1-dated"), WritingExamples.usage) =
                answer(arguments)
        else { return nil }
        return text
    }

    /// The fault for which it is dropped.
    func fault(_ arguments: String) -> WritingFault? {
        guard case .value(.dropped(let fault), WritingExamples.usage) = answer(arguments) else {
            return nil
        }
        return fault
    }
}
