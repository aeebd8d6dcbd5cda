import DomainKit

/// One opinion on a radar's topic; see `RadarRow`.
package struct OpinionRow: Sendable, Equatable {
    /// Unique among the opinions of all radars.
    package var id: String
    package var radarID: String
    package var author: String
    package var model: String
    package var content: String
    /// −1, 0 or 1.
    package var stance: Int
    /// In 0...1.
    package var confidence: Double
    package var reasoning: String?
    package var createdAt: Timestamp
    package var source: String?
    package var provider: String
    /// `opinion_pusher.number`; 0 for none.
    package var pushedBy: Int
    package var promptVersion: String?
    package var segment: Int

    package init(
        id: String,
        radarID: String,
        author: String,
        model: String,
        content: String,
        stance: Int,
        confidence: Double,
        reasoning: String? = nil,
        createdAt: Timestamp,
        source: String? = nil,
        provider: String,
        pushedBy: Int = 0,
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
        self.pushedBy = pushedBy
        self.promptVersion = promptVersion
        self.segment = segment
    }
}

/// The opinions on one radar of one day, segment and stance, added up.
package struct OpinionDayRow: Sendable, Equatable {
    /// Days of UTC since 1970-01-01.
    package var day: Int
    package var segment: Int
    /// −1, 0 or 1.
    package var stance: Int
    package var count: Int
    package var confidenceSum: Double
}
