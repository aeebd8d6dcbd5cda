import Expectations
import SeededRandom

@testable import News

@Suite("Stories: symbols and developments", .timeLimit(.minutes(10)))
struct StorySymbolTests {
    private static let events = [
        "opens a repair school in Granlia", "sued over the colour of a cable",
        "hires a poet for its lobby", "asks court to seal sketches of a hinge",
        "plans solar roof above parking decks", "recalls wall plugs after sparks",
        "raises wages of cleaners", "moves map team to a lighthouse",
    ]

    /// A board that knows a few thousand titles of other matters.
    private func board() -> StoryBoard {
        var generator = SeededGenerator(seed: 7)
        let words = (0..<3_000).map { "w\(String($0, radix: 36))q" }
        var board = StoryBoard()
        let articles = (0..<3_000).map { id in
            var title = (0..<8).map { _ in words.randomElement(using: &generator)! }
            if id % 100 == 0 { title.append("Apple") }
            return StoryInput(
                articleID: 1_000 + id,
                title: title.joined(separator: " "),
                owner: "o\(id)",
                publishedAt: Timestamp(milliseconds: Int64(id) * 1_000)
            )
        }
        _ = board.add(articles)
        return board
    }

    private func stories(_ titles: [String]) -> Set<Int> {
        var board = board()
        let start: Int64 = 40 * 24 * 3_600_000
        let events =
            board.add(
                titles.enumerated().map { index, title in
                    StoryInput(
                        articleID: index,
                        title: title,
                        owner: "p\(index)",
                        publishedAt: Timestamp(milliseconds: start + Int64(index) * 1_000)
                    )
                }
            ) + board.review(now: Timestamp(milliseconds: start + 3_600_000))
        var stories: [Int: Int] = [:]
        for case .articleAdded(let article, let story) in events { stories[article] = story }
        for case .merged(let story, let into) in events {
            for (article, known) in stories where known == story { stories[article] = into }
        }
        return Set(titles.indices.compactMap { stories[$0] })
    }

    @Test(arguments: [
        "Apple (AAPL)", "Apple (NASDAQ: AAPL)", "Apple [NASDAQ:AAPL]", "Apple $AAPL",
        "Apple NASDAQ:AAPL",
    ])
    func unrelatedReportsAboutOneCompanyStaySeparate(_ company: String) {
        let plain = stories(Self.events.map { "Apple \($0)" })
        let marked = stories(Self.events.map { "\(company) \($0)" })
        expectEqual(plain.count, Self.events.count)
        expectEqual(marked.count, plain.count)
    }

    /// Whatever else the board knows: a symbol makes two reports no more alike.
    @Test(arguments: ["(CRM)", "(NYSE: CRM)", "[NYSE:CRM]", "$CRM", "NYSE:CRM"])
    func symbolIsNoTerm(_ mark: String) {
        func counts(_ title: String, _ summary: String) -> TermVector {
            StoryTerms.counts(
                of: StoryInput(
                    articleID: 1,
                    title: title,
                    summary: summary,
                    owner: "o",
                    publishedAt: Timestamp(milliseconds: 0)
                ),
                rules: StoryRules(),
                limits: StoryLimits()
            )
        }
        let plain = counts("Salesforce sued over fees", "Shares of Salesforce fell.")
        expectEqual(plain.count, 5)
        expectEqual(
            counts("Salesforce \(mark) sued over fees", "Shares of Salesforce \(mark) fell."),
            plain
        )
    }

    @Test func reportsOfOneTemplateAboutOtherCompaniesStaySeparate() {
        let companies = [
            "Apple (AAPL)", "Ford Motor (NYSE: F)", "Tesla (TSLA)", "Microsoft (NASDAQ: MSFT)",
            "Boeing $BA", "Netflix (NFLX)",
        ]
        let titles = companies.map { "\($0) posts third-quarter results above estimates" }
        expectEqual(stories(titles).count, companies.count)
        // Two reports about the same one are one story.
        expectEqual(stories(titles + [titles[0] + " again"]).count, companies.count)
    }

    @Test(arguments: ["(AAPL)", "(NYSE: GM, F)", "$TSLA", "NYSE:BRK.B", "[OTCMKTS: ABCDY]"])
    func symbolsAreTakenOutOfTheText(_ mark: String) {
        expectEqual(MarkedSymbols("A \(mark) b").text, "A   b")
    }

    @Test(arguments: [
        "A (in Oslo) b", "costs $40 more", "A: b", "5:30", "Vote (update) at NYSE", "Storm (VIDEO)",
        "Deal (EU)", "¿(ä)?",
        "(", "$", "NYSE:", "Wombats: Australia", "éBATS:GM", "Nasdaq: Stocks rally", "NYSE: GMé",
        "NYSE: A1", "BATS: ABCDEF", "NYSE: ...",
    ])
    func otherTextStays(_ text: String) {
        expectEqual(MarkedSymbols(text).text, text)
    }

    @Test func symbolMayEndASentence() {
        expectEqual(MarkedSymbols("—NYSE: BRK.B.").symbols, ["BRK.B"])
        expectEqual(MarkedSymbols("Fell (NASDAQ:AAPL)").symbols, ["AAPL"])
    }

    private func title(of titles: [String]) -> String? {
        var board = StoryBoard()
        let articles = titles.enumerated().map { index, title in
            StoryInput.at(Int64(index), index + 1, title)
        }
        _ = board.add(articles)
        _ = board.settle(now: Timestamp(milliseconds: 4_000_000_000_000))
        return board.openStoryIDs.count == 1 ? board.story(board.openStoryIDs[0])?.title : nil
    }

    @Test func titleFollowsWhatTwoReportsHave() {
        let closed = Array(repeating: "Granlia drawbridge closed after ship hits pillar", count: 4)
        let open = "Granlia drawbridge opens again after ship hit pillar"
        expectEqual(title(of: closed + [open]), closed[0])
        expectEqual(title(of: closed + [open, open]), open)
    }
}
