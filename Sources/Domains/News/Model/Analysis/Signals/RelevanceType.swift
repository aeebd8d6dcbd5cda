/// The kind of event that a text is about, in the words of personalised signals.
package enum RelevanceType: String, CaseIterable, Sendable {
    case earnings, guidance, merger, legal, product, dividend, macro, general

    /// By the words of a title, which count double, and of a text. The kind with the most words; of
    /// equal ones, the one that comes first here. `general` without any.
    ///
    /// - Parameter namesCompany: whether the text names one. Otherwise only the kinds count that need
    ///   none: forecasts, deals and launches are also those of weather, people and rockets.
    package init(title: String, text: String = "", namesCompany: Bool = true) {
        var counts: [RelevanceType: Int] = [:]
        let parts = [(title[...], 2), (text.prefix(EventLexicon.textLengthMax), 1)]
        for (part, weight) in parts {
            let words = TextWord.words(of: part)
            for match in EventLexicon.automaton.matches(in: words.map(\.folded)) {
                let (kind, strength) = EventLexicon.meanings[match.value]
                guard EventLexicon.isWritten(words[match.range]) else { continue }
                counts[kind, default: 0] += weight * strength
            }
        }
        if !namesCompany, EconomicQuantity.isStated(in: title) {
            counts[.macro, default: 0] += EventLexicon.weightMinWithoutCompany
        }
        let weightMin = namesCompany ? 1 : EventLexicon.weightMinWithoutCompany
        var best = RelevanceType.general
        let kinds = namesCompany ? RelevanceType.allCases : [.legal, .macro]
        for kind in kinds where (counts[kind] ?? 0) > max(counts[best] ?? 0, weightMin - 1) {
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
