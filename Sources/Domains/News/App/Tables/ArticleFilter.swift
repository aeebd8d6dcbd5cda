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
    /// Every word has to occur in the title or the summary.
    package var words: [String] = []
    /// Published at it or later.
    package var from: Timestamp?
    /// Published before it.
    package var to: Timestamp?

    package init() {}

    /// A statement for the ids of the articles, the newest first. Its text depends only on which conditions there are.
    func query(limit: Int) -> (sql: String, arguments: SQLArguments) {
        var conditions: [String] = []
        var arguments: SQLArguments = []
        func add(_ condition: String, _ values: SQLArguments) {
            conditions.append(condition)
            arguments = arguments + values
        }
        if let category { add("category = ?", [category.column]) }
        if let country { add("country = ?", [country]) }
        if let language { add("language = ?", [language]) }
        if !sources.isEmpty {
            let marks = sources.map { _ in "?" }.joined(separator: ", ")
            add("source IN (\(marks))", SQLArguments(sources))
        }
        if let from { add("published_at >= ?", [from.milliseconds]) }
        if let to { add("published_at < ?", [to.milliseconds]) }
        if !words.isEmpty {
            add("id IN (SELECT rowid FROM news_text WHERE news_text MATCH ?)", [match])
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = """
            SELECT id FROM news_article \(condition) ORDER BY published_at DESC, id DESC LIMIT ?
            """
        return (sql, arguments + [limit])
    }

    /// Each word in quotation marks, so that it is no operator.
    private var match: String {
        words.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: " ")
    }
}
