/// A signal's advice about a story: whether to take note, the action, and the certainty.
package struct SignalJudgement: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable {
        case aware, ignore
    }

    package let verdict: Verdict
    /// Never advice to buy or sell.
    package let action: String
    /// 0…100. It grows with the evidence; no outcome exists to calibrate it by.
    package let confidence: Int

    package static let scoreMin = 25
    package static let confidenceMax = 95

    /// - Parameters:
    ///   - score: The importance score.
    ///   - isHeld: The reader holds a company of the story.
    ///   - publisherCount: Distinct owners.
    ///   - textLength: Characters of title, summary and content of the best article.
    package init(
        score: Int,
        relevance: RelevanceType,
        opportunity: Opportunity.Kind,
        isHeld: Bool = false,
        publisherCount: Int,
        textLength: Int
    ) {
        verdict = score >= SignalJudgement.scoreMin || isHeld ? .aware : .ignore
        action = SignalJudgement.action(verdict, relevance, isHeld: isHeld)
        var points = 30
        // Each further publisher adds less: 30 points for eight.
        points += [0, 0, 10, 16, 20, 23, 26, 28, 30][min(max(publisherCount, 0), 8)]
        points += textLength >= 600 ? 15 : textLength >= 200 ? 8 : 0
        points += relevance == .general ? 0 : 10
        points += opportunity == .none ? 0 : 5
        points += isHeld ? 5 : 0
        confidence = min(points, SignalJudgement.confidenceMax)
    }

    private static func action(_ verdict: Verdict, _ relevance: RelevanceType, isHeld: Bool)
        -> String
    {
        guard verdict == .aware else { return "No action needed" }
        switch relevance {
        case .earnings: return "Read the reported figures"
        case .guidance: return "Compare the outlook with the last one"
        case .merger: return "Follow the terms of the deal"
        case .legal: return "Follow the proceedings"
        case .product: return "Understand the product"
        case .dividend: return "Note the dates"
        case .macro: return "Understand the context"
        case .general: return isHeld ? "Read the article" : "Understand the context"
        }
    }
}
