import DomainKit
import News

extension NewsService {
    /// Articles of a story in an item of the personal feed.
    private static let storyArticlesShown = 5
    /// Articles in `GET /v1/stories/{id}`.
    private static let detailArticlesMax = 100
    /// The most general signals in a personal feed, and the most signals of one holding.
    private static let generalCandidatesMax = 500
    private static let heldCandidatesMax = 30

    // MARK: Feeds

    package func feed(_ query: NewsFeedQuery) async throws -> SignalPage {
        let list = "feed"
        return try await store.readNews { [self] tables in
            let cursor = try cursor(query.cursor, list, tables)
            let generation = try cursor?.generation ?? tables.generation()
            let (entries, next) = try tables.feed(
                after: cursor?.position ?? .start,
                generation: generation,
                includesIgnored: query.includesIgnored,
                limit: query.limit
            )
            return SignalPage(
                items: try tables.listed(entries).map { SignalView($0.article, $0.signal.signal) },
                nextCursor: next.map {
                    cursors.text(of: NewsCursor(generation: generation, position: $0), list: list)
                }
            )
        }
    }

    package func personalFeed(
        _ query: NewsFeedQuery,
        of user: NewsUserID
    ) async throws -> PersonalSignalPage {
        let list = "personalized-feed:\(user.text)"
        let (page, lacking) = try await store.readNews { [self] tables in
            let cursor = try cursor(query.cursor, list, tables)
            let generation = try cursor?.generation ?? tables.generation()
            let preferences = try tables.user(user)?.preferences ?? NewsPreferences()
            let feed = PersonalFeed(
                candidates: try candidates(preferences, generation, tables),
                holdings: Set(preferences.holdings.map(\.ticker)),
                focusProfile: preferences.focusProfile,
                generation: generation
            )
            let page = feed.page(after: cursor, limit: query.limit)
            var lacking: [LackingExplanation] = []
            let items = try page.entries.compactMap {
                try personalSignal($0, preferences, &lacking, tables)
            }
            let next = page.next.map { cursors.text(of: $0, list: list) }
            return (PersonalSignalPage(items: items, nextCursor: next), lacking)
        }
        writer?.request(explanations: lacking, for: user)
        return page
    }

    private func cursor(
        _ text: String?,
        _ list: String,
        _ tables: NewsTables
    ) throws -> NewsCursor? {
        guard let text else { return nil }
        let oldest = try tables.oldestArticleID()
        do throws(NewsCursorError) {
            return try cursors.cursor(text, list: list, oldestGeneration: oldest)
        } catch {
            throw NewsError.invalidCursor(error)
        }
    }

    func candidates(
        _ preferences: NewsPreferences,
        _ generation: Int,
        _ tables: NewsTables
    ) throws -> [FeedCandidate] {
        var signals = try tables.feed(
            after: .start,
            generation: generation,
            includesIgnored: false,
            limit: NewsService.generalCandidatesMax
        ).entries
        for holding in preferences.holdings {
            signals += try tables.signals(
                naming: holding.ticker,
                generation: generation,
                limit: NewsService.heldCandidatesMax
            )
        }
        var seen: Set<Int> = []
        return try tables.candidates(signals.filter { seen.insert($0.articleID).inserted })
    }

    /// - Parameter lacking: receives the story if the model has not explained it yet.
    private func personalSignal(
        _ entry: PersonalFeedEntry,
        _ preferences: NewsPreferences,
        _ lacking: inout [LackingExplanation],
        _ tables: NewsTables
    ) throws -> PersonalSignalView? {
        guard let signal = try tables.signal(ofArticle: entry.candidate.articleID),
            let article = try tables.article(signal.articleID),
            let story = try tables.story(signal.storyID)
        else { return nil }
        let shown = try tables.signals(
            ofStory: story.id,
            limit: NewsService.storyArticlesShown
        )
        let articles = try tables.listed(shown).map(\.article)
        var view = PersonalSignalView(
            article,
            signal.signal,
            story,
            isHeld: entry.isHeld,
            articles: articles
        )
        let holdings = Set(preferences.holdings.map(\.ticker))
        // One article that names a holding is enough, even if the story's own tickers do not.
        let named = story.tickers + articles.flatMap(\.tickers)
        if let ticker = named.first(where: { holdings.contains($0) }) {
            let explained = ExplainedStory(story, signal.signal, articles: articles)
            view.explanation = writer?.explanation(known: explained, for: ticker, in: tables)
            if view.explanation == nil {
                lacking.append((explained, ticker))
                view.explanation = PersonalSignalView.Explanation(of: explained, for: ticker)
            }
        }
        return view
    }

    // MARK: Stories

    package func storyGroups(
        _ query: StoryGroupsQuery,
        of user: NewsUserID
    ) async throws -> StoryGroupsView {
        // Rounded, so that the answer and its entity tag stay the same for a minute.
        let now = clock.now.roundedDown(to: .seconds(60))
        let start =
            query.hasDate ? settings.timeZone.first(showing: query.day) : now - .seconds(86_400)
        let end =
            query.hasDate ? settings.timeZone.startOfNextDay(start) : now + .seconds(60)
        let day = start..<end
        return try await store.readNews { tables in
            let preferences = try tables.user(user)?.preferences ?? NewsPreferences()
            let holdings = preferences.holdings.map(\.ticker)
            let global = try tables.stories(of: nil, during: day, limit: query.globalLimit)
            var byTicker: [Ticker: [StoredStory]] = [:]
            for ticker in holdings {
                byTicker[ticker] = try tables.stories(
                    of: ticker,
                    during: day,
                    limit: query.tickerLimit
                )
            }
            return StoryGroupsView(
                day: query.day,
                userID: user.text,
                holdings: holdings,
                generatedAt: now,
                global: global.map(\.view),
                byTicker: byTicker.mapValues { $0.map(\.view) },
                metadata: try tables.storyTotals(for: user, during: day)
            )
        }
    }

    package enum StoryAnswer: Equatable, Sendable {
        case story(StoryDetailView)
        case merged(into: Int)
    }

    package func story(_ id: Int) async throws -> StoryAnswer {
        try await store.readNews { tables in
            guard let story = try tables.story(id) else {
                throw NewsError.storyNotFound(String(id))
            }
            if let target = story.mergedInto { return .merged(into: target) }
            let signals = try tables.signals(ofStory: id, limit: NewsService.detailArticlesMax)
            let articles = try tables.listed(signals).map { listed in
                StoryDetailView.Entry(
                    signal: SignalView(listed.article, listed.signal.signal),
                    description: listed.article.summary
                )
            }
            return .story(
                StoryDetailView(
                    story: story.view,
                    category: story.category,
                    tickers: story.tickers,
                    updatedAt: story.updatedAt,
                    articles: articles,
                    timeline: try tables.changes(ofStory: id),
                    aliases: try tables.aliases(ofStory: id)
                )
            )
        }
    }

    // MARK: Search

    /// The ids of articles whose title or summary has the words, the best match first.
    package func search(_ text: String, limit: Int) async throws -> [Int] {
        let terms = SearchTerms(text)
        guard !terms.required.isEmpty else { return [] }
        var filter = ArticleFilter()
        filter.words = terms.required
        filter.excludedWords = terms.excluded
        return try await store.readNews { [filter] in
            try $0.articleIDs(filter, .relevance, limit: limit)
        }
    }

    /// The signals of articles, in the same order; copies are left out.
    package func signals(ofArticles ids: [Int]) async throws -> [SignalView] {
        try await store.readNews { tables in
            try ids.compactMap { id in
                guard let signal = try tables.signal(ofArticle: id), signal.copyOf == nil,
                    let article = try tables.article(id)
                else { return nil }
                return SignalView(article, signal.signal)
            }
        }
    }
}

/// An explanation that the model may write.
private typealias LackingExplanation = (story: ExplainedStory, ticker: Ticker)
