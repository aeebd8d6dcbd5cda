import Expectations
import SeededRandom

@testable import News

@Suite("Duplicates", .timeLimit(.minutes(10)))
struct DuplicateIndexTests {
    private static let summary = """
        The central bank raised its benchmark rate by 25 basis points on Wednesday and said that \
        further increases may be needed. Chair Jane Doe told reporters that inflation in Norland \
        is still above the target of 2 percent, while the labour market remains strong.
        """

    private func article(
        _ id: Int,
        _ title: String,
        _ summary: String = "",
        owner: String? = nil,
        minute: Int64 = 0
    ) -> StoryInput {
        StoryInput(
            articleID: id,
            title: title,
            summary: summary,
            owner: owner ?? "owner\(id)",
            publishedAt: .atMinute(minute)
        )
    }

    private func verdict(_ first: StoryInput, _ second: StoryInput) -> DuplicateVerdict {
        var index = DuplicateIndex()
        expectEqual(index.add(first), .original)
        return index.add(second)
    }

    @Test func sameTitleOfOneOwnerIsExact() {
        let verdict = verdict(
            article(1, "Market Wrap: Stocks rise", owner: "a"),
            article(2, "market wrap \u{2013} stocks RISE!", owner: "a")
        )
        expectEqual(verdict, .exact(of: 1))
    }

    @Test func sameTitleOfOneOwnerAboutOtherNumbersIsNoDuplicate() {
        let filing = { (id: Int, number: String) in
            self.article(id, "8-K filing", "Accession number \(number)", owner: "a")
        }
        expectEqual(verdict(filing(1, "1234567"), filing(2, "7654321")), .original)
    }

    @Test func shortTitleOfAnotherOwnerIsCompared() {
        let title = "Fed raises interest rates by a quarter point"
        expectEqual(verdict(article(1, title), article(2, title)), .near(of: 1, similarity: 1))
        let longer = verdict(article(1, title), article(2, title + " again"))
        expectEqual(longer, .near(of: 1, similarity: 8.0 / 9))
        let replaced = title.replacing("raises", with: "lowers")
        expectEqual(verdict(article(1, title), article(2, replaced)), .original)
        expectEqual(verdict(article(1, "Market wrap"), article(2, "Market wrap")), .original)
        expectEqual(
            verdict(article(1, "One two three four"), article(2, "One two three")),
            .original
        )
    }

    @Test func copyWithoutSummaryIsFoundByItsTitle() {
        let title = "Fed raises interest rates by a quarter point"
        let verdict = verdict(article(1, title, Self.summary), article(2, title))
        expectEqual(verdict, .near(of: 1, similarity: 1))
    }

    @Test func editedCopyIsNear() {
        let copy = "OSLO (Wire) \u{2014} " + Self.summary.replacing("told reporters", with: "said")
        let verdict = verdict(
            article(1, "Norland raises rates", Self.summary),
            article(2, "Norland raises key rates", copy)
        )
        guard case .near(of: 1, let similarity) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        expect(similarity > 0.9)
    }

    @Test(
        arguments: [
            ("25 basis", "50 basis"), ("2 percent", "3 percent"), ("Jane Doe", "John Roe"),
            ("Norland", "Sudland"), ("Wednesday", "Thursday"),
        ]
    )
    func otherNumberOrNameIsNoDuplicate(old: String, new: String) {
        let other = Self.summary.replacing(old, with: new)
        expect(other != Self.summary)
        let title = "Central bank raises rates"
        expectEqual(verdict(article(1, title, Self.summary), article(2, title, other)), .original)
    }

    @Test func nameAtTheBeginningCounts() {
        let title = { (name: String) in
            "\(name) reports higher profit and raises its outlook for the whole year"
        }
        expectEqual(verdict(article(1, title("Acme")), article(2, title("Initech"))), .original)
        // Known in lower case, so no name: the beginning was edited.
        var index = DuplicateIndex()
        _ = index.add(article(3, "There are shares and there are stocks of both kinds"))
        let fall = { (word: String) in
            "\(word) fall on Monday as investors wait for the decision of the central bank"
        }
        expectEqual(index.add(article(1, fall("Shares"))), .original)
        expectEqual(index.add(article(2, fall("Stocks"))), .near(of: 1, similarity: 13.0 / 15))
    }

    @Test func articlesFurtherApartAreNotCompared() {
        let title = "Fed raises interest rates by a quarter point"
        let at = { (minute: Int64) in
            self.verdict(
                self.article(1, title, Self.summary),
                self.article(2, title, Self.summary, minute: minute)
            )
        }
        expectEqual(at(72 * 60), .near(of: 1, similarity: 1))
        expectEqual(at(72 * 60 + 1), .original)
        let byTitle = { (minute: Int64) in
            self.verdict(self.article(1, title), self.article(2, title, minute: minute))
        }
        expectEqual(byTitle(6 * 60), .near(of: 1, similarity: 1))
        expectEqual(byTitle(6 * 60 + 1), .original)
    }

    @Test func removedArticleHasNoDuplicates() {
        let title = "Fed raises interest rates by a quarter point"
        var index = DuplicateIndex()
        _ = index.add(article(1, title))
        expectEqual(index.add(article(1, title)), .original, "an article is no copy of itself")
        index.remove(article: 1)
        expectEqual(index.add(article(2, title)), .original)
        index.remove(article: 7)
        expectEqual(index.add(article(3, title)), .near(of: 2, similarity: 1))
    }

    @Test(arguments: ["", "...", "A", "A B", "One two three"])
    func textsOfFewWordsAreOriginals(title: String) {
        expectEqual(verdict(article(1, title), article(2, title)), .original)
    }

    @Test func boundsHoldAndOldArticlesAreForgotten() {
        var rules = DuplicateRules()
        rules.entriesMax = 10
        rules.ordinaryWordsMax = 20
        var index = DuplicateIndex(rules: rules)
        let title = { (id: Int) in "number\(id) raises other rates\(id) by a quarter point" }
        for id in 1...30 {
            expectEqual(index.add(article(id, title(id), minute: Int64(id))), .original)
            expectEqual(index.count, min(id, 10))
            // The exact key, and those of a title of eight words.
            expect(index.keyCount <= 10 * (1 + 9))
        }
        expectEqual(index.add(article(31, title(21), minute: 30)), .near(of: 21, similarity: 1))
        expectEqual(index.add(article(32, title(20), minute: 30)), .original, "the 21st is dropped")
        index.removeArticles(before: .atMinute(30))
        expectEqual(index.count, 2)
        index.removeArticles(before: .atMinute(1000))
        expectEqual(index.count, 0)
        expectEqual(index.keyCount, 0)
        expectEqual(index.add(article(33, title(30), minute: 30)), .original)
    }

    /// Four standard deviations for the estimate from 128 values.
    @Test(arguments: [0.2, 0.5, 0.8])
    func signaturesEstimateSimilarity(similarity: Double) {
        var generator = SeededGenerator(seed: 11)
        var mean = 0.0
        let (size, rounds) = (60, 50)
        let shared = Int((2 * Double(size) * similarity / (1 + similarity)).rounded())
        for _ in 0..<rounds {
            let all = (0..<2 * size - shared).map { _ in generator.next() }
            let one = MinHash.signature(of: Array(all.prefix(size)))
            let other = MinHash.signature(of: Array(all.suffix(size)))
            let equal = zip(one, other).count { $0 == $1 }
            mean += Double(equal) / Double(MinHash.valueCount * rounds)
        }
        let exact = Double(shared) / Double(2 * size - shared)
        let deviation = (exact * (1 - exact) / Double(MinHash.valueCount * rounds)).squareRoot()
        expect(abs(mean - exact) < 4 * deviation, "\(mean) for \(exact)")
    }

    private static let briefings = [
        "A volcano on the island, a merger in aviation, cup football and a comet.",
        "Elections abroad, a ferry strike, gold prices and snow in the mountains.",
    ]

    @Test(arguments: [
        ("Morning briefing", 24), ("Morning briefing", 2),
        ("Weather forecast for the coast of Granlia and the northern islands", 24),
    ])
    func sameTitleWithAnotherTextIsAnotherArticle(_ title: String, _ hours: Int) {
        for owner in ["same", "other"] {
            var index = DuplicateIndex()
            let first = input(1, title, Self.briefings[0], owner: "same", hour: 0)
            expectEqual(index.add(first), .original)
            expectEqual(
                index.add(input(2, title, Self.briefings[1], owner: owner, hour: hours)),
                .original
            )
        }
    }

    @Test func sameTitleAndTextIsACopyForDays() {
        var index = DuplicateIndex()
        _ = index.add(input(1, "Morning briefing", Self.briefings[0], owner: "same", hour: 0))
        let again = input(2, "Morning briefing", Self.briefings[0], owner: "same", hour: 48)
        expectEqual(index.add(again), .exact(of: 1))
    }

    @Test func titleAloneIsACopyWithinHours() {
        let title = "Glacier lake above Granlia drains overnight"
        for texts in [("", ""), (Self.briefings[0], ""), ("", Self.briefings[0])] {
            for (hours, isCopy) in [(2, true), (24, false)] {
                for owner in ["same", "other"] {
                    var index = DuplicateIndex()
                    _ = index.add(input(1, title, texts.0, owner: "same", hour: 0))
                    let verdict = index.add(input(2, title, texts.1, owner: owner, hour: hours))
                    expectEqual((verdict != .original), isCopy, "\(texts), \(hours) h, \(owner)")
                }
            }
        }
    }

    private func input(
        _ id: Int,
        _ title: String,
        _ summary: String,
        owner: String,
        hour: Int
    ) -> StoryInput {
        StoryInput(
            articleID: id,
            title: title,
            summary: summary,
            owner: owner,
            publishedAt: Timestamp(milliseconds: Int64(hour) * 3_600_000)
        )
    }
}
