import Expectations
import SeededRandom

@testable import News

@Suite("Opportunity and judgement", .timeLimit(.minutes(10)))
struct OpportunityTests {
    @Test(
        arguments: [
            ("Acme beats estimates", Opportunity.Kind.positive), ("Acme shares plunge", .negative),
            ("Acme opens an office", .none), ("Strong sales, weak outlook", .none), ("", .none),
            ("Acme does not miss its goals", .positive), ("No growth at Acme", .negative),
            ("Acme fails to beat estimates", .negative), ("Acme avoids bankruptcy", .positive),
            ("Acme never fails to beat estimates", .positive),
            ("No deal. Profit growth goes on", .positive),
            ("Not one of the four people here saw growth", .positive),
        ]
    )
    func wordsAndNegationsDecide(title: String, kind: Opportunity.Kind) {
        let opportunity = Opportunity(title: title)
        expectEqual(opportunity.kind, kind)
        expectEqual(opportunity.note.isEmpty, (kind == .none))
    }

    @Test(
        arguments: [
            ("Acme costs fall", Opportunity.Kind.positive), ("Acme debt grows", .negative),
            ("Loss at Acme narrows", .positive), ("Acme sales growth slows", .negative),
            ("Acme cuts its costs", .positive), ("Acme hikes dividend", .positive),
            ("Acme raises prices", .none), ("Acme raises prices as profit falls", .negative),
            ("Acme profit drops less than feared", .positive),
            ("Acme orders rise less than expected", .negative),
            ("Loss of Acme is smaller than expected", .positive),
            ("Acme loses less than feared. Costs rise", .negative),
        ]
    )
    func quantitiesDecideWithTheirDirection(title: String, kind: Opportunity.Kind) {
        expectEqual(Opportunity(title: title).kind, kind)
    }

    @Test(
        arguments: [
            ("Strike at Acme", Opportunity.Kind.negative), ("Strike at Acme ends", .positive),
            ("Acme dodges fine", .positive), ("Fraud probe of Acme called off", .positive),
            ("Acme sees an end. Lawsuit goes on", .negative), ("Acme lifts forecast", .positive),
            ("Ban on Acme lifted", .positive), ("Acme erases gains", .negative),
            ("Acme fails in court", .negative), ("Acme wins lawsuit over fine", .positive),
            ("Acme shares pare losses", .positive),
            ("Outage at Acme as shares slide", .negative), ("Acme sales decline slows", .positive),
            ("Acme closes 12 stores", .negative),
            ("Acme closes twelve stores", .negative),
        ]
    )
    func endsOfTroublesAreGood(title: String, kind: Opportunity.Kind) {
        expectEqual(Opportunity(title: title).kind, kind)
    }

    /// Every word that a rule looks at, in any order: a meaning always has words, and no other has.
    @Test(arguments: 1...20)
    func anyTextGivesAMeaningWithItsWords(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "Acme", "profit", "loss", "rises", "falls", "cuts", "lifts", "no", "fails", "ends",
            "less than feared", "prices", "strike", "growth", "nine", "3.", ".", "beats", "\n", "",
        ]
        for _ in 0..<300 {
            let count = Int.random(in: 0...12, using: &random)
            let title = (0..<count).map { _ in pieces.randomElement(using: &random)! }
                .joined(separator: " ")
            let found = Opportunity(title: title, text: title)
            expectEqual(found.note.isEmpty, (found.kind == .none), "seed \(seed): \(title)")
        }
    }

    private func opportunity(_ title: String, namesCompany: Bool = false) -> Opportunity.Kind {
        let relevance = RelevanceType(title: title, namesCompany: namesCompany)
        return Opportunity(
            title: title,
            text: "",
            relevance: relevance,
            namesCompany: namesCompany
        ).kind
    }

    @Test(arguments: [
        "Death toll rises to 50 after the landslide", "Suicide rates climb among the young",
        "Weather forecast: rain expected on Sunday", "Actress to buy house in Malibu",
        "Team wins the final", "Temperatures soar in the south",
    ])
    func storiesOfOtherMattersAreNoOpportunities(_ title: String) {
        expectEqual(opportunity(title), .none)
        expect([.general, .legal].contains(RelevanceType(title: title, namesCompany: false)))
    }

    @Test(arguments: [
        ("Unemployment falls to a record low", Opportunity.Kind.positive),
        ("Unemployment rate rises", .negative), ("Inflation climbs to 5 percent", .negative),
        ("Inflation slows in Europe", .positive), ("GDP grows in the second quarter", .positive),
        ("Federal Reserve meets", .none),
        ("Fed raises interest rates as inflation slows", .positive),
        ("Exports do not grow", .negative), ("Economy dodges recession", .positive),
        ("Public debt widens", .negative), ("Factory orders beat forecasts", .positive),
        ("Wages rise while poverty grows", .none), ("Exports recover", .positive),
        ("Inflation cools", .positive), ("GDP contracts", .negative),
    ])
    func quantityOfTheEconomyHasASign(_ title: String, _ kind: Opportunity.Kind) {
        expectEqual(opportunity(title), kind)
    }

    @Test func noteNamesTheWords() {
        expectEqual(
            Opportunity(title: "Acme beats, shares soar").note,
            "Positive words: beats, soar"
        )
        expectEqual(Opportunity(title: "No growth at Acme").note, "Negative words: no growth")
    }

    @Test func everyNamedWordIsInTheText() {
        let title =
            "Acme shares tumble after lawsuit, weak sales, layoffs, fraud probe and a recall"
        let note = Opportunity(title: title).note
        let words = note.drop { $0 != ":" }.dropFirst(2).split(separator: ", ")
        expectEqual(words.count, Opportunity.noteWordsMax)
        for word in words { expect(title.lowercased().contains(word)) }
    }

    @Test func oneWordOfATextIsNotEnough() {
        expectEqual(Opportunity(title: "Acme", text: "Sales are strong.").kind, .none)
        expectEqual(
            Opportunity(title: "Acme", text: "Sales are strong, and profit rose.").kind,
            .positive
        )
    }

    @Test func neutralIsTheWordOfPersonalisedSignals() {
        expectEqual(
            Opportunity.Kind.allCases.map(\.personalised),
            ["neutral", "positive", "negative"]
        )
    }

    private func judgement(
        score: Int,
        isHeld: Bool = false,
        publishers: Int = 1,
        length: Int = 0
    ) -> SignalJudgement {
        SignalJudgement(
            score: score,
            relevance: .general,
            opportunity: .none,
            isHeld: isHeld,
            publisherCount: publishers,
            textLength: length
        )
    }

    @Test func unimportantStoryIsIgnoredUnlessItsCompanyIsHeld() {
        expectEqual(judgement(score: 24).verdict, .ignore)
        expectEqual(judgement(score: 25).verdict, .aware)
        expectEqual(judgement(score: 0, isHeld: true).verdict, .aware)
    }

    @Test func confidenceGrowsWithTheEvidenceWithinItsBounds() {
        let byPublishers = (-1...20).map { judgement(score: 50, publishers: $0).confidence }
        expectEqual(byPublishers, byPublishers.sorted())
        expect(
            judgement(score: 50, length: 600).confidence
                > judgement(score: 50, length: 199).confidence
        )
        expect(byPublishers.allSatisfy { (0...SignalJudgement.confidenceMax).contains($0) })
    }

    @Test func noActionTellsToTrade() {
        for relevance in RelevanceType.allCases {
            for score in [0, 100] {
                let judgement = SignalJudgement(
                    score: score,
                    relevance: relevance,
                    opportunity: .positive,
                    publisherCount: 9,
                    textLength: 9_000
                )
                expect(!judgement.action.isEmpty)
                let words = TextWord.words(of: judgement.action).map(\.folded)
                expect(Set(words).isDisjoint(with: ["buy", "sell", "short", "hold", "trade"]))
                expect(judgement.confidence <= SignalJudgement.confidenceMax)
            }
        }
    }
}
