import DomainKit

/// One radar. Only its owner interprets the texts and bytes.
package struct RadarRow: Sendable, Equatable {
    package var id: String
    package var userID: String
    package var topic: String
    package var interpretation: [UInt8]
    package var position: String
    package var isPublic: Bool
    package var refreshCount: Int
    package var segment: Int
    /// `LastPoll.stored`; nil before the first poll.
    package var lastPoll: [UInt8]?
    package var lastPolledAt: Timestamp?
    package var nextPollAt: Timestamp
    package var createdAt: Timestamp
    package var updatedAt: Timestamp
    /// The stored state of its sources.
    package var sources: [UInt8]
    /// The stored state of its position; nil before the first one.
    package var standing: [UInt8]?

    package init(
        id: String,
        userID: String,
        topic: String,
        interpretation: [UInt8],
        position: String,
        isPublic: Bool = false,
        refreshCount: Int = 0,
        segment: Int = 0,
        lastPolledAt: Timestamp? = nil,
        nextPollAt: Timestamp,
        createdAt: Timestamp,
        updatedAt: Timestamp,
        sources: [UInt8] = [],
        lastPoll: [UInt8]? = nil,
        standing: [UInt8]? = nil
    ) {
        self.id = id
        self.userID = userID
        self.topic = topic
        self.interpretation = interpretation
        self.position = position
        self.isPublic = isPublic
        self.refreshCount = refreshCount
        self.segment = segment
        self.lastPolledAt = lastPolledAt
        self.nextPollAt = nextPollAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.sources = sources
        self.lastPoll = lastPoll
        self.standing = standing
    }
}

/// The data of every radar that a starting hub needs: its owner, and the time of its next poll.
package struct RadarDirectoryRow: Sendable, Equatable {
    package var id: String
    package var userID: String
    package var isPublic: Bool
    package var nextPollAt: Timestamp
    package var lastPolledAt: Timestamp?
}
