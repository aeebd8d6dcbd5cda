/// Tags of the publications, for filters of subscribers and to erase an article from histories.
package enum NewsTag {
    /// The most certain ticker; missing without any.
    package static let ticker = "ticker"
    /// One of `NewsCategory`.
    package static let category = "category"
    /// As in `impact_level`: `Very Low`, `Low`, `Moderate`, `High`.
    package static let impact = "impact"
    /// The decimal id of the article that a signal is about.
    package static let article = "article"
    /// The decimal id of the story.
    package static let story = "story"
}

/// An event of the news, the topics that it belongs to, each once, and the tags of its publications
/// there.
package struct NewsEvent: Equatable, Sendable {
    package var event: Event
    package var topics: [Topic]
    package var tags: [String: String]
}

/// The subject of a story or signal, for the topics and tags of its events.
package struct NewsSubject: Equatable, Sendable {
    /// The most certain first.
    package var tickers: [Ticker]
    package var category: NewsCategory
    package var impact: ImpactLevel

    package init(tickers: [Ticker], category: NewsCategory, impact: ImpactLevel) {
        self.tickers = tickers
        self.category = category
        self.impact = impact
    }

    fileprivate func topics(isGlobal: Bool) -> [Topic] {
        var seen: Set<Topic> = []
        let all = (isGlobal ? [.newsGlobal] : []) + tickers.map(Topic.news) + [.news(category)]
        return all.filter { seen.insert($0).inserted }
    }

    fileprivate var tags: [String: String] {
        var tags = [NewsTag.category: category.rawValue, NewsTag.impact: impact.rawValue]
        tags[NewsTag.ticker] = tickers.first?.text
        return tags
    }
}

extension NewsEvent {
    private static let source = "/news"

    /// A signal that readers see for the first time. Its data are the signal.
    ///
    /// - Parameter id: unique, such as `uuidVersion7` makes it; the same for the events below.
    package static func signalPublished(
        _ signal: SignalView,
        about subject: NewsSubject,
        articleID: Int,
        storyID: Int?,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        var tags = subject.tags
        tags[NewsTag.article] = String(articleID)
        tags[NewsTag.story] = storyID.map { String($0) }
        return NewsEvent(
            event: event("news.signal.published", signal.id, signal.json(), id, time),
            topics: subject.topics(isGlobal: signal.importance >= NewsTopic.globalImportanceMin),
            tags: tags
        )
    }

    package static func storyCreated(
        _ story: StoryView,
        about subject: NewsSubject,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        of(story, "news.story.created", story.json(), subject, id, time)
    }

    package static func storyUpdated(
        _ story: StoryView,
        about subject: NewsSubject,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        of(story, "news.story.updated", story.json(), subject, id, time)
    }

    /// A story that has become part of another. Its subject and its tag `story` are the story that
    /// ended.
    ///
    /// - Parameters:
    ///   - subject: of both stories, so that readers of either learn of it.
    package static func storyMerged(
        _ endedID: Int,
        into story: StoryView,
        about subject: NewsSubject,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        let data = newsJSON { json in
            json.field("id", endedID)
            json.field("merged_into", story.id)
            json.object("story") { story.write(to: &$0) }
        }
        var event = of(story, "news.story.merged", data, subject, id, time)
        event.event.subject = String(endedID)
        event.tags[NewsTag.story] = String(endedID)
        return event
    }

    /// In the topic of the user. Its data are the brief.
    package static func briefPublished(
        _ brief: BriefView,
        to user: NewsUserID,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        NewsEvent(
            event: event("news.brief.published", user.text, brief.json(), id, time),
            topics: [.news(user)],
            tags: [:]
        )
    }

    /// The event for a user's new preferences, in the topic of the user. Its data are the
    /// preferences and the topics of the holdings, so that the user's other devices subscribe to
    /// them.
    package static func preferencesUpdated(
        _ preferences: NewsPreferences,
        of user: NewsUserID,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        NewsEvent(
            event: event("news.preferences.updated", user.text, preferences.eventJSON(), id, time),
            topics: [.news(user)],
            tags: [:]
        )
    }

    /// A tombstone: the article was withdrawn, and apps that show its signal take it away. Its
    /// topics are those of the signal. It has no tag `article`, so that the erasure of the signal
    /// spares it.
    package static func signalRemoved(
        signalID: String,
        wasGlobal: Bool,
        about subject: NewsSubject,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        let data = newsJSON { $0.field("id", signalID) }
        return NewsEvent(
            event: event("news.signal.removed", signalID, data, id, time),
            topics: subject.topics(isGlobal: wasGlobal),
            tags: subject.tags
        )
    }

    /// A tombstone: the last article of the story was withdrawn.
    package static func storyRemoved(
        storyID: Int,
        about subject: NewsSubject,
        id: String,
        time: Timestamp
    ) -> NewsEvent {
        let data = newsJSON { $0.field("id", storyID) }
        return NewsEvent(
            event: event("news.story.removed", String(storyID), data, id, time),
            topics: subject.topics(isGlobal: true),
            tags: subject.tags
        )
    }

    private static func of(
        _ story: StoryView,
        _ type: String,
        _ data: [UInt8],
        _ subject: NewsSubject,
        _ id: String,
        _ time: Timestamp
    ) -> NewsEvent {
        var tags = subject.tags
        tags[NewsTag.story] = String(story.id)
        let isGlobal =
            story.primaryTicker == nil || story.importance >= NewsTopic.globalImportanceMin
        return NewsEvent(
            event: event(type, String(story.id), data, id, time),
            topics: subject.topics(isGlobal: isGlobal),
            tags: tags
        )
    }

    private static func event(
        _ type: String,
        _ subject: String,
        _ data: [UInt8],
        _ id: String,
        _ time: Timestamp
    ) -> Event {
        Event(id: id, type: type, source: source, subject: subject, time: time, data: data)
    }
}
