import News
import Store
import Timekeeping

/// Which articles are meant. What is nil or empty lets everything through.
package struct ArticleFilter: Hashable, Sendable {
    package var category: NewsCategory?
    package var country: String?
    package var language: String?
    /// Names of configured sources, any of which will do.
    package var sources: [String] = []
    /// Every word or phrase has to occur in the title or the summary.
    package var words: [String] = []
    /// None of these may. They count only beside `words`.
    package var excludedWords: [String] = []
    /// Published at it or later.
    package var from: Timestamp?
    /// Published before it.
    package var to: Timestamp?

    package init() {}

    package enum Order: Hashable, Sendable {
        case newest
        /// The articles that the words fit best; the newest without any.
        case relevance
        /// Those of the weightiest sources, and of each the newest.
        case weight
    }

    /// A statement for the ids of the articles. Its text depends only on which conditions there are.
    func query(_ order: Order = .newest, limit: Int) -> (sql: String, arguments: SQLArguments) {
        var conditions: [String] = []
        var arguments: SQLArguments = []
        func add(_ condition: String, _ values: SQLArguments) {
            conditions.append(condition)
            arguments = arguments + values
        }
        if !words.isEmpty { add("news_text MATCH ?", [match]) }
        if let category { add("category = ?", [category.column]) }
        if let country { add("country = ?", [country]) }
        if let language { add("language = ?", [language]) }
        if !sources.isEmpty {
            let marks = sources.map { _ in "?" }.joined(separator: ", ")
            add("source IN (\(marks))", SQLArguments(sources))
        }
        if let from { add("published_at >= ?", [from.milliseconds]) }
        if let to { add("published_at < ?", [to.milliseconds]) }
        let tables =
            words.isEmpty
            ? "news_article"
            : "news_text CROSS JOIN news_article ON news_article.id = news_text.rowid"
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = """
            SELECT news_article.id FROM \(tables) \(condition)
            ORDER BY \(columns(order)) LIMIT ?
            """
        return (sql, arguments + [limit])
    }

    private func columns(_ order: Order) -> String {
        let newest = "published_at DESC, news_article.id DESC"
        return switch order {
        case .newest: newest
        case .relevance: words.isEmpty ? newest : "bm25(news_text, 2.0, 1.0), \(newest)"
        case .weight: "weight DESC, \(newest)"
        }
    }

    /// Each word in quotation marks, so that it is no operator.
    private var match: String {
        let quoted = { (word: String) in "\"" + word.replacing("\"", with: "\"\"") + "\"" }
        let required = words.map(quoted).joined(separator: " ")
        guard !excludedWords.isEmpty else { return required }
        return "(\(required)) NOT (\(excludedWords.map(quoted).joined(separator: " OR ")))"
    }
}
