import CTables

/// Words that are good or bad for owners, and quantities with their directions. Our own lists.
struct SentimentLexicon: Sendable {
    enum Meaning: Equatable, Sendable {
        /// Good or bad by itself.
        case word(isPositive: Bool)
        /// Whether more of it is good; and whether its bare mention is good or bad.
        case quantity(isGood: Bool, bare: Bool?)
        /// More or less, and whether that decides without a quantity: `Acme falls`.
        case direction(isUp: Bool, isAlone: Bool)
        /// Good, whatever trouble it was about: `wins lawsuit`.
        case victory
        /// It ends, prevents or undoes something.
        case end
        /// More of something good, and the end of something bad.
        case lift
        /// Its direction is neither good nor bad: `raises prices`.
        case subject
        /// Turns the direction before it: `falls less than feared`.
        case turn
    }

    let meanings: [Meaning]
    let automaton: WordAutomaton
    /// Whether a failure of anything is bad.
    let countsFailures: Bool

    private init(countsFailures: Bool, _ lists: [(Meaning, [String])]) {
        self.countsFailures = countsFailures
        let phrases = lists.flatMap { meaning, list in list.map { (meaning, $0) } }
        meanings = phrases.map(\.0)
        automaton = WordAutomaton(
            phrases.enumerated().map { index, phrase in
                (TextWord.words(of: phrase.1).map(\.folded), index)
            }
        )
    }

    /// Of the news of a company.
    static let company = SentimentLexicon(
        countsFailures: true,
        [
            (.word(isPositive: true), words("positive")),
            (.word(isPositive: false), words("negative")),
            (.quantity(isGood: true, bare: nil), words("good quantities")),
            (.quantity(isGood: true, bare: true), words("growing quantities")),
            (.quantity(isGood: false, bare: false), words("troubles")),
            (.quantity(isGood: false, bare: nil), words("burdens")),
            (.direction(isUp: true, isAlone: true), words("rising")),
            (.direction(isUp: false, isAlone: true), words("falling")),
            (.direction(isUp: true, isAlone: false), words("more")),
            (.direction(isUp: false, isAlone: false), words("less")),
            (.subject, words("subjects")), (.victory, words("victories")), (.end, words("ends")),
            (.lift, words("lifts")), (.turn, words("turns")),
        ]
    )

    /// Of the economy. Only its quantities count: deaths and temperatures also rise.
    static let economy = SentimentLexicon(
        countsFailures: false,
        [
            (.quantity(isGood: true, bare: nil), EconomicQuantity.good),
            (.quantity(isGood: false, bare: nil), EconomicQuantity.bad),
            (.quantity(isGood: false, bare: false), EconomicQuantity.troubles),
            (
                .direction(isUp: true, isAlone: false),
                words("rising") + words("more") + EconomicQuantity.up
            ),
            (
                .direction(isUp: false, isAlone: false),
                words("falling") + words("less") + EconomicQuantity.down
            ),
            (.subject, words("subjects")), (.end, words("ends")), (.lift, words("lifts")),
            (.turn, words("turns")),
        ]
    )

    static let negations = failures.union(words("negations"))
    /// Negations that are bad if they turn nothing.
    static let failures = Set(words("failures"))
    /// With these, a clause begins.
    static let conjunctions = Set(words("conjunctions"))
    static let numbers = Set(words("numbers"))

    private static let table = WordTable(
        varde_sentiment(),
        sections: [
            "positive", "negative", "good quantities", "growing quantities", "troubles", "burdens",
            "rising", "falling", "more", "less", "subjects", "victories", "ends", "lifts", "turns",
            "negations", "failures", "conjunctions", "numbers",
        ]
    )

    private static func words(_ section: String) -> [String] { table.words(section) }
}
