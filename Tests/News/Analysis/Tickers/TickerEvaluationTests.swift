import Expectations

@testable import News

/// Measures the search for companies. The figures are in docs/DECISIONS/025-news-signals.md.
@Suite("Tickers: evaluation", .timeLimit(.minutes(10)))
struct TickerEvaluationTests {
    @Test func madeUpTrapsAreAvoided() throws {
        let extractor = TickerExtractor()
        var evaluation = TickerEvaluation()
        var mistakes: [String] = []
        for line in try TickerEvaluation.lines("tickers-traps.txt") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            let labels = Set(fields[1].split(separator: ",").map(String.init))
            let found = extractor.tickers(title: String(fields[0])).map(\.text)
            evaluation.add(found, labels: labels, table: .builtIn)
            if Set(found) != labels { mistakes.append("\(fields[0]): \(found)") }
        }
        print("traps: P \(evaluation.precision) R \(evaluation.recall) \(mistakes)")
        expect(evaluation.labelled > 50)
        expect(evaluation.precision >= 0.95, "\(mistakes)")
        expect(evaluation.recall >= 0.80, "\(mistakes)")
    }

    @Test(.enabled(if: UCIArticles.path != nil))
    func labelledTitlesOfUCIAreFound() throws {
        var labels: [String: Set<String>] = [:]
        for line in try TickerEvaluation.lines("tickers-uci.txt") {
            let fields = line.split(separator: " ")
            let symbols = fields.count > 1 ? fields[1].split(separator: ",").map(String.init) : []
            labels[String(fields[0])] = Set(symbols)
        }
        let extractor = TickerExtractor()
        var evaluation = TickerEvaluation()
        for row in try UCIArticles.read() where row.category == "b" {
            guard let expected = labels.removeValue(forKey: TickerEvaluation.digest(row.title))
            else {
                continue
            }
            let found = extractor.tickers(title: row.title).map(\.text)
            evaluation.add(found, labels: expected, table: .builtIn)
        }
        print(
            "uci: P \(evaluation.precision) R \(evaluation.recall)",
            "in table \(evaluation.recallInTable) of \(evaluation.labelledInTable)",
            evaluation.confusion.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
        )
        expect(labels.isEmpty, "titles without a row")
        expect(evaluation.precision >= 0.95)
        expect(evaluation.recallInTable >= 0.80)
    }
}
