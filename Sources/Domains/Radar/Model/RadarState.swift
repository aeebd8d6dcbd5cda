/// One radar: a topic that a user watches, and the position of the opinions on it.
package struct RadarState: Sendable, Equatable {
    package var id: String
    /// The owner.
    package var userID: String
    package var topic: String
    package var interpretation: Interpretation
    package var position: Stance
    /// When the last poll began in which a source has answered; nil before the first one.
    package var lastPolledAt: Timestamp?
    /// Polls in which a source has answered.
    package var refreshCount: Int
    /// Nil before the first poll.
    package var lastPoll: LastPoll?
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// Whether it may be read by anyone.
    package var isPublic: Bool
    /// Of the opinions that come now.
    package var segment: Int
    /// The stored state of its position.
    package var standing: PositionStanding

    package init(
        id: String,
        userID: String,
        topic: String,
        interpretation: Interpretation,
        position: Stance = .neutral,
        lastPolledAt: Timestamp? = nil,
        refreshCount: Int = 0,
        lastPoll: LastPoll? = nil,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        isPublic: Bool = false,
        segment: Int = 0,
        standing: PositionStanding = PositionStanding()
    ) {
        self.id = id
        self.userID = userID
        self.topic = topic
        self.interpretation = interpretation
        self.position = position
        self.lastPolledAt = lastPolledAt
        self.refreshCount = refreshCount
        self.lastPoll = lastPoll
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isPublic = isPublic
        self.segment = segment
        self.standing = standing
    }

    /// Adopts the position derived from `previousPosition(now:)`.
    ///
    /// - Returns: the change that its subscribers have not seen; nil if the position is unchanged.
    package mutating func take(
        _ derivation: PositionDerivation,
        now: Timestamp
    ) -> (previous: Stance, derivation: PositionDerivation)? {
        let previous = position
        standing.take(derivation, from: previous, now: now)
        position = derivation.position
        return previous == position ? nil : (previous, derivation)
    }

    /// The position that a derivation starts from; nil before the first one.
    package func previousPosition(now: Timestamp) -> Stance? {
        standing.previous(position, now: now)
    }
}
