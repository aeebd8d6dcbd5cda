/// One opinion as a source gave it; it gets its id and its time from the radar that asked.
package struct StanceSample: Sendable, Equatable {
    /// The source's own name of the opinion; nil if it has none.
    package var externalID: String?
    package var author: String
    /// For an AI provider the dated name that it answered with.
    package var model: String
    package var content: String
    package var stance: Stance
    /// In 0...1.
    package var confidence: Double
    package var reasoning: String?

    package init(
        externalID: String? = nil,
        author: String,
        model: String,
        content: String,
        stance: Stance,
        confidence: Double,
        reasoning: String? = nil
    ) {
        self.externalID = externalID
        self.author = author
        self.model = model
        self.content = content
        self.stance = stance
        self.confidence = confidence
        self.reasoning = reasoning
    }
}

/// The opinions of one answer.
package struct StanceSamples: Sendable, Equatable {
    package var samples: [StanceSample]
    /// Items that are no opinions as the mapping describes them, or more than an answer may have.
    package var skippedCount: Int

    package init(_ samples: [StanceSample], skippedCount: Int = 0) {
        self.samples = samples
        self.skippedCount = skippedCount
    }
}
