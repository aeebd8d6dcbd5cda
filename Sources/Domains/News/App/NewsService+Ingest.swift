import DomainKit
import News

extension NewsService {
    /// Articles of one transaction. More take several, so that other writes can come in between.
    static let articlesPerChange = 100

    /// The changes that a document of a source has made.
    package struct Taken: Equatable, Sendable {
        package var counts = NewsCounts()
        /// Items without a URL or a text, withdrawn ones, and those with the URL of an earlier one.
        package var skippedCount = 0
    }

    /// Stores the articles of a feed's document, and the state of the feed with the last of them.
    ///
    /// - Throws: `StoreError`. Articles of earlier transactions stay; the feed is then read again.
    @discardableResult
    package func take(
        _ document: FeedDocument,
        from source: NewsSection.Source,
        keeping row: FeedRow
    ) async throws -> Taken {
        let reading = articles.read(document, from: source, now: clock.now)
        for item in reading.withdrawn { try await withdraw(item, from: source.name) }
        // A feed has its newest items first; the oldest is stored first.
        let counts = try await take(reading.articles.reversed(), keeping: row)
        return Taken(counts: counts, skippedCount: reading.skippedCount)
    }

    /// Stores articles: all of them, or only the first ones if the store fails.
    ///
    /// - Parameters:
    ///   - articles: without ids, in the order in which they get them.
    ///   - row: committed with the last ones.
    package func take(
        _ articles: [Article],
        keeping row: FeedRow? = nil
    ) async throws -> NewsCounts {
        var counts = NewsCounts()
        let size = NewsService.articlesPerChange
        let starts = articles.isEmpty ? [0] : Array(stride(from: 0, to: articles.count, by: size))
        for start in starts {
            let part = Array(articles[start..<min(start + size, articles.count)])
            let feeds = start == starts.last ? row.map { [$0] } ?? [] : []
            guard !part.isEmpty else {
                if !feeds.isEmpty { _ = try await store.commit(Change(feeds: feeds)) }
                break
            }
            let length = part.reduce(0) { $0 + Change.rowBytes + $1.length }
            let output = try await commit(length: length, feeds: feeds) { pipeline, tables, now in
                try pipeline.take(part, tables, now: now, newID: NewsService.newID)
            }
            counts += output.counts
        }
        return counts
    }

    package func keep(_ row: FeedRow) async throws {
        _ = try await store.commit(Change(feeds: [row]))
    }

    /// Deletes the articles that a URL names, and erases their signals from the histories of their
    /// topics.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func withdraw(_ url: CanonicalURL) async throws -> Bool {
        try await withdraw { try $0.articles(named: url) }
    }

    /// The same for an item that its source has withdrawn. Only its own article is deleted.
    private func withdraw(_ item: ArticleReader.Withdrawn, from source: String) async throws {
        try await withdraw { tables in
            let url = try tables.url(ofPage: item.page, item.link, source: source)
            return [try tables.article(url: url)].compactMap(\.self)
                .filter { $0.source.name == source }
        }
    }

    @discardableResult
    private func withdraw(
        _ articles: @escaping @Sendable (NewsTables) throws -> [Article]
    ) async throws -> Bool {
        let isKnown = try await !store.readNews { try articles($0) }.isEmpty
        guard isKnown else { return false }
        let output = try await commit(length: Change.rowBytes) { pipeline, tables, now in
            try pipeline.withdraw(
                try articles(tables),
                tables,
                now: now,
                newID: NewsService.newID
            )
        }
        return output.counts.withdrawn > 0
    }

    // MARK: Time

    private static let tickInterval = Duration.seconds(5)
    private static let trimInterval = Duration.seconds(600)

    /// Reviews stories and publishes delayed changes, until it is cancelled.
    func tick() async {
        repeat {
            guard isTickDue() else { continue }
            do {
                _ = try await commit(length: Change.rowBytes) { pipeline, tables, now in
                    try pipeline.tick(tables, now: now, newID: NewsService.newID)
                }
            } catch {
                logger.error("news: stories not reviewed", metadata: ["err": "\(error)"])
            }
        } while (try? await clock.sleep(NewsService.tickInterval)) != nil
    }

    private static let indexingPause = Duration.seconds(60)

    /// Indexes the texts of articles that a release before has stored. It tries again after an error.
    func index() async {
        while !Task.isCancelled {
            do {
                return try await store.indexUnspacedNews()
            } catch {
                logger.warning("news: articles not indexed", metadata: ["err": "\(error)"])
            }
            try? await clock.sleep(NewsService.indexingPause)
        }
    }

    /// Deletes old and excess articles, stories, texts and users, until it is cancelled.
    func trim() async {
        repeat {
            do {
                try await trimOnce()
            } catch let error as StepFailures {
                for failure in error.failures {
                    logger.warning(
                        "news: articles not trimmed",
                        metadata: ["step": "\(failure.step)", "err": "\(failure.error)"]
                    )
                }
            } catch {
                // Cancelled.
            }
        } while (try? await Task.sleep(for: NewsService.trimInterval)) != nil
    }
}

extension NewsService {
    /// - Throws: `StepFailures`, `CancellationError`.
    private func trimOnce() async throws {
        let now = clock.now
        let oldest = now - settings.retention
        var steps = IndependentSteps()
        await steps.run("old_articles") { try await store.trimArticles(firstSeenBefore: oldest) }
        await steps.run("articles") { try await store.trimArticles(to: settings.articlesMax) }
        await steps.run("stories") { try await store.trimStories(updatedBefore: oldest) }
        await steps.run("texts") { try await store.trimNewsTexts(now: now) }
        await steps.run("users") {
            try await store.trimNewsUsers(seenBefore: now - BriefSchedule.unseenMax)
        }
        try steps.end()
    }
}

extension Article {
    /// The bytes of its URL and texts, for the bounds of a change.
    var length: Int {
        url.utf8.count + title.utf8.count + summary.utf8.count + content.utf8.count
    }
}
