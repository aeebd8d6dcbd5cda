/// The answer of `GET /v1/brief/latest`, and the data of `news.brief.published`.
package struct BriefView: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package var story: StoryView
        package var why: [String]
        package var summary: String
        /// Of its articles, the best one first.
        package var urls: [String]

        package init(story: StoryView, why: [String], summary: String, urls: [String]) {
            self.story = story
            self.why = why
            self.summary = summary
            self.urls = urls
        }
    }

    package var items: [Item]
    /// Nil before the user's first brief.
    package var generatedAt: Timestamp?

    /// The brief before the first one: `{"items":[],"generated_at":null}`, as documented.
    package static let stub = BriefView(items: [], generatedAt: nil)

    package init(items: [Item], generatedAt: Timestamp?) {
        self.items = items
        self.generatedAt = generatedAt
    }

    package func json() -> [UInt8] {
        newsJSON { json in
            json.array("items") { json in
                for item in items {
                    json.object { json in
                        item.story.write(to: &json)
                        json.textArray("why", item.why.prefix(SignalView.reasonsMax))
                        json.field("summary", item.summary)
                        json.textArray("urls", item.urls)
                    }
                }
            }
            json.instant("generated_at", orNull: generatedAt)
        }
    }
}
