/// The interpretation of a pasted text by its words.
package struct TextInterpretation: Equatable, Sendable {
    package static let titleLengthMax = 120

    /// The first sentence, at most `titleLengthMax` characters.
    package let title: String
    package let verdict: SignalJudgement.Verdict
    /// One to three.
    package let why: [String]
    package let action: String
    package let relevance: RelevanceType
    package let tickers: [Ticker]
    package let opportunity: Opportunity
    package let horizon: Horizon?
    /// 0…100
    package let confidence: Int
    /// 0…100. The text has no other reports, so it is a rating of its words, not a percentile.
    package let importanceScore: Int

    /// - Parameter holdings: The companies that the reader holds.
    package init(_ text: String, holdings: Set<Ticker> = [], extractor: TickerExtractor) {
        title = TextInterpretation.title(of: text)
        let rest = String(text.prefix(EventLexicon.textLengthMax))
        tickers = extractor.tickers(title: title, text: rest, holdings: holdings)
        // A pasted text may leave out the name: a reader asks about `the merger`.
        relevance = RelevanceType(title: title, text: rest)
        opportunity = Opportunity(title: title, text: rest)
        horizon = Horizon(title: title, text: rest, relevance: relevance)
        let held = tickers.filter(holdings.contains)
        let words = Set(TextWord.words(of: rest).map(\.folded))
        let hasBusiness = !words.isDisjoint(with: FinanceContext.nouns)

        var reasons: [String] = []
        if !held.isEmpty { reasons.append("You hold \(TextInterpretation.list(held))") }
        if let sentence = relevance.sentence { reasons.append(sentence) }
        if held.isEmpty, !tickers.isEmpty {
            reasons.append("Names \(TextInterpretation.list(tickers))")
        }
        if hasBusiness { reasons.append("Contains financial terms") }
        if opportunity.kind != .none { reasons.append(opportunity.note) }
        why = reasons.isEmpty ? ["Contains no financial terms"] : Array(reasons.prefix(3))

        var score = 10
        if relevance != .general { score += 25 }
        if !tickers.isEmpty { score += 15 }
        if !held.isEmpty { score += 25 }
        if hasBusiness { score += 10 }
        if opportunity.kind != .none { score += 10 }
        importanceScore = min(score, 100)
        let judgement = SignalJudgement(
            score: importanceScore,
            relevance: relevance,
            opportunity: opportunity.kind,
            isHeld: !held.isEmpty,
            publisherCount: 0,
            textLength: text.unicodeScalars.count
        )
        (verdict, action, confidence) = (judgement.verdict, judgement.action, judgement.confidence)
    }

    private static func list(_ tickers: [Ticker]) -> String {
        tickers.prefix(3).map(\.text).joined(separator: ", ")
    }

    /// Ends at the first line break, or at a full stop, exclamation or question mark with a space
    /// after it. A longer sentence is cut between words and ends with `…`.
    static func title(of text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        var sentence = start.prefix { !$0.isNewline }
        var index = sentence.startIndex
        while index < sentence.endIndex {
            let next = sentence.index(after: index)
            if ".!?".contains(sentence[index]),
                next == sentence.endIndex || sentence[next].isWhitespace,
                !isAbbreviation(sentence[..<index])
            {
                // A title has no full stop; other marks stay.
                sentence = sentence[..<(sentence[index] == "." ? index : next)]
                break
            }
            index = next
        }
        let clean = sentence.filter { character in
            character.isWhitespace
                || !character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        }
        let words = clean.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard words.count > titleLengthMax else { return words }
        let cut = words.prefix(titleLengthMax - 1)
        let whole = cut.lastIndex(of: " ").map { cut[..<$0] } ?? cut
        return whole + "…"
    }

    /// Whether a full stop after this text belongs to a short form: `U.S.`, `Inc.`, `J.`
    static func isAbbreviation(_ text: Substring) -> Bool {
        let word =
            text.split(whereSeparator: { $0.isWhitespace || $0 == "." }).last.map(String.init) ?? ""
        return word.count == 1 && word.first?.isLetter == true
            || WordLists.abbreviations.contains(word.lowercased())
    }
}
