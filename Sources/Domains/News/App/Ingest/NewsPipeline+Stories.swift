import DomainKit
import News

extension NewsPipeline {
    /// The least time between two updates of one story.
    static let publicationInterval = Duration.seconds(60)

    // MARK: Events of the board

    mutating func apply(
        _ events: [StoryEvent],
        _ context: Context,
        _ touched: inout Set<Int>,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        for event in events {
            switch event {
            case .created, .closed: break
            case .articleAdded(let article, let story):
                try add(article, to: story, context, newID: newID, &output)
                touched.insert(story)
            case .merged(let story, let into):
                try merge(story, into: into, context, newID: newID, &output)
                touched.remove(story)
                touched.insert(into)
            case .split(let story, let into, let articles):
                try split(articles, from: story, to: into, context)
                touched.formUnion([story, into])
            }
        }
    }

    /// Computes the signal of an article in its story, and publishes it.
    private mutating func add(
        _ id: Int,
        to storyID: Int,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        let tables = context.tables
        // It may have been withdrawn while it was pending.
        guard let article = try tables.article(id) else { return }
        let copyOf = context.copies[id]
        let own = StoryArticle(article, isCopy: copyOf != nil)
        let former = try tables.story(storyID)
        let novelty = former?.novelty ?? board.novelty(ofStory: storyID)
        let others = try tables.storyArticles(storyID)
        guard let facts = StoryFacts(others + [own], novelty: novelty) else { return }
        let bits = facts.importance.bits
        count(bits, former, now: context.now)
        let importance = scale.score(bits, at: context.now)
        let signal = ArticleSignal(of: article, in: facts, importance: importance)
        let stored = StoredSignal(
            articleID: id,
            storyID: storyID,
            copyOf: copyOf,
            signal: signal,
            isGlobal: importance >= NewsTopic.globalImportanceMin
        )
        try tables.put(stored, tickers: article.tickers)
        if former == nil {
            try tables.put(
                StoredStory(storyID, article, facts, novelty: novelty, importance, context.now)
            )
        } else if var former {
            former.bits = bits
            former.importance = importance
            try tables.put(former)
        }
        guard copyOf == nil, !signal.isIgnored else { return }
        output.events.append(
            .signalPublished(
                SignalView(article, signal),
                about: NewsSubject(article, importance: importance),
                articleID: id,
                storyID: storyID,
                id: newID(),
                time: context.now
            )
        )
    }

    private mutating func count(_ bits: Double, _ former: StoredStory?, now: Timestamp) {
        guard let former else { return scale.add(bits, at: now) }
        scale.move(from: former.bits, to: bits, countedAt: former.createdAt)
    }

    private mutating func merge(
        _ story: Int,
        into other: Int,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        let tables = context.tables
        waiting.remove(story)
        let ended = try tables.story(story)
        try tables.moveSignals(ofStory: story, to: other)
        try tables.merge(story: story, into: other)
        guard let ended, let target = try tables.story(other) else { return }
        let counts = try tables.articleCounts(ofStory: other)
        var view = target.view
        view.articleCount = counts.all - counts.copies
        try tables.put(
            StoryDetailView.Change(
                at: context.now,
                kind: .merged,
                articleCount: view.articleCount,
                title: target.title,
                otherID: story
            ),
            ofStory: other
        )
        guard ended.published != nil else { return }
        output.events.append(
            .storyMerged(
                story,
                into: view,
                about: target.subject.joined(with: ended.subject),
                id: newID(),
                time: context.now
            )
        )
    }

    private mutating func split(
        _ articles: [Int],
        from story: Int,
        to other: Int,
        _ context: Context
    ) throws {
        let tables = context.tables
        for article in articles { try tables.moveSignal(ofArticle: article, toStory: other) }
        guard let former = try tables.story(story),
            let first = try articles.lazy.compactMap({ try tables.article($0) }).first,
            let facts = StoryFacts(try tables.storyArticles(other), novelty: former.novelty)
        else { return }
        let bits = facts.importance.bits
        scale.add(bits, at: context.now)
        let importance = scale.score(bits, at: context.now)
        try tables.put(
            StoredStory(other, first, facts, novelty: former.novelty, importance, context.now)
        )
        for (id, otherID) in [(story, other), (other, story)] {
            try tables.put(
                StoryDetailView.Change(
                    at: context.now,
                    kind: .split,
                    articleCount: try tables.articleCounts(ofStory: id).all,
                    title: former.title,
                    otherID: otherID
                ),
                ofStory: id
            )
        }
    }

    // MARK: Stories

    /// Computes a story again from its articles, and publishes it if subscribers would see a
    /// change.
    mutating func refresh(
        _ id: Int,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        let tables = context.tables
        waiting.remove(id)
        guard var story = try tables.story(id), story.mergedInto == nil,
            let facts = StoryFacts(try tables.storyArticles(id), novelty: story.novelty)
        else { return }
        let bits = facts.importance.bits
        scale.move(from: story.bits, to: bits, countedAt: story.createdAt)
        story.bits = bits
        story.importance = scale.score(bits, at: context.now)
        story.impact =
            story.published == nil
            ? ImpactLevel(score: story.importance) : story.impact.next(score: story.importance)
        try describe(&story, facts, tables)
        try publish(&story, context, newID: newID, &output)
        try tables.put(story)
    }

    private func describe(
        _ story: inout StoredStory,
        _ facts: StoryFacts,
        _ tables: NewsTables
    ) throws {
        let counts = try tables.articleCounts(ofStory: story.id)
        story.articleCount = counts.all - counts.copies
        story.copyCount = counts.copies
        story.startedAt = facts.evidence.firstReportAt
        story.updatedAt = facts.evidence.lastReportAt
        story.primaryTicker = facts.scope.primaryTicker
        story.tickers = facts.tickers
        story.category = facts.category
        let medoidID = board.story(story.id)?.medoidArticleID ?? story.articleID
        var medoid = try tables.article(medoidID)
        if medoid == nil, let best = try tables.signals(ofStory: story.id, limit: 1).first {
            medoid = try tables.article(best.articleID)
        }
        guard let medoid else { return }
        story.articleID = medoid.id
        story.title = medoid.title
        story.reasons =
            StoryReasons(
                evidence: facts.evidence,
                source: medoid.source.title,
                relevance: RelevanceType(
                    title: medoid.title,
                    text: medoid.summary,
                    namesCompany: !facts.tickers.isEmpty
                ),
                tickers: facts.tickers
            ).sentences
    }

    private mutating func publish(
        _ story: inout StoredStory,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        guard let change = story.visibleChange else { return }
        if let published = story.published,
            context.now - published.at < NewsPipeline.publicationInterval,
            context.now >= published.at
        {
            waiting.insert(story.id)
            return
        }
        let event: NewsEvent =
            change == .created
            ? .storyCreated(story.view, about: story.subject, id: newID(), time: context.now)
            : .storyUpdated(story.view, about: story.subject, id: newID(), time: context.now)
        if story.published != nil { story.revision += 1 }
        story.published = story.asPublished(at: context.now)
        output.events.append(event)
        try context.tables.put(
            StoryDetailView.Change(
                at: context.now,
                kind: change,
                articleCount: story.articleCount,
                title: story.title
            ),
            ofStory: story.id
        )
    }
}

extension StoryArticle {
    init(_ article: Article, isCopy: Bool) {
        self.init(
            report: StoryReport(
                owner: article.source.owner,
                weight: article.source.weight,
                publishedAt: article.publishedAt
            ),
            tickers: article.tickers,
            category: article.category,
            isCopy: isCopy
        )
    }
}

extension StoredStory {
    /// A story of one article.
    fileprivate init(
        _ id: Int,
        _ article: Article,
        _ facts: StoryFacts,
        novelty: Double,
        _ importance: Int,
        _ now: Timestamp
    ) {
        self.init(
            id: id,
            title: article.title,
            articleID: article.id,
            articleCount: 1,
            copyCount: 0,
            startedAt: article.publishedAt,
            updatedAt: article.publishedAt,
            createdAt: now,
            novelty: novelty,
            bits: facts.importance.bits,
            importance: importance,
            impact: ImpactLevel(score: importance),
            category: article.category,
            primaryTicker: facts.scope.primaryTicker,
            tickers: facts.tickers,
            reasons: [],
            revision: 1,
            published: nil,
            mergedInto: nil
        )
    }
}

extension NewsSubject {
    /// The subject of a signal.
    package init(_ article: Article, importance: Int) {
        self.init(
            tickers: Array(article.tickers.prefix(StoryFacts.tickersMax)),
            category: article.category,
            impact: ImpactLevel(score: importance)
        )
    }

    /// The subject of both stories.
    package func joined(with other: NewsSubject) -> NewsSubject {
        var joined = self
        joined.tickers += other.tickers.filter { !tickers.contains($0) }
        return joined
    }
}
