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

    private static let phrases: [(horizon: Horizon, text: String)] =
        [
            (
                Horizon.short,
                """
                today,tonight,tomorrow,this week,next week,this month,intraday,premarket,midday,\
                closes higher,closes lower
                """
            ),
            (
                .medium,
                """
                this year,next quarter,next year,full year,second half,this quarter,coming months,\
                by year end
                """
            ),
            (
                .long,
                """
                long term,decade,decades,by 2030,by 2035,by 2040,by 2050,next five years,\
                next ten years,multi year,coming years
                """
            ),
        ].flatMap { horizon, list in list.split(separator: ",").map { (horizon, String($0)) } }
}
