import Expectations
import TitleTesting

@testable import News

/// Measures what is read from titles that were written for it. The figures are in
/// docs/DECISIONS/025-news-signals.md.
@Suite("Titles: evaluation", .timeLimit(.minutes(10)))
struct TitleEvaluationTests {
    private typealias Half = LabelledTitles.Half
    private static let sentences = RelevanceType.allCases.reduce(into: [String: String]()) {
        if let sentence = $1.sentence { $0[sentence] = $1.rawValue }
    }

    /// The signal of an article with only a title, in a story of its own.
    private func signal(_ title: String, _ tickers: [Ticker]) throws -> ArticleSignal {
        let start = Timestamp(milliseconds: 1_767_348_000_000)
        let article = Article(
            id: 1,
            url: "https://news.example.org/a",
            source: ArticleSource(name: "wire", title: "Wire"),
            title: title,
            publishedAt: start,
            firstSeenAt: start,
            tickers: tickers
        )
        let report = StoryArticle(
            report: StoryReport(owner: "wire", publishedAt: start),
            tickers: tickers,
            category: .business
        )
        return ArticleSignal(
            of: article,
            in: try require(StoryFacts([report], novelty: 1)),
            importance: 50
        )
    }

    @Test(arguments: [
        (LabelledTitles.Half.tuning, [(1, 1), (0.98, 0.98), (1, 1)]),
        (.judgement, [(0.99, 0.94), (0.95, 0.85), (0.98, 0.96)]),
    ])
    func companiesOpportunitiesAndReasonsAreFound(
        half: LabelledTitles.Half,
        floors: [(precision: Double, recall: Double)]
    ) throws {
        let extractor = TickerExtractor()
        let names = ["companies", "opportunities", "reasons"]
        var measures = names.map { _ in LabelledMeasure() }
        for (title, labels) in try LabelledTitles(file: "titles.txt").rows(of: half) {
            let tickers = extractor.tickers(title: title)
            let signal = try signal(title, tickers)
            let opportunity = signal.opportunity == .none ? [] : [signal.opportunity.rawValue]
            let reasons = signal.reasons.compactMap { Self.sentences[$0] }
            let found = [tickers.map(\.text), opportunity, reasons]
            for index in names.indices {
                measures[index].add(title, found: Set(found[index]), label: labels[index])
            }
        }
        for index in names.indices {
            let measure = measures[index]
            let report = measure.report(names[index], half)
            print(report)
            expect(measure.labelled > 50)
            expect(measure.precision >= floors[index].precision, "\(report)")
            expect(measure.recall >= floors[index].recall, "\(report)")
        }
    }

    @Test func titlesAreManyAndEachIsOnce() throws {
        let rows = try LabelledTitles(file: "titles.txt").rows
        expect(rows.count >= 300)
        expectEqual(Set(rows.map(\.title)).count, rows.count)
        expect(rows.allSatisfy { $0.labels.count == 3 })
    }
}
