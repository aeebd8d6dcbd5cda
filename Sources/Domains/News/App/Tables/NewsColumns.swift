import DomainKit
import News

/// An enumeration that is stored as its place among all cases. Add new cases only at the end.
protocol ColumnCase: CaseIterable, Equatable {}

extension ColumnCase {
    var column: Int { Array(Self.allCases).firstIndex(of: self)! }

    init?(column: Int) {
        let all = Array(Self.allCases)
        guard all.indices.contains(column) else { return nil }
        self = all[column]
    }
}

extension NewsCategory: ColumnCase {}
extension Horizon: ColumnCase {}
extension Opportunity.Kind: ColumnCase {}
extension RelevanceType: ColumnCase {}
extension ImpactLevel: ColumnCase {}
extension StoryDetailView.Change.Kind: ColumnCase {}
extension NewsPreferences.FocusProfile: ColumnCase {}
extension NewsFeedback.Kind: ColumnCase {}

/// The symbols of the tickers with spaces between them.
func column(of tickers: [Ticker]) -> String { tickers.map(\.text).joined(separator: " ") }

func tickers(inColumn text: String) -> [Ticker] {
    text.split(separator: " ").compactMap { Ticker($0) }
}

extension SQLRow {
    func flag(_ index: Int) throws -> Bool {
        try value(index) { $0 == 0 ? false : $0 == 1 ? true : nil }
    }
}
