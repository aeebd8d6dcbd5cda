import DomainKit
import News

/// Selects articles. A condition that is nil or empty does not exclude any.
package struct ArticleFilter: Hashable, Sendable {
    package var category: NewsCategory?
    package var country: String?
    package var language: String?
    /// Names of configured sources: the article is from one of them.
    package var sources: [String] = []
    /// Every word or phrase has to occur in the title or the summary.
    package var words: [String] = []
    /// Whether it selects no article, such as a search for a text without a word.
    package var isEmpty = false
    /// None of these may occur. They count only together with `words`.
    package var excludedWords: [String] = []
    /// Published at this time or later.
    package var from: Timestamp?
    /// Published before this time.
    package var to: Timestamp?

    package init() {}

    package enum Order: Hashable, Sendable {
        case newest
        /// The best matches of the words first; without words, the newest first.
        case relevance
        /// The articles of sources with the greatest weight first, and within one weight the
        /// newest.
        case weight
    }

    /// A statement for the ids of the articles. Its text depends on the conditions in use, not on
    /// values.
    func query(
        _ order: Order = .newest,
        limit: Int,
        _ dialect: SQLDialect
    ) -> (sql: String, arguments: SQLArguments) {
        var conditions: [String] = []
        var arguments: SQLArguments = []
        func add(_ condition: String, _ values: SQLArguments) {
            conditions.append(condition)
            arguments = arguments + values
        }
        if isEmpty { add("1 = 0", []) }
        if !words.isEmpty {
            switch dialect {
            case .sqlite: add("news_text MATCH ?", [match])
            case .postgres: add("words @@ news_query(?, ?)", phrases)
            }
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
        let tables =
            words.isEmpty || dialect == .postgres
            ? "news_article"
            : "news_text CROSS JOIN news_article ON news_article.id = news_text.rowid"
        let order = columns(order, dialect)
        if order.ranks { arguments = arguments + phrases }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = """
            SELECT news_article.id FROM \(tables) \(condition)
            ORDER BY \(order.sql) LIMIT ?
            """
        return (sql, arguments + [limit])
    }

    /// - Returns: `ranks` if the columns have `phrases` as arguments.
    private func columns(_ order: Order, _ dialect: SQLDialect) -> (sql: String, ranks: Bool) {
        let newest = "published_at DESC, news_article.id DESC"
        switch (order, dialect) {
        case (.relevance, _) where words.isEmpty: return (newest, false)
        case (.newest, _): return (newest, false)
        case (.weight, _): return ("weight DESC, \(newest)", false)
        case (.relevance, .sqlite): return ("bm25(news_text, 2.0, 1.0), \(newest)", false)
        case (.relevance, .postgres):
            let rank = "ts_rank('{0, 0, 0.5, 1}', words, news_query(?, ?), 1)"
            return ("\(rank) DESC, \(newest)", true)
        }
    }

    /// The arguments of `news_query`.
    private var phrases: SQLArguments {
        let lines = [words, excludedWords].map { words in
            words.map { indexed($0).replacing("\n", with: " ") }.joined(separator: "\n")
        }
        return SQLArguments(lines)
    }

    /// A word as `ArticleIndex` has it.
    private func indexed(_ word: String) -> String { UnspacedScripts.spaced(word) ?? word }

    /// The words in quotation marks, so that FTS5 reads none as an operator.
    private var match: String {
        let quoted = { (word: String) in
            "\"" + indexed(word).replacing("\"", with: "\"\"") + "\""
        }
        let required = words.map(quoted).joined(separator: " ")
        guard !excludedWords.isEmpty else { return required }
        return "(\(required)) NOT (\(excludedWords.map(quoted).joined(separator: " OR ")))"
    }
}
