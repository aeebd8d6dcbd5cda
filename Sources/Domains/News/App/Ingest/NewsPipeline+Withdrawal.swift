import News
import PubSub
import Store
import Timekeeping

extension NewsPipeline {
    /// Deletes an article. Its signal is erased from the histories of its topics, whose subscribers
    /// receive a tombstone. A story without other articles is also deleted.
    package mutating func withdraw(
        url: String,
        _ tables: NewsTables,
        now: Timestamp,
        newID: () -> String
    ) throws -> Output {
        var output = Output()
        guard let article = try tables.article(url: url) else { return output }
        let signal = try tables.signal(ofArticle: article.id)
        _ = try tables.deleteArticle(article.id)
        output.counts.withdrawn = 1
        guard let signal else { return output }
        let context = Context(tables: tables, now: now, copies: [:])
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
        guard try tables.articleCounts(ofStory: signal.storyID).all == 0 else {
            try refresh(signal.storyID, context, newID: newID, &output)
            return output
        }
        guard let story = try tables.story(signal.storyID) else { return output }
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
        return output
    }
}
