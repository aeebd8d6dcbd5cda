/// The kind of event that a text is about, in the words of personalised signals.
package enum RelevanceType: String, CaseIterable, Sendable {
    case earnings, guidance, merger, legal, product, dividend, macro, general

    /// By the words of a title, which count double, and of a text. The kind with the most words; of
    /// equal ones, the one that comes first here. `general` without any.
    ///
    /// - Parameter namesCompany: whether the text names one. Otherwise only the kinds count that need
    ///   none: forecasts, deals and launches are also those of weather, people and rockets.
    package init(title: String, text: String = "", namesCompany: Bool = true) {
        let titleWords = TextWord.words(of: title).map(\.folded)
        let textWords = TextWord.words(of: text.prefix(EventLexicon.textLengthMax)).map(\.folded)
        var counts: [RelevanceType: Int] = [:]
        for (words, weight) in [(titleWords, 2), (textWords, 1)] {
            for match in EventLexicon.automaton.matches(in: words) {
                let (kind, strength) = EventLexicon.meanings[match.value]
                counts[kind, default: 0] += weight * strength
            }
        }
        var best = RelevanceType.general
        let kinds = namesCompany ? RelevanceType.allCases : [.legal, .macro]
        for kind in kinds where (counts[kind] ?? 0) > (counts[best] ?? 0) {
            best = kind
        }
        self = best
    }

    /// A reason to read it; nil for `general`.
    package var sentence: String? {
        switch self {
        case .earnings: "About earnings"
        case .guidance: "About a company's outlook"
        case .merger: "About a merger or acquisition"
        case .legal: "About a legal matter"
        case .product: "About a product"
        case .dividend: "About payments to shareholders"
        case .macro: "About the economy as a whole"
        case .general: nil
        }
    }
}
