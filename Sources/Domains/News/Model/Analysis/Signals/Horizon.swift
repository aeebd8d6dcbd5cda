import CTables

/// The period for which the subject of a text is relevant.
package enum Horizon: String, CaseIterable, Sendable {
    case short, medium, long

    /// Phrases of time decide; without any, the kind of event. Nil if neither is found.
    package init?(title: String, text: String = "", relevance: RelevanceType) {
        let words = TextWord.words(of: title + "\n" + text.prefix(EventLexicon.textLengthMax))
        var counts: [Horizon: Int] = [:]
        for match in Horizon.automaton.matches(in: words.map(\.folded)) {
            counts[Horizon.phrases[match.value].horizon, default: 0] += 1
        }
        let most = counts.values.max() ?? 0
        if most > 0, let horizon = Horizon.allCases.first(where: { counts[$0] == most }) {
            self = horizon
            return
        }
        switch relevance {
        case .earnings, .dividend: self = .short
        case .guidance, .product, .macro: self = .medium
        case .merger, .legal: self = .long
        case .general: return nil
        }
    }

    private static let automaton = WordAutomaton(
        phrases.enumerated().map { index, phrase in
            (phrase.text.split(separator: " ").map(String.init), index)
        }
    )

    private static let phrases: [(horizon: Horizon, text: String)] = {
        let table = WordTable(varde_horizons(), sections: Horizon.allCases.map(\.rawValue))
        return Horizon.allCases.flatMap { horizon in
            table.words(horizon.rawValue).map { (horizon, $0) }
        }
    }()
}
