import DomainKit
import News

extension NewsPipeline {
    /// Deletes articles. Their signals are erased from the histories of their topics, whose
    /// subscribers receive tombstones. The oldest copy of an article takes its place. A story without
    /// other articles is also deleted.
    package mutating func withdraw(
        _ articles: [Article],
        _ tables: NewsTables,
        now: Timestamp,
        newID: () -> String
    ) throws -> Output {
        var output = Output()
        let context = Context(tables: tables, now: now, copies: [:])
        var touched: Set<Int> = []
        for article in articles {
            try withdraw(article, context, &touched, newID: newID, &output)
        }
        try finish(touched, context, newID: newID, &output)
        return output
    }

    private mutating func withdraw(
        _ article: Article,
        _ context: Context,
        _ touched: inout Set<Int>,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        let (tables, now) = (context.tables, context.now)
        let signal = try tables.signal(ofArticle: article.id)
        _ = try tables.deleteArticle(article.id)
        output.counts.withdrawn += 1
        duplicates.remove(article: article.id)
        board.remove(article: article.id, ofStory: signal?.storyID)
        guard let signal else { return }
        if signal.copyOf == nil, !signal.signal.isIgnored {
            let event = NewsEvent.signalRemoved(
                signalID: article.url,
                wasGlobal: signal.isGlobal,
                about: NewsSubject(article, importance: signal.signal.importance),
                id: newID(),
                time: now
            )
            output.events.append(event)
            output.erasures += event.topics.map {
                Erasure(topic: $0, tag: NewsTag.article, value: String(article.id))
            }
        }
        if signal.copyOf == nil {
            try touched.formUnion(tables.stories(ofCopiesOf: article.id))
            try promoteCopy(of: article.id, context, newID: newID, &output)
        }
        touched.insert(signal.storyID)
        guard try tables.articleCounts(ofStory: signal.storyID).all == 0,
            let story = try tables.story(signal.storyID)
        else { return }
        touched.remove(story.id)
        waiting.remove(story.id)
        try tables.deleteStory(story.id)
        if story.published != nil {
            let event = NewsEvent.storyRemoved(
                storyID: story.id,
                about: story.subject,
                id: newID(),
                time: now
            )
            output.events.append(event)
            output.erasures += event.topics.map {
                Erasure(topic: $0, tag: NewsTag.story, value: String(story.id))
            }
        }
    }

    /// Makes the oldest copy of a withdrawn article an original, of which the others are copies.
    private mutating func promoteCopy(
        of id: Int,
        _ context: Context,
        newID: () -> String,
        _ output: inout Output
    ) throws {
        let tables = context.tables
        let copies = try tables.copies(ofArticle: id)
        guard let first = copies.first, let article = try tables.article(first),
            var stored = try tables.signal(ofArticle: first)
        else { return }
        // It may also be a copy of another one.
        stored.copyOf = duplicates.add(StoryInput(article)).originalID
        try tables.put(stored, tickers: article.tickers)
        try tables.setOriginal(stored.copyOf ?? first, ofCopies: id)
        guard stored.copyOf == nil, !stored.signal.isIgnored else { return }
        output.events.append(
            .signalPublished(
                SignalView(article, stored.signal),
                about: NewsSubject(article, importance: stored.signal.importance),
                articleID: first,
                storyID: stored.storyID,
                id: newID(),
                time: context.now
            )
        )
    }
}
