/// The body of `POST /api/radars/{id}/opinions`: an opinion that was not requested from a source.
package struct PushedOpinion: Sendable, Equatable {
    package var author: String
    package var model: String
    package var content: String
    package var stance: Stance
    /// In 0...1.
    package var confidence: Double
    package var reasoning: String?

    /// Reads a whole body.
    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        author = try fields.requiredText("author", .name)
        model = try fields.requiredText("model", .name)
        content = try fields.requiredText("content", .content)
        stance = try fields.requiredWord("stance")
        confidence = try fields.requiredNumber(
            "confidence",
            in: 0...1,
            expected: "a number from 0 to 1"
        )
        reasoning = try fields.text("reasoning", .reasoning)
    }

    /// The opinion on a radar. It belongs to the segment that the radar is in.
    ///
    /// - Parameter pusher: the number of the API key that it was pushed with.
    package func opinion(
        id: String,
        on radar: RadarState,
        pusher: Int,
        createdAt: Timestamp
    ) -> Opinion {
        Opinion(
            id: id,
            radarID: radar.id,
            author: author,
            model: model,
            content: content,
            stance: stance,
            confidence: confidence,
            reasoning: reasoning,
            createdAt: createdAt,
            provider: Opinion.provider(ofPusher: pusher),
            pusher: pusher,
            segment: radar.segment
        )
    }
}
