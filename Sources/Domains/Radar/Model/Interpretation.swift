/// The subject of a topic, as category and tags, and its sentiment.
package struct Interpretation: Sendable, Equatable {
    package enum Sentiment: String, CaseIterable, Sendable {
        case positive, negative, neutral, mixed
    }

    package var text: String
    package var category: String
    package var subCategory: String?
    package var tags: [String]
    package var sentiment: Sentiment
    /// The source that gave it, or `lexical` for one made only of the topic's words.
    package var source: String
    /// Of the topic, as far as its words show it; nil if a source has read it.
    package var language: LexicalLanguage?

    package static let lexicalSource = "lexical"

    package init(
        text: String,
        category: String,
        subCategory: String? = nil,
        tags: [String],
        sentiment: Sentiment,
        source: String,
        language: LexicalLanguage? = nil
    ) {
        self.text = text
        self.category = category
        self.subCategory = subCategory
        self.tags = tags
        self.sentiment = sentiment
        self.source = source
        self.language = language
    }
}
