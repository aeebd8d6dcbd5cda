/// The limits of this module.
package enum RadarLimits {
    /// Characters of a topic.
    package static let topicLengthMax = 300
    /// Bytes of an opinion's text; a longer answer is cut at a character.
    package static let contentBytesMax = 8 << 10
    package static let reasoningBytesMax = 8 << 10
    /// Characters of an author's or a model's name.
    package static let nameLengthMax = ProviderLimits.nameLengthMax
    /// Opinions that a radar carries along, the newest ones first; all of them have their own route.
    package static let opinionsShown = 20
    /// Opinions of one page of their list.
    package static let opinionsPerPage = 1...200
    /// The maximum number and size of missed updates for a returning reader of the app's socket;
    /// with more, it receives only the whole radar. They fit a quarter of a connection's queue.
    package static let missedMax = 64
    package static let missedBytesMax = 256 << 10
    /// Bytes of a cursor that is an opinion's id.
    package static let cursorLengthMax = 64
    /// A position is made of the opinions of so many days (UTC), today among them, and of at most so many of
    /// sources.
    package static let positionWindowDays = 90
    package static let positionOpinionsMax = 1000
    /// Opinions in a position that were pushed, for all API keys together; each key has an equal part.
    /// They are counted apart from those of sources, so that they displace none.
    package static let positionPushedMax = 500
    /// API keys whose opinions are in a position, the newest keys first.
    package static let positionKeysMax = 32
    /// Days of a trend.
    package static let trendDays = 1...365
    /// Opinions of one answer of a source that gives several.
    package static let opinionsPerAnswerMax = 100

    /// The oldest opinions of a position.
    package static func positionStart(_ now: Timestamp) -> Timestamp {
        now.roundedDown(to: oneDay) - oneDay * (positionWindowDays - 1)
    }
}
