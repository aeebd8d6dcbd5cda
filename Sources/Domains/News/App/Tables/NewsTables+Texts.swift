import DomainKit
import News

/// A text as the store has it.
package struct StoredText: Equatable, Sendable {
    /// `WritingTask.json`; nil if the model wrote none that may be shown. It is not requested
    /// again.
    package var json: [UInt8]?
    /// The name of the model in the provider's answer; empty without a text.
    package var model: String
    package var writtenAt: Timestamp

    package init(json: [UInt8]?, model: String = "", writtenAt: Timestamp) {
        self.json = json
        self.model = model
        self.writtenAt = writtenAt
    }
}

extension NewsTables {
    /// Texts of models, and their cost.
    ///
    /// `WritingTask.key` is the key of a text; it changes with everything that the text depends on.
    /// A text is deleted with its article or story. An explanation is based on several articles, so
    /// it is deleted with each of them: a withdrawn article must not be quoted any longer. That
    /// trigger runs BEFORE the deletion, because another one deletes the row of `news_signal` with
    /// the id of the story.
    ///
    /// `news_spending` includes reservations: it is written before a request is sent.
    static let texts = """
        CREATE TABLE news_written_text (
            key BLOB NOT NULL UNIQUE CHECK (length(key) = 32),
            article_id INTEGER,
            story_id INTEGER,
            written_at INTEGER NOT NULL,
            model TEXT NOT NULL CHECK (length(model) <= 1000),
            json BLOB CHECK (length(json) <= 100000)
        ) STRICT;
        CREATE INDEX news_written_text_by_time ON news_written_text (written_at);
        CREATE INDEX news_written_text_by_article ON news_written_text (article_id)
            WHERE article_id IS NOT NULL;
        CREATE INDEX news_written_text_by_story ON news_written_text (story_id)
            WHERE story_id IS NOT NULL;
        CREATE TRIGGER news_article_unwritten BEFORE DELETE ON news_article BEGIN
            DELETE FROM news_written_text WHERE article_id = old.id;
            DELETE FROM news_written_text WHERE story_id =
                (SELECT story_id FROM news_signal WHERE article_id = old.id);
        END;
        CREATE TRIGGER news_story_unwritten AFTER DELETE ON news_story BEGIN
            DELETE FROM news_written_text WHERE story_id = old.id;
        END;

        CREATE TABLE news_spending (
            day INTEGER NOT NULL,
            source TEXT NOT NULL CHECK (length(source) BETWEEN 1 AND 100),
            requests INTEGER NOT NULL CHECK (requests >= 0),
            tokens INTEGER NOT NULL CHECK (tokens >= 0),
            PRIMARY KEY (day, source)
        ) STRICT;

        """

    /// Whether a text was written soon after the one that it replaced: `mayRewrite`.
    static let earlyTexts = """
        ALTER TABLE news_written_text ADD COLUMN is_early INTEGER NOT NULL DEFAULT 0
            CHECK (is_early IN (0, 1));
        """

    /// The shortest time between two texts of an article, except that one of them may be early. So an
    /// hour has two at most, however often the article changes.
    package static let rewritingInterval = Duration.seconds(3600)

    // MARK: Texts

    package func text(_ key: [UInt8]) throws -> StoredText? {
        try session.row(
            "SELECT json, model, written_at FROM news_written_text WHERE key = ?",
            [key]
        ).map { StoredText(json: try $0[0], model: try $0[1], writtenAt: try $0.instant(2)) }
    }

    /// Whether a model may write another text about a subject: the first correction of an article at
    /// once, and further ones an hour later, as one.
    package func mayRewrite(_ subject: WritingSubject, now: Timestamp) throws -> Bool {
        guard case .article(let id) = subject else { return true }
        guard let (writtenAt, isEarly) = try latestText(ofArticle: id) else { return true }
        return !isEarly || !NewsTables.isRecent(writtenAt, now: now)
    }

    private func latestText(
        ofArticle id: Int
    ) throws -> (writtenAt: Timestamp, isEarly: Bool)? {
        try session.row(
            """
            SELECT written_at, is_early FROM news_written_text
            WHERE article_id = ? ORDER BY written_at DESC LIMIT 1
            """,
            [id]
        ).map { (try $0.instant(0), try $0.flag(1)) }
    }

    /// A time that the clock has not reached again after it was set back is not recent.
    private static func isRecent(_ time: Timestamp, now: Timestamp) -> Bool {
        time <= now && now - time < rewritingInterval
    }

    /// Stores a text if its article or story is still stored. Deletes other texts of the article,
    /// which are of earlier revisions.
    ///
    /// - Returns: whether it was stored.
    @discardableResult
    package func put(
        _ text: StoredText,
        key: [UInt8],
        of subject: WritingSubject
    ) throws -> Bool {
        var articleID: Int?
        var storyID: Int?
        var isEarly = false
        switch subject {
        case .article(let id):
            guard try session.row("SELECT 1 FROM news_article WHERE id = ?", [id]) != nil else {
                return false
            }
            if let (formerAt, wasEarly) = try latestText(ofArticle: id) {
                isEarly = !wasEarly && NewsTables.isRecent(formerAt, now: text.writtenAt)
            }
            try session.run("DELETE FROM news_written_text WHERE article_id = ?", [id])
            articleID = id
        case .story(let id):
            guard try session.row("SELECT 1 FROM news_story WHERE id = ?", [id]) != nil else {
                return false
            }
            storyID = id
        case .pastedText: break
        }
        try session.run(
            """
            INSERT INTO news_written_text
                (key, article_id, story_id, written_at, model, json, is_early)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE
            SET article_id = excluded.article_id, story_id = excluded.story_id,
                written_at = excluded.written_at, model = excluded.model, json = excluded.json,
                is_early = excluded.is_early
            """,
            [
                key, articleID, storyID, text.writtenAt.milliseconds, text.model, text.json,
                isEarly ? 1 : 0,
            ]
        )
        return true
    }

    // MARK: Trimming

    /// For `HubStore.deletingInBatches`.
    fileprivate static let deleteOldTexts = """
        DELETE FROM news_written_text WHERE rowid IN (
            SELECT rowid FROM news_written_text WHERE written_at < ? ORDER BY written_at LIMIT ?)
        """
    /// The same; the first argument is how many stay.
    fileprivate static let deleteTextsOverLimit = """
        DELETE FROM news_written_text WHERE rowid IN (
            SELECT rowid FROM news_written_text ORDER BY written_at, rowid
            LIMIT max(0, min((SELECT count(*) FROM news_written_text) - ?1, ?2)))
        """
}

extension HubStore {
    /// The time for which texts are kept after they were written.
    package static let newsTextsAgeMax = Duration.seconds(30 * 86_400)
    /// The maximum number of texts kept, about 100 MB.
    package static let newsTextsMax = 100_000

    /// Deletes texts of models that are too old or too many, in small transactions.
    ///
    /// - Returns: how many.
    @discardableResult
    package func trimNewsTexts(
        to count: Int = HubStore.newsTextsMax,
        now: Timestamp
    ) async throws -> Int {
        let oldest = now - HubStore.newsTextsAgeMax
        var steps = IndependentSteps()
        var sum = 0
        await steps.run("old") {
            sum += try await deletingInBatches(NewsTables.deleteOldTexts, [oldest.milliseconds])
        }
        await steps.run("excess") {
            sum += try await deletingInBatches(NewsTables.deleteTextsOverLimit, [count])
        }
        await steps.run("spending") { try await trimNewsSpending(now: now) }
        try steps.end()
        return sum
    }
}
