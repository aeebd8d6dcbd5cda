/// The answer of `GET /v1/stories/{id}`.
package struct StoryDetailView: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var signal: SignalView
        package var description: String

        package init(signal: SignalView, description: String) {
            self.signal = signal
            self.description = description
        }
    }

    /// A change of the story, and its time.
    package struct Change: Equatable, Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            case created, grown, retitled, merged, split
        }

        package var at: Timestamp
        package var kind: Kind
        /// After the change.
        package var articleCount: Int
        /// After the change.
        package var title: String
        /// The other story of a merge or a split.
        package var otherID: Int?

        package init(
            at: Timestamp,
            kind: Kind,
            articleCount: Int,
            title: String,
            otherID: Int? = nil
        ) {
            self.at = at
            self.kind = kind
            self.articleCount = articleCount
            self.title = title
            self.otherID = otherID
        }
    }

    package var story: StoryView
    package var category: NewsCategory
    package var tickers: [Ticker]
    package var updatedAt: Timestamp
    package var articles: [Entry]
    /// The oldest change first.
    package var timeline: [Change]
    /// Ids of stories that were merged into this one.
    package var aliases: [Int]

    package init(
        story: StoryView,
        category: NewsCategory,
        tickers: [Ticker],
        updatedAt: Timestamp,
        articles: [Entry],
        timeline: [Change],
        aliases: [Int]
    ) {
        self.story = story
        self.category = category
        self.tickers = tickers
        self.updatedAt = updatedAt
        self.articles = articles
        self.timeline = timeline
        self.aliases = aliases
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            story.write(to: &json)
            json.field("category", category.rawValue)
            json.textArray("tickers", tickers.map(\.text))
            json.instant("updated_at", updatedAt)
            json.array("articles") { json in
                for article in articles {
                    json.object { json in
                        article.signal.write(to: &json)
                        json.field("description", article.description)
                    }
                }
            }
            json.array("timeline") { json in
                for change in timeline { json.object { change.write(to: &$0) } }
            }
            json.array("aliases") { json in aliases.forEach { json.value($0) } }
        }
    }
}

extension StoryDetailView.Change {
    fileprivate func write(to json: inout JSONWriter) {
        json.instant("at", at)
        json.field("change", kind.rawValue)
        json.field("article_count", articleCount)
        json.field("group_title", title)
        json.integer("other_id", orNull: otherID)
    }
}

/// The body of `301` for a story that was merged into another; `Location` has the other's path.
package func mergedStoryJSON(id: Int, into mergedID: Int) -> [UInt8] {
    newsJSON { json in
        json.field("id", id)
        json.field("merged_into", mergedID)
    }
}
