/// The answer of `GET /v1/feed/story-groups`.
package struct StoryGroupsView: Equatable, Sendable {
    /// Of all stories of the day for the user, whatever the limits of the lists are. A story that is in
    /// several lists counts once.
    package struct Metadata: Equatable, Sendable {
        package var totalGroups: Int
        package var articlesClustered: Int
        /// Articles that were left out as duplicates.
        package var duplicatesRemoved: Int

        package init(totalGroups: Int, articlesClustered: Int, duplicatesRemoved: Int) {
            self.totalGroups = totalGroups
            self.articlesClustered = articlesClustered
            self.duplicatesRemoved = duplicatesRemoved
        }
    }

    /// As documented. Answers may be cached for a minute at most: `Cache-Control` has that.
    static let cacheSeconds = 3600

    /// Any instant of the day that the stories are of.
    package var day: Timestamp
    package var userID: String
    package var holdings: [Ticker]
    package var generatedAt: Timestamp
    package var global: [StoryView]
    /// A holding without an entry has no stories.
    package var byTicker: [Ticker: [StoryView]]
    package var metadata: Metadata

    package init(
        day: Timestamp,
        userID: String,
        holdings: [Ticker],
        generatedAt: Timestamp,
        global: [StoryView],
        byTicker: [Ticker: [StoryView]],
        metadata: Metadata
    ) {
        self.day = day
        self.userID = userID
        self.holdings = holdings
        self.generatedAt = generatedAt
        self.global = global
        self.byTicker = byTicker
        self.metadata = metadata
    }

    /// All stories of the answer, each once, with the reason why the user sees it: a holding before
    /// the impact, and the first holding of several.
    package var merged: [(story: StoryView, reason: String)] {
        var seen: Set<Int> = []
        var merged: [(story: StoryView, reason: String)] = []
        for ticker in holdings {
            for story in byTicker[ticker] ?? [] where seen.insert(story.id).inserted {
                merged.append((story, "User holds \(ticker)"))
            }
        }
        for story in global where seen.insert(story.id).inserted {
            merged.append((story, "Global impact"))
        }
        return merged.sorted { StoryView.isShownBefore($0.story, $1.story) }
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.field("date", day.iso8601Date)
            json.field("user_id", userID)
            json.textArray("user_holdings", holdings.map(\.text))
            json.instant("generated_at", generatedAt)
            json.stories("global", global)
            json.object("by_ticker") { json in
                for ticker in holdings { json.stories(ticker.text, byTicker[ticker] ?? []) }
            }
            // The document's example has four keys, but its client decodes the seven of a
            // StoryGroup.
            json.array("merged_feed") { json in
                for (story, reason) in merged {
                    json.object { json in
                        story.write(to: &json)
                        json.field("rank_reason", reason)
                    }
                }
            }
            json.object("metadata") { metadata.write(to: &$0) }
        }
    }
}

extension StoryGroupsView.Metadata {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("total_groups", totalGroups)
        json.field("total_articles_clustered", articlesClustered)
        json.field("dedup_removed", duplicatesRemoved)
        json.field("cache_ttl_seconds", StoryGroupsView.cacheSeconds)
    }
}

extension JSONWriter {
    fileprivate mutating func stories(_ key: String, _ stories: [StoryView]) {
        array(key) { json in
            for story in stories { json.object { story.write(to: &$0) } }
        }
    }
}
