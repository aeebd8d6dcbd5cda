/// The opinion of one author on a radar's topic at one time.
package struct Opinion: Sendable, Equatable {
    package var id: String
    package var radarID: String
    package var author: String
    /// The model that gave it, by the dated name that its provider answered with.
    package var model: String
    package var content: String
    package var stance: Stance
    /// In 0...1.
    package var confidence: Double
    package var reasoning: String?
    package var createdAt: Timestamp
    /// The configured source that it came from; nil for one that was pushed.
    package var source: String?
    /// The provider whose opinions are not independent of each other: a vendor of models, or one
    /// API key for all opinions that were pushed with it.
    package var provider: String
    /// The number of the API key that the opinion was pushed with. Nil for an opinion of a source, and
    /// for one that was pushed before the hub stored keys.
    package var pusher: Int?
    /// The version of the question; nil for an opinion without one.
    package var promptVersion: String?
    /// Counts the changes of models and prompts before it: opinions of two segments are no series.
    package var segment: Int

    package init(
        id: String,
        radarID: String,
        author: String,
        model: String,
        content: String,
        stance: Stance,
        confidence: Double,
        reasoning: String? = nil,
        createdAt: Timestamp,
        source: String? = nil,
        provider: String,
        pusher: Int? = nil,
        promptVersion: String? = nil,
        segment: Int = 0
    ) {
        self.id = id
        self.radarID = radarID
        self.author = author
        self.model = model
        self.content = content
        self.stance = stance
        self.confidence = confidence
        self.reasoning = reasoning
        self.createdAt = createdAt
        self.source = source
        self.provider = provider
        self.pusher = pusher
        self.promptVersion = promptVersion
        self.segment = segment
    }
}

extension Opinion {
    /// The provider of opinions that were pushed: an author's name is free, so it proves nothing.
    ///
    /// No source has such a name: those have no colon.
    package static func provider(ofPusher pusher: Int?) -> String {
        pusher.map { "key:\($0)" } ?? "key:unknown"
    }
}
