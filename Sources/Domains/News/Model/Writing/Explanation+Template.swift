extension PersonalSignalView.Explanation {
    /// The confidence of an explanation that no model has written is at most this.
    package static let templateConfidenceMax = 0.4

    /// An explanation made of a story's facts: every word is a word of them or of this template.
    ///
    /// - Parameter ticker: the company that the reader holds.
    package init(of story: ExplainedStory, for ticker: Ticker) {
        let judgement = SignalJudgement(
            score: SignalJudgement.scoreMin,
            relevance: story.relevance,
            opportunity: story.opportunity.kind,
            isHeld: true,
            publisherCount: 0,
            textLength: 0
        )
        let isNamed = story.tickers.contains(ticker)
        var impact = isNamed ? "The story names \(ticker)" : "The story may concern \(ticker)"
        if let sentence = story.relevance.sentence {
            impact += " and is \(sentence.prefix(1).lowercased())\(sentence.dropFirst())"
        }
        impact += "."
        if story.opportunity.kind != .none { impact += " \(story.opportunity.note)." }
        // Steps of a tenth: each kind of evidence that the text can name.
        var tenths = 1
        if isNamed { tenths += 1 }
        if story.relevance != .general { tenths += 1 }
        if story.opportunity.kind != .none { tenths += 1 }
        self.init(
            headline: Self.headline(story.title, ticker),
            impact: impact,
            action: judgement.action,
            context: story.reasons.map { "\($0)." }.joined(separator: " "),
            confidence: min(Double(tenths) / 10, Self.templateConfidenceMax)
        )
    }

    /// The title of the story. One that advises to trade, as titles of opinions do, is not
    /// repeated.
    private static func headline(_ title: String, _ ticker: Ticker) -> String {
        let advises = TradingAdvice.find(in: TextWord.words(of: title)) != nil
        guard !title.isEmpty, !advises else { return "News about \(ticker)" }
        return TextInterpretation.title(of: title)
    }
}
