/// The statements on the tables of the news. Each is prepared once per connection.
enum NewsSQL {
    static let articleColumns = """
        id, url, source, source_title, owner, weight, title, summary, content, author, image_url,
        language, country, category, published_at, is_date_guessed, first_seen_at, tickers, revision,
        link, marker
        """
    static let insertArticle = """
        INSERT INTO news_article
            (url, source, source_title, owner, weight, title, summary, content, author, image_url,
            language, country, category, published_at, is_date_guessed, first_seen_at, tickers,
            content_hash, link, marker, page, spaced_title, spaced_summary, revision)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
        ON CONFLICT (url) DO NOTHING
        RETURNING id
        """
    /// Returns no row for an article with the same title and texts, and for one of another source:
    /// two that have one link would take turns in renaming it.
    static let reviseArticle = """
        UPDATE news_article SET
            title = ?2, summary = ?3, content = ?4, author = ?5, image_url = ?6, tickers = ?7,
            content_hash = ?8, revision = revision + ?10,
            spaced_title = ?11, spaced_summary = ?12
        WHERE url = ?1 AND source = ?9 AND content_hash <> ?8
        RETURNING \(articleColumns)
        """
    /// The articles after an id whose texts in scripts without spaces may be indexed as one word.
    static let selectUnspacedArticles = """
        SELECT id, title, summary, content_hash FROM news_article
        WHERE id > ? AND spaced_title IS NULL AND spaced_summary IS NULL ORDER BY id LIMIT ?
        """
    /// Sets the title to itself, so that both engines index the texts again.
    static let setSpacedTexts = """
        UPDATE news_article SET title = title, spaced_title = ?3, spaced_summary = ?4
        WHERE id = ?1 AND content_hash = ?2
        """
    static let selectArticlesOfPage =
        "SELECT \(articleColumns) FROM news_article WHERE url = ?1 OR page = ?1 ORDER BY id"
    /// The article of a source with a marker, or with these texts: the one of the page, or one that
    /// shares it. Each half has an index of its own.
    static let selectURLOfMarker = """
        SELECT url FROM news_article WHERE url = ?1 AND source = ?2 AND marker = ?3
        UNION ALL
        SELECT url FROM news_article WHERE page = ?1 AND source = ?2 AND marker = ?3 LIMIT 1
        """
    static let selectURLOfTexts = """
        SELECT url FROM news_article WHERE url = ?1 AND source = ?2 AND content_hash = ?3
        UNION ALL
        SELECT url FROM news_article WHERE page = ?1 AND source = ?2 AND content_hash = ?3 LIMIT 1
        """
    static let selectSharing = "SELECT 1 FROM news_article WHERE page = ? LIMIT 1"
    static let selectIdentity = "SELECT source, content_hash FROM news_article WHERE url = ?"
    static let setMarker = """
        UPDATE news_article SET marker = ?2, link = COALESCE(link, ?3)
        WHERE url = ?1 AND (marker IS DISTINCT FROM ?2 OR link IS NULL)
        """
    static let selectArticle = "SELECT \(articleColumns) FROM news_article WHERE id = ?"
    static let selectArticleOfURL = "SELECT \(articleColumns) FROM news_article WHERE url = ?"
    static let deleteArticle = "DELETE FROM news_article WHERE id = ?"
    static let countArticles = "SELECT count(*) FROM news_article"

    /// For `HubStore.deletingInBatches`.
    static let deleteOldArticles = """
        DELETE FROM news_article WHERE id IN (
            SELECT id FROM news_article WHERE first_seen_at < ? ORDER BY first_seen_at LIMIT ?)
        """
    /// The same; the first argument is how many stay.
    static let deleteArticlesOverLimit = """
        DELETE FROM news_article WHERE id IN (
            SELECT id FROM news_article ORDER BY first_seen_at, id
            LIMIT max(0, min((SELECT count(*) FROM news_article) - ?1, ?2)))
        """

    /// Users without holdings and with the initial focus profile, which is the second argument. The
    /// first one is the time since which they have sent no request.
    static let deleteForgottenUsers = """
        DELETE FROM news_user WHERE user IN (
            SELECT user FROM news_user
            WHERE seen_at < ?1 AND focus_profile = ?2
                AND NOT EXISTS (SELECT 1 FROM news_holding WHERE news_holding.user = news_user.user)
            ORDER BY seen_at LIMIT ?3)
        """

    static let deleteOldStories = """
        DELETE FROM news_story WHERE id IN (
            SELECT id FROM news_story WHERE updated_at < ? ORDER BY updated_at LIMIT ?)
        """
}
