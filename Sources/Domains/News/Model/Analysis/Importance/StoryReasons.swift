/// Why a reader sees a story: its largest contributions, as sentences that are true.
package struct StoryReasons: Sendable {
    package static let countMax = 3

    /// One to three, the most important first.
    package let sentences: [String]

    /// - Parameters:
    /// - source: As readers know the source of the story's best article.
    /// - relevance: What the story is about.
    /// - tickers: The companies that it names.
    /// - holdings: The companies that the reader holds; none for a list that is the same for
    ///   all readers.
    package init(
        evidence: StoryEvidence,
        source: String,
        relevance: RelevanceType,
        tickers: [Ticker] = [],
        holdings: Set<Ticker> = []
    ) {
        let importance = Importance(evidence)
        var reasons: [(bits: Double, sentence: String)] = []
        let held = tickers.filter(holdings.contains)
        if !held.isEmpty {
            reasons.append((StoryReasons.holdingBits, StoryReasons.sentence(holding: held)))
        }
        if evidence.ownerCount >= 2 {
            let span = StoryReasons.span(evidence.lastReportAt - evidence.firstReportAt)
            let bits = importance.parts[.owners] ?? 0
            reasons.append((bits, "\(evidence.ownerCount) publishers in \(span)"))
            // With all reports within an hour, both sentences would be equivalent.
            if evidence.peakOwnerCount >= 2, evidence.peakOwnerCount < evidence.ownerCount {
                let sentence = "\(evidence.peakOwnerCount) publishers within one hour"
                reasons.append((importance.parts[.velocity] ?? 0, sentence))
            }
        }
        if evidence.isFirstReport {
            reasons.append((importance.parts[.novelty] ?? 0, "First report in 3 days"))
        }
        if let sentence = relevance.sentence {
            reasons.append((StoryReasons.relevanceBits, sentence))
        }
        if held.isEmpty, !tickers.isEmpty {
            let sentence =
                "Names \(StoryReasons.list(Array(tickers.prefix(StoryReasons.countMax))))"
            reasons.append((StoryReasons.tickerBits, sentence))
        }
        let sorted = reasons.enumerated().sorted {
            ($1.element.bits, $0.offset) < ($0.element.bits, $1.offset)
        }
        let chosen = sorted.prefix(StoryReasons.countMax).map(\.element.sentence)
        sentences = chosen.isEmpty ? ["Reported by \(source)"] : chosen
    }

    /// - Parameter tickers: that a reader holds and a story names.
    package static func sentence(holding tickers: [Ticker]) -> String {
        "You hold \(list(tickers))"
    }

    /// Stories about a reader's holdings come before all except the largest stories.
    private static let holdingBits = 4.0
    private static let relevanceBits = 0.9
    private static let tickerBits = 0.7

    private static func list(_ tickers: [Ticker]) -> String {
        tickers.prefix(countMax).map(\.text).joined(separator: ", ")
    }

    /// Rounded up, so that all reports are within it.
    private static func span(_ duration: Duration) -> String {
        let minutes = max(1, (duration.wholeMilliseconds + 59_999) / 60_000)
        switch minutes {
        case 1: return "one minute"
        case ..<60: return "\(minutes) minutes"
        case 60: return "one hour"
        case ...(48 * 60): return "\((minutes + 59) / 60) hours"
        default: return "\((minutes + 1439) / 1440) days"
        }
    }
}
