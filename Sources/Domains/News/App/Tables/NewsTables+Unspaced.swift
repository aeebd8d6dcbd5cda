import DomainKit
import News

/// An article whose texts are not in the index in the form in which they are searched for.
struct UnspacedArticle: Sendable {
    var id: Int
    /// Of the texts below. A revision since has other ones, and is in the index.
    var contentHash: [UInt8]
    var spacedTitle: String?
    var spacedSummary: String?
}

extension NewsTables {
    /// A page of the articles after an id, of those that were stored when a text without spaces was
    /// one word.
    ///
    /// - Returns: `last` is the id of the last one that was read; nil at the end.
    func unspacedArticles(
        after id: Int,
        limit: Int
    ) throws -> (articles: [UnspacedArticle], last: Int?) {
        var last: Int?
        let articles = try session.rows(NewsSQL.selectUnspacedArticles, [id, limit]) { row in
            let (id, title, summary): (Int, String, String) = try (row[0], row[1], row[2])
            last = id
            return UnspacedArticle(
                id: id,
                contentHash: try row[3],
                spacedTitle: UnspacedScripts.spaced(title),
                spacedSummary: UnspacedScripts.spaced(summary)
            )
        }
        return (articles.filter { $0.spacedTitle != nil || $0.spacedSummary != nil }, last)
    }

    func index(_ article: UnspacedArticle) throws {
        try session.run(
            NewsSQL.setSpacedTexts,
            [article.id, article.contentHash, article.spacedTitle, article.spacedSummary]
        )
    }
}

extension HubStore {
    private static let indexedKey = "texts without spaces"
    private static let readAtOnce = 500
    /// So that other changes wait for milliseconds only.
    private static let writtenAtOnce = 20

    /// Indexes the stored texts in scripts without spaces, once for a store: articles of other scripts
    /// are only read.
    package func indexUnspacedNews() async throws {
        let rows = try await state(domain: NewsPipeline.domain)
        guard !rows.contains(where: { $0.key == HubStore.indexedKey }) else { return }
        var next: Int? = 0
        while let after = next {
            let page = try await readNews {
                try $0.unspacedArticles(after: after, limit: HubStore.readAtOnce)
            }
            var rest = page.articles[...]
            while !rest.isEmpty {
                let part = rest.prefix(HubStore.writtenAtOnce)
                try await commitNews { tables in
                    for article in part { try tables.index(article) }
                    return (Change(), ())
                }
                rest = rest.dropFirst(part.count)
            }
            next = page.last
        }
        let done = StateRow(
            domain: NewsPipeline.domain,
            key: HubStore.indexedKey,
            value: Array("1".utf8)
        )
        _ = try await commit(Change(state: [done]))
    }
}
